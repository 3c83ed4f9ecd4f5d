CREATE TABLE "held_back_letters" (
	"cycle_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"held_back_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "held_back_letters_cycle_id_message_id_pk" PRIMARY KEY("cycle_id","message_id")
);
--> statement-breakpoint
ALTER TABLE "held_back_letters" ADD CONSTRAINT "held_back_letters_cycle_id_release_cycles_id_fk" FOREIGN KEY ("cycle_id") REFERENCES "public"."release_cycles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "held_back_letters" ADD CONSTRAINT "held_back_letters_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "held_back_letters_message_id_index" ON "held_back_letters" USING btree ("message_id");--> statement-breakpoint
-- What releases under way have held back so far stands in the log alone, written in the moment in which they began.
INSERT INTO "held_back_letters" ("cycle_id", "message_id", "held_back_at")
SELECT "release_cycles"."id", "messages"."id", "audit_logs"."created_at"
FROM "audit_logs"
JOIN "release_cycles" ON "release_cycles"."user_id" = "audit_logs"."user_id"
	AND "release_cycles"."first_dispatch_at" = "audit_logs"."created_at" AND "release_cycles"."closed_at" IS NULL
JOIN "messages" ON "messages"."id"::text = "audit_logs"."resource_id" AND "messages"."user_id" = "audit_logs"."user_id"
WHERE "audit_logs"."action" = 'delivery.held_back'
ON CONFLICT DO NOTHING;
