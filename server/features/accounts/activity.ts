import { type App, perApp } from '#server/app.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { CheckinType } from '#server/schema/accounts.tables.ts';
import {
  storeActivity,
  storeFirstVerified,
  storeMailboxProof,
  storeVerified,
  storeVouched,
} from './accounts.repository.ts';
import { changeCheckinEveryMs } from './accounts.rules.ts';

/** Kind of a sign of life. Reading or opening a link is none. */
export type ActivityType = CheckinType;

export type Activity = {
  userId: string;
  type: ActivityType;
  at: Date;
  origin?: RequestOrigin;
  /** True if the owner stopped a release. The contact who asked for it then has to wait before the next request. */
  isStop?: boolean;
};

export type ActivityListener = (
  tx: Executor,
  activity: {
    userId: string;
    at: Date;
    type: ActivityType;
    isStop: boolean;
    /** Time of the sign of life before this one. */
    heardAt: Date;
    /** True if the gates found nothing that a sign of life would end. */
    isQuiet: boolean;
  },
) => Promise<void>;

/** `quiet`: it is a sign of life, and there is nothing that it would end. `none`: it is no sign of life. */
export type Counts = 'none' | 'quiet' | 'counts';

/**
 * Called before anything is stored, under the owner's lock.
 * @throws AppError if the owner may not do this now.
 */
export type ActivityGate = (
  tx: Executor,
  activity: { userId: string; at: Date; type: ActivityType },
) => Promise<Counts>;

export type VerifiedListener = (tx: Executor, userId: string, at: Date) => Promise<void>;

/** Functions of other features that run in the transaction of an activity, in the order in which they were added. */
export const activityReactionsOf = perApp(() => ({
  gates: [] as ActivityGate[],
  activity: [] as ActivityListener[],
  verified: [] as VerifiedListener[],
  mailboxProven: [] as VerifiedListener[],
}));

/** Stores a sign of life and calls the listeners. If a gate answers `none`, it stores nothing and calls no listener. */
export async function recordActivity(app: App, tx: Executor, activity: Activity): Promise<void> {
  const { userId, type, at, origin, isStop = false } = activity;
  const reactions = activityReactionsOf(app);
  let isQuiet = reactions.gates.length > 0;
  for (const gate of reactions.gates) {
    const counts = await gate(tx, { userId, at, type });
    if (counts === 'none') return;
    isQuiet &&= counts === 'quiet';
  }
  const { ipAddress = null, userAgent = null } = origin ?? {};
  const checkin = { userId, type, at, ipAddress, userAgent };
  const heardAt = await storeActivity(tx, checkin, type === 'change' ? changeCheckinEveryMs : 0);
  // The link was in a mail to the address, so only its reader has it.
  if (type === 'email') await storeFirstVerified(tx, userId, at);
  for (const listener of reactions.activity) await listener(tx, { userId, at, type, isStop, heardAt, isQuiet });
}

/** Marks the address as verified and calls the listeners, in the caller's transaction. */
export async function markVerified(app: App, tx: Executor, userId: string, at: Date): Promise<void> {
  await storeVerified(tx, userId, at);
  for (const listener of activityReactionsOf(app).verified) await listener(tx, userId, at);
}

/**
 * Marks the address as verified on an operator's word. It allows the same as `markVerified`, except that the account's
 * content stays closed until the mailbox itself answers.
 */
export async function vouchForAddress(app: App, tx: Executor, userId: string, at: Date): Promise<void> {
  await storeVouched(tx, userId, at);
  for (const listener of activityReactionsOf(app).verified) await listener(tx, userId, at);
}

/**
 * Notes that the person who signs in to this account reads its mailbox. The address is verified, or is next. Calls the
 * listeners the first time. Returns true if this was the first time. The account's row is locked.
 */
export async function proveMailbox(app: App, tx: Executor, userId: string, at: Date): Promise<boolean> {
  const isFirst = await storeMailboxProof(tx, userId, at);
  if (isFirst) for (const listener of activityReactionsOf(app).mailboxProven) await listener(tx, userId, at);
  return isFirst;
}
