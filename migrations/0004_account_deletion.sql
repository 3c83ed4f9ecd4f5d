ALTER TABLE "users" ADD COLUMN "deletion_requested_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "deletion_requested_healthy_ms" bigint;--> statement-breakpoint
CREATE INDEX "users_deletion_requested_at_index" ON "users" USING btree ("deletion_requested_at") WHERE "users"."deletion_requested_at" is not null;