-- Finds any three letters of a name or an address without reading every row. It belongs to PostgreSQL, and whoever owns a
-- database may add it to that.
CREATE EXTENSION IF NOT EXISTS "pg_trgm";
--> statement-breakpoint
DROP INDEX "users_created_at_index";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "search_text" text GENERATED ALWAYS AS (lower(email || ' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, ''))) STORED,
	ADD COLUMN "last_checkin_hour" timestamp GENERATED ALWAYS AS (date_trunc('hour', last_checkin_at at time zone 'UTC')) STORED;--> statement-breakpoint
CREATE INDEX "users_name_index" ON "users" USING btree (lower(coalesce(last_name, '') || ' ' || coalesce(first_name, '')),"id");--> statement-breakpoint
CREATE INDEX "users_last_login_at_index" ON "users" USING btree (coalesce(last_login_at, '-infinity'::timestamptz),"id");--> statement-breakpoint
CREATE INDEX "users_last_checkin_hour_index" ON "users" USING btree ("last_checkin_hour");--> statement-breakpoint
CREATE INDEX "users_search_text_index" ON "users" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "users_created_at_index" ON "users" USING btree ("created_at","id");
