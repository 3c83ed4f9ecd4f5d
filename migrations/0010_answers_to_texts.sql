CREATE TABLE "received_texts" (
	"id_hash" text PRIMARY KEY NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stopped_phones" (
	"phone_key" text PRIMARY KEY NOT NULL,
	"stopped_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "phone_number" text GENERATED ALWAYS AS (substring(regexp_replace(regexp_replace(regexp_replace(regexp_replace(phone, '\(0\)', '', 'g'),
    '[\s\u00a0().\-\u2010-\u2015]', '', 'g'), '^00', '+'), '^0', '+44') from '^\+[1-9][0-9]{6,14}$')) STORED;--> statement-breakpoint
CREATE INDEX "users_phone_number_index" ON "users" USING btree ("phone_number") WHERE "users"."phone_number" is not null;