-- What is due at the same moment is taken in the same order each time, whatever was written or cleaned up in between.
DROP INDEX "users_next_step_at_index";--> statement-breakpoint
DROP INDEX "notifications_due_index";--> statement-breakpoint
CREATE INDEX "users_next_step_at_index" ON "users" USING btree ("next_step_at","id");--> statement-breakpoint
CREATE INDEX "notifications_due_index" ON "notifications" USING btree ("next_attempt_at","id") WHERE "notifications"."status" in ('pending', 'sending');