ALTER TABLE "address_proposals" ADD COLUMN "asks_sent" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "release_cycles" ADD COLUMN "first_reminder_tries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "release_cycles" ADD COLUMN "last_reminder_tries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "release_cycles" ADD COLUMN "owner_notice_tries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "release_cycles" ADD COLUMN "answer_days" integer;--> statement-breakpoint
ALTER TABLE "release_cycles" ADD COLUMN "waiting_days" integer;--> statement-breakpoint
ALTER TABLE "release_cycles" ADD COLUMN "restored_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "checkins_created_at_index" ON "checkins" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "users_news_stopped_at_index" ON "users" USING btree ("news_stopped_at") WHERE "users"."news_stopped_at" is not null;--> statement-breakpoint
CREATE INDEX "users_frozen_index" ON "users" USING btree ("id") WHERE "users"."release_frozen_at" is not null;--> statement-breakpoint
CREATE INDEX "checkouts_voucher_code_id_index" ON "checkouts" USING btree ("voucher_code_id");--> statement-breakpoint
CREATE INDEX "new_address_links_contact_id_index" ON "new_address_links" USING btree ("contact_id");--> statement-breakpoint
CREATE INDEX "sms_notifications_notification_id_index" ON "sms_notifications" USING btree ("notification_id");--> statement-breakpoint
CREATE INDEX "sms_notifications_created_at_index" ON "sms_notifications" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "retention_notices_notification_id_index" ON "retention_notices" USING btree ("notification_id");--> statement-breakpoint
CREATE INDEX "address_proposals_contact_id_index" ON "address_proposals" USING btree ("contact_id");--> statement-breakpoint
CREATE INDEX "address_proposals_answered_by_index" ON "address_proposals" USING btree ("answered_by");--> statement-breakpoint
CREATE INDEX "checkin_links_expires_at_index" ON "checkin_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "release_invitations_contact_id_index" ON "release_invitations" USING btree ("contact_id");--> statement-breakpoint
UPDATE "release_cycles" SET "first_reminder_tries" = "owner_mail_tries", "last_reminder_tries" = "owner_mail_tries", "owner_notice_tries" = "owner_mail_tries";--> statement-breakpoint
UPDATE "address_proposals" SET "asks_sent" = 1 WHERE "status" = 'proposed';
