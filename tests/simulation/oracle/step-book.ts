import { sql } from 'drizzle-orm';
import type { ReleaseDependencies } from '#server/features/release/release.service.ts';

type OnStep = NonNullable<ReleaseDependencies['onStep']>;
/** A step, and the transaction that wrote it. */
export type Written = Parameters<OnStep>[1] & { xid: string };
/** Steps whose transactions may have been undone since. */
export type StepBook = { written: Written[]; onStep: OnStep };

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
