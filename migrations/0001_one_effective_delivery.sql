ALTER TABLE "message_deliveries" DROP CONSTRAINT "message_deliveries_message_id_unique";--> statement-breakpoint
ALTER TABLE "message_deliveries" DROP CONSTRAINT "message_deliveries_status_check";--> statement-breakpoint
DROP INDEX "message_deliveries_due_index";--> statement-breakpoint
DROP INDEX "message_deliveries_cycle_id_index";--> statement-breakpoint
CREATE UNIQUE INDEX "message_deliveries_one_effective_unique" ON "message_deliveries" USING btree ("message_id") WHERE "message_deliveries"."status" in ('pending', 'accepted');--> statement-breakpoint
CREATE INDEX "message_deliveries_message_id_index" ON "message_deliveries" USING btree ("message_id");--> statement-breakpoint
ALTER TABLE "message_deliveries" DROP COLUMN "attempts";--> statement-breakpoint
ALTER TABLE "message_deliveries" DROP COLUMN "next_attempt_at";--> statement-breakpoint
ALTER TABLE "message_deliveries" DROP COLUMN "lease_until";--> statement-breakpoint
ALTER TABLE "message_deliveries" ADD CONSTRAINT "message_deliveries_cycle_id_message_id_unique" UNIQUE("cycle_id","message_id");--> statement-breakpoint
ALTER TABLE "message_deliveries" ADD CONSTRAINT "message_deliveries_status_check" CHECK ("message_deliveries"."status" in ('pending', 'accepted', 'bounced', 'cancelled', 'withdrawn'));