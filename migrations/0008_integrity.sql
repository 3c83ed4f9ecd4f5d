CREATE TABLE "integrity_events" (
	"table_name" text NOT NULL,
	"column_name" text NOT NULL,
	"row_id" text NOT NULL,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"times" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "integrity_events_table_name_column_name_row_id_pk" PRIMARY KEY("table_name","column_name","row_id")
);
--> statement-breakpoint
CREATE TABLE "integrity_rounds" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"after_user_id" uuid,
	"lease_until" timestamp (3) with time zone,
	"values" bigint DEFAULT 0 NOT NULL,
	"files" bigint DEFAULT 0 NOT NULL,
	"broken" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX "integrity_events_last_seen_at_index" ON "integrity_events" USING btree ("last_seen_at");