ALTER TABLE "release_cycles" ADD COLUMN "needed_confirmations" integer;--> statement-breakpoint
ALTER TABLE "release_cycles" ADD COLUMN "settled_round" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Only a request that a contact called off leads back from a round to the reminders.
UPDATE "release_cycles" SET "settled_round" = "round" WHERE "closed_at" IS NULL AND "state" IN ('reminded', 'warned');