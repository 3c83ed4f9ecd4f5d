ALTER TABLE "release_cycles" ADD COLUMN "restored_healthy_ms" bigint;
