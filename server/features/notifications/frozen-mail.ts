import { type App, perApp } from '#server/app.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { wakeTask } from '#server/platform/db/wakes.ts';
import { makeDueAgain, putFrozenOnHold, takeOffHold } from './frozen-mail.repository.ts';

/**
 * Makes frozen messages due from now on, of one owner or of all (`null`). The frozen time counts neither against
 * their patience nor against the mail server. Belongs to the transaction that ends the freeze.
 */
export async function unfreezeMail(tx: Executor, of: { userId: string | null; at: Date }): Promise<void> {
  await makeDueAgain(tx, of);
  await wakeTask(tx, 'outbox');
}

const lookAgainMs = 60_000;
const rowsPerLook = 1_000;
const lastLookOf = perApp(() => ({ atMs: Number.NEGATIVE_INFINITY }));

/**
 * Keeps frozen messages out of the queue, so that their number does not slow a claim. Runs once a minute of the
 * service's time and per process. Until then claims skip frozen messages one by one.
 */
export async function sweepFrozenMail(app: App, now: Date): Promise<void> {
  const last = lastLookOf(app);
  if (Math.abs(now.getTime() - last.atMs) < lookAgainMs) return;
  await updateHolds(app.db, now);
  last.atMs = now.getTime();
}

/** Puts unfrozen messages back into the queue, and takes frozen ones out of it. */
export async function updateHolds(db: Database, at: Date): Promise<void> {
  const of = { at, limit: rowsPerLook };
  while ((await takeOffHold(db, of)) === rowsPerLook);
  while ((await putFrozenOnHold(db, of)) === rowsPerLook);
}
