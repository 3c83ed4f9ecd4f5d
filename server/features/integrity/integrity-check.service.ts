import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { claimRound, forgetMended, type Round, readRound, saveRound } from './integrity.repository.ts';
import type { Integrity } from './integrity.service.ts';
import { paceOf, sliceMsOf } from './reading-pace.ts';
import { add, type CheckFigures, createSealChecks, firstId, type SealChecksDependencies } from './seal-checks.ts';

export type IntegrityCheck = {
  /**
   * Goes on with the weekly check for about `sliceMs`, at a bounded rate. Gives whether more is left. Nothing happens
   * where no check is due, or another worker is at it. Told to stop, it ends soon and goes on from there another time.
   */
  checkSome(stop?: AbortSignal): Promise<boolean>;
  /**
   * Checks everything now, as fast as it goes, without regard to what the weekly check has done, and forgets what it
   * finds mended.
   */
  checkAll(): Promise<CheckFigures>;
  /** When the last whole check ended; null before the first. */
  lastFinishedAt(): Promise<Date | null>;
};

export type IntegrityCheckDependencies = SealChecksDependencies & {
  clock: Clock;
  integrity: Pick<Integrity, 'lookAnew' | 'settled'>;
  audit: Pick<Audit, 'record'>;
  /** How long one slice works, and how fast it reads files. */
  pace?: { sliceMs: number; bytesPerSecond: number };
};

const roundEveryMs = 7 * 86_400_000;
const leaseMs = 60 * 60_000;
const regularPace = { bytesPerSecond: 8 * 1_048_576 };

/** Checks once a week whether everything that is sealed can still be opened, in slices that stop nobody. */
export function createIntegrityCheck(deps: IntegrityCheckDependencies): IntegrityCheck {
  const { db, clock, integrity, audit } = deps;
  const seals = createSealChecks(deps);
  const { sliceMs, bytesPerSecond }: { sliceMs?: number; bytesPerSecond: number } = deps.pace ?? regularPace;

  async function goOn(round: Round, stop: AbortSignal | undefined): Promise<Round> {
    const untilMs =
      performance.now() + (sliceMs ?? sliceMsOf({ ...round, now: await clock.now(), roundMs: roundEveryMs }));
    const pace = paceOf(bytesPerSecond, stop);
    const next: Round = { ...round, leaseUntil: null };
    try {
      while (performance.now() < untilMs) {
        const found = await seals.checkNext(next.afterUserId ?? firstId, pace);
        add(next, found?.figures ?? (await seals.checkService()));
        if (found) next.afterUserId = found.userId;
        else return { ...next, finishedAt: await clock.now() };
      }
    } catch (error) {
      if (!stop?.aborted) {
        // What was done is done; with its lease it is nobody's turn for a while, in which the store may come back.
        await end({ ...next, leaseUntil: round.leaseUntil });
        throw error;
      }
    }
    return next;
  }

  async function end(round: Round): Promise<void> {
    await integrity.settled();
    await db.transaction(async (tx) => {
      await saveRound(tx, round);
      const { startedAt, finishedAt } = round;
      if (finishedAt) await conclude(tx, { startedAt, finishedAt, figures: round });
    });
  }

  type Whole = { startedAt: Date; finishedAt: Date; figures: CheckFigures };

  /** What a look at everything did not find broken any more is mended. */
  async function conclude(tx: Executor, { startedAt, finishedAt, figures }: Whole): Promise<void> {
    const mended = await forgetMended(tx, startedAt);
    const { values, files, broken } = figures;
    await audit.record(tx, {
      userId: null,
      action: 'integrity.checked',
      resource: 'installation',
      details: { values, files, broken, mended },
      at: finishedAt,
    });
  }

  return {
    async checkSome(stop) {
      const at = await clock.now();
      const leaseUntil = new Date(at.getTime() + leaseMs);
      const round = await claimRound(db, { at, leaseUntil, beginBefore: new Date(at.getTime() - roundEveryMs) });
      if (!round) return false;
      integrity.lookAnew();
      const after = await goOn(round, stop);
      await end(after);
      return after.finishedAt === null;
    },

    async checkAll() {
      const startedAt = await clock.now();
      integrity.lookAnew();
      const figures = await seals.checkService();
      const pace = paceOf(Number.POSITIVE_INFINITY);
      for (let after = firstId; ; ) {
        const found = await seals.checkNext(after, pace);
        if (!found) break;
        add(figures, found.figures);
        after = found.userId;
      }
      await integrity.settled();
      await db.transaction(async (tx) => conclude(tx, { startedAt, finishedAt: await clock.now(tx), figures }));
      return figures;
    },

    lastFinishedAt: async () => {
      const finishedAt = (await readRound(db))?.finishedAt;
      return finishedAt && finishedAt.getTime() > 0 ? finishedAt : null;
    },
  };
}
