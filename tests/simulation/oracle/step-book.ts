import { sql } from 'drizzle-orm';
import type { StepListener } from '#server/features/release-state/steps.ts';

/** A step, and the transaction that wrote it. */
export type Written = Parameters<StepListener>[1] & { xid: string };
/** Steps whose transactions may have been undone since. */
export type StepBook = { written: Written[]; onStep: StepListener };

export function createStepBook(): StepBook {
  const written: Written[] = [];
  return {
    written,
    async onStep(tx, step) {
      const { rows } = await tx.execute<{ xid: string }>(sql`select pg_current_xact_id()::text as xid`);
      written.push({ ...step, xid: rows[0]?.xid ?? '' });
    },
  };
}
