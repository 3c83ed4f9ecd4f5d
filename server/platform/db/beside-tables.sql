-- SQL that the tables need and drizzle-kit does not write. `npm run db:initial` appends it to the first migration.

-- users.next_step_at tells the sweep when to visit an owner. It may be too early, never too late, whether the service
-- or an operator with psql changes its columns. While a release is open, the present time is the only safe value.
-- Otherwise the next nudge or the first reminder is the earliest step. Days are 24 hours each. Days of absence only
-- make it later, so they are left out here.
CREATE FUNCTION "set_next_step_at"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND (
    EXISTS (SELECT 1 FROM "release_silences" WHERE "user_id" = NEW."id" AND "closed_at" IS NULL)
    OR EXISTS (SELECT 1 FROM "release_requests" WHERE "user_id" = NEW."id" AND "closed_at" IS NULL)
  ) THEN
    NEW."next_step_at" := to_timestamp(0);
  ELSE
    -- The hour in place of the instant: a second activity within the hour leaves the indexed column unchanged.
    -- PostgreSQL can then update the row without touching an index.
    NEW."next_step_at" := date_trunc('hour', NEW."last_checkin_at"
      + least(ceil(NEW."inactivity_days" / 2.0), NEW."checkin_interval_days") * interval '24 hours');
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "users_next_step_at" BEFORE INSERT OR UPDATE OF
  "last_checkin_at", "inactivity_days", "checkin_interval_days", "release_method", "release_quorum",
  "release_waiting_days", "release_answer_days", "away_until", "release_frozen_at", "email_verified"
ON "users" FOR EACH ROW EXECUTE FUNCTION "set_next_step_at"();
--> statement-breakpoint
INSERT INTO "service_health" ("id") VALUES (1) ON CONFLICT DO NOTHING;
