ALTER TABLE "notifications" ADD COLUMN "policy" text DEFAULT 'standard' NOT NULL;--> statement-breakpoint
ALTER TABLE "notifications" ADD COLUMN "refusals" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "notifications" ADD COLUMN "last_attempt_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "notifications_accepted_at_index" ON "notifications" USING btree ("accepted_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "notifications_ended_at_index" ON "notifications" USING btree ("ended_at") WHERE "notifications"."payload" is not null;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_policy_check" CHECK ("notifications"."policy" in ('standard', 'patient', 'owner-reminder'));