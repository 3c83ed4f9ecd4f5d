CREATE TABLE "daily_rounds" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "audit_chains" ADD COLUMN "pruned_length" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_chains" ADD COLUMN "pruned_hash" "bytea";--> statement-breakpoint
CREATE INDEX "audit_logs_created_at_index" ON "audit_logs" USING btree ("created_at");