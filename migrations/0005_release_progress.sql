ALTER TABLE "release_cycles" ADD COLUMN "first_reminder_sent_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "release_cycles" ADD COLUMN "last_reminder_sent_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "release_cycles" ADD COLUMN "owner_mail_tries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "release_cycles" ADD COLUMN "counted_on_day" text;--> statement-breakpoint
ALTER TABLE "release_invitations" ADD COLUMN "ask_outcome" text;--> statement-breakpoint
ALTER TABLE "release_invitations" ADD COLUMN "ask_ended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "release_invitations" ADD CONSTRAINT "release_invitations_ask_outcome_check" CHECK ("release_invitations"."ask_outcome" in ('reached', 'failed'));