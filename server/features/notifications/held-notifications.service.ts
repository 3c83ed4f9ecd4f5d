import type { Database, Executor } from '#server/platform/db/database.ts';
import { makeDueAnew, putHeldOnHold, takeOffHold } from './held-notifications.repository.ts';

export type Hold = {
  /**
   * Messages of these kinds stay while everything is frozen, or the owner whom they are about. Whether that is so is
   * decided at the very moment in which each would leave.
   */
  holdWhileFrozen(kinds: readonly string[]): void;
  /**
   * What was held, of one owner or of all (`null`), is due from now on: neither its patience nor what is known of the mail
   * server suffers from the time in which it was not tried. Belongs to the transaction that ends the freeze.
   */
  letGo(tx: Executor, of: { userId: string | null; at: Date }): Promise<void>;
};

/** What stays while it is frozen. `held` grows as features name their kinds; `wake` has the worker look again. */
export function createHeldNotifications(wake: (tx: Executor) => Promise<void>): Hold & { held: readonly string[] } {
  const held: string[] = [];
  return {
    held,
    holdWhileFrozen(kinds) {
      held.push(...kinds);
    },
    async letGo(tx, { userId, at }) {
      await makeDueAnew(tx, { kinds: held, userId, at });
      await wake(tx);
    },
  };
}

const lookAgainMs = 60_000;
const rowsPerLook = 1_000;

/**
 * Keeps what is held out of the line, so that however many wait, a claim of what may leave costs no more. Once a minute of
 * the service's time and process: until then claims pass held ones by, one by one.
 */
export function createHoldSweep({ db, held }: { db: Database; held: readonly string[] }) {
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return async (now: Date): Promise<void> => {
    if (Math.abs(now.getTime() - lookedAtMs) < lookAgainMs) return;
    const of = { kinds: held, at: now, limit: rowsPerLook };
    while ((await takeOffHold(db, of)) === rowsPerLook);
    while ((await putHeldOnHold(db, of)) === rowsPerLook);
    lookedAtMs = now.getTime();
  };
}
