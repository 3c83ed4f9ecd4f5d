CREATE TABLE "login_attempts" (
	"email_hash" text PRIMARY KEY NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"blocked_until" timestamp (3) with time zone NOT NULL,
	"last_tried_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "login_attempts_last_tried_at_index" ON "login_attempts" USING btree ("last_tried_at");--> statement-breakpoint
ALTER TABLE "users" DROP COLUMN "failed_logins";--> statement-breakpoint
ALTER TABLE "users" DROP COLUMN "login_blocked_until";