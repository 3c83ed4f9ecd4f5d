ALTER TABLE "release_cycles" ADD COLUMN "round_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "release_cycles" ADD COLUMN "round_healthy_ms" bigint;