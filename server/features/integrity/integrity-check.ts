import type { App } from '#server/app.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { claimRound, clearRepaired, type Round, readRound, saveRound } from './integrity.repository.ts';
import { forgetReports, reportsStored } from './integrity.ts';
import { paceOf, sliceMsOf } from './reading-pace.ts';
import { add, type CheckFigures, checkNext, checkService, firstId } from './seal-checks.ts';

type Slice = {
  /** Ends the slice soon. The next slice continues from there. */
  stop?: AbortSignal | undefined;
  /** Duration of the slice, and the rate at which it reads files. */
  pace?: { sliceMs?: number; bytesPerSecond: number };
};

const roundEveryMs = 7 * 86_400_000;
const leaseMs = 60 * 60_000;
const regularPace = { bytesPerSecond: 8 * 1_048_576 };

/**
 * Continues the weekly check for one slice, which affects no other work: opens sealed values and files at a bounded rate.
 * Returns true if more is left. It does nothing if no check is due, or if another worker has it.
 */
export async function checkSome(app: App, slice: Slice = {}): Promise<boolean> {
  const at = await app.clock.now();
  const leaseUntil = new Date(at.getTime() + leaseMs);
  const round = await claimRound(app.db, { at, leaseUntil, beginBefore: new Date(at.getTime() - roundEveryMs) });
  if (!round) return false;
  forgetReports(app);
  const after = await continueRound(app, round, slice);
  await endSlice(app, after);
  return after.finishedAt === null;
}

/**
 * Checks everything now, at full speed and independently of the weekly check. Places that it finds whole are forgotten.
 */
export async function checkAll(app: App): Promise<CheckFigures> {
  const startedAt = await app.clock.now();
  forgetReports(app);
  const figures = await checkService(app);
  const pace = paceOf(Number.POSITIVE_INFINITY);
  for (let after = firstId; ; ) {
    const found = await checkNext(app, after, pace);
    if (!found) break;
    add(figures, found.figures);
    after = found.userId;
  }
  await reportsStored(app);
  await app.db.transaction(async (tx) =>
    conclude(app, tx, { startedAt, finishedAt: await app.clock.now(tx), figures }),
  );
  return figures;
}

/** Returns the end of the last whole weekly check. Null before the first. */
export async function lastCheckFinishedAt({ db }: App): Promise<Date | null> {
  const finishedAt = (await readRound(db))?.finishedAt;
  return finishedAt && finishedAt.getTime() > 0 ? finishedAt : null;
}

async function continueRound(app: App, round: Round, { stop, pace = regularPace }: Slice): Promise<Round> {
  const { clock } = app;
  const sliceMs = pace.sliceMs ?? sliceMsOf({ ...round, now: await clock.now(), roundMs: roundEveryMs });
  const untilMs = performance.now() + sliceMs;
  const reading = paceOf(pace.bytesPerSecond, stop);
  const next: Round = { ...round, leaseUntil: null };
  try {
    while (performance.now() < untilMs) {
      const found = await checkNext(app, next.afterUserId ?? firstId, reading);
      add(next, found?.figures ?? (await checkService(app)));
      if (found) next.afterUserId = found.userId;
      else return { ...next, finishedAt: await clock.now() };
    }
  } catch (error) {
    if (!stop?.aborted) {
      // Keeps the progress and the lease, so that no worker tries again until the store may be back.
      await endSlice(app, { ...next, leaseUntil: round.leaseUntil });
      throw error;
    }
  }
  return next;
}

async function endSlice(app: App, round: Round): Promise<void> {
  await reportsStored(app);
  await app.db.transaction(async (tx) => {
    await saveRound(tx, round);
    const { startedAt, finishedAt } = round;
    if (finishedAt) await conclude(app, tx, { startedAt, finishedAt, figures: round });
  });
}

type Whole = { startedAt: Date; finishedAt: Date; figures: CheckFigures };

/** Forgets places that a whole check did not find broken, and records its figures. */
async function conclude(app: App, tx: Executor, { startedAt, finishedAt, figures }: Whole): Promise<void> {
  const repaired = await clearRepaired(tx, startedAt);
  const { values, files, broken } = figures;
  await recordAudit(app, tx, {
    userId: null,
    action: 'integrity.checked',
    resource: 'installation',
    details: { values, files, broken, mended: repaired },
    at: finishedAt,
  });
}
