CREATE TABLE "new_address_links" (
	"cycle_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "new_address_links_cycle_id_contact_id_pk" PRIMARY KEY("cycle_id","contact_id"),
	CONSTRAINT "new_address_links_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "address_proposals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"cycle_id" uuid NOT NULL,
	"delivery_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"address" text NOT NULL,
	"reason" text NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"waits_from_healthy_ms" bigint,
	"look_at" timestamp (3) with time zone,
	"answered_by" uuid,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "address_proposals_status_check" CHECK ("address_proposals"."status" in ('proposed', 'waiting', 'sent', 'refused', 'ended'))
);
--> statement-breakpoint
ALTER TABLE "message_deliveries" DROP CONSTRAINT "message_deliveries_cycle_id_message_id_unique";--> statement-breakpoint
ALTER TABLE "message_deliveries" ADD COLUMN "replaces_delivery_id" uuid;--> statement-breakpoint
ALTER TABLE "new_address_links" ADD CONSTRAINT "new_address_links_cycle_id_release_cycles_id_fk" FOREIGN KEY ("cycle_id") REFERENCES "public"."release_cycles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "new_address_links" ADD CONSTRAINT "new_address_links_contact_id_trusted_contacts_id_fk" FOREIGN KEY ("contact_id") REFERENCES "public"."trusted_contacts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_proposals" ADD CONSTRAINT "address_proposals_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_proposals" ADD CONSTRAINT "address_proposals_cycle_id_release_cycles_id_fk" FOREIGN KEY ("cycle_id") REFERENCES "public"."release_cycles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_proposals" ADD CONSTRAINT "address_proposals_delivery_id_message_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."message_deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_proposals" ADD CONSTRAINT "address_proposals_contact_id_trusted_contacts_id_fk" FOREIGN KEY ("contact_id") REFERENCES "public"."trusted_contacts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_proposals" ADD CONSTRAINT "address_proposals_answered_by_trusted_contacts_id_fk" FOREIGN KEY ("answered_by") REFERENCES "public"."trusted_contacts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "address_proposals_one_live_unique" ON "address_proposals" USING btree ("delivery_id") WHERE "address_proposals"."status" in ('proposed', 'waiting');--> statement-breakpoint
CREATE INDEX "address_proposals_look_at_index" ON "address_proposals" USING btree ("look_at") WHERE "address_proposals"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "address_proposals_cycle_id_index" ON "address_proposals" USING btree ("cycle_id");--> statement-breakpoint
CREATE INDEX "address_proposals_user_id_index" ON "address_proposals" USING btree ("user_id");--> statement-breakpoint
ALTER TABLE "message_deliveries" ADD CONSTRAINT "message_deliveries_replaces_delivery_id_message_deliveries_id_fk" FOREIGN KEY ("replaces_delivery_id") REFERENCES "public"."message_deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "message_deliveries_cycle_id_message_id_unique" ON "message_deliveries" USING btree ("cycle_id","message_id") WHERE "message_deliveries"."replaces_delivery_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "message_deliveries_replaces_delivery_id_unique" ON "message_deliveries" USING btree ("replaces_delivery_id");