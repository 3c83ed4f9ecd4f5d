import type { Database, Executor } from '#server/platform/db/database.ts';
import { makeDueAnew, putHeldOnHold, takeOffHold } from './held-notifications.repository.ts';

export type Hold = {
  /**
   * Messages of these kinds stay while everything is frozen, or the owner whom they are about. Whether that is so is
   * decided at the very moment in which each would leave.
   */
  holdWhileFrozen(kinds: readonly string[]): void;
  /**
   * Makes frozen messages due from now on, of one owner or of all (`null`). The frozen time counts neither against
   * their patience nor against the mail server. Belongs to the transaction that ends the freeze.
   */
  letGo(tx: Executor, of: { userId: string | null; at: Date }): Promise<void>;
};

/**
 * Messages that stay unsent during a freeze. `held` grows when features name their kinds; `wake` makes the worker check
 * again.
 */
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
 * Keeps frozen messages out of the queue, so that their number does not slow a claim. Runs once a minute of the
 * service's time and per process. Until then claims skip frozen messages one by one.
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
