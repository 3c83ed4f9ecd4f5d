import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { CheckinType } from '#server/schema/accounts.tables.ts';
import {
  storeActivity,
  storeHeardFromMailbox,
  storeMailboxProof,
  storeVerified,
  storeVouched,
} from './accounts.repository.ts';
import { changeCheckinEveryMs } from './accounts.rules.ts';

/** What counts as a sign of life. Reading does not, nor does opening a link. */
export type ActivityType = CheckinType;

export type Activity = {
  userId: string;
  type: ActivityType;
  at: Date;
  origin?: RequestOrigin;
  /** The owner said stop to what was asked for: who asked has to wait before they can ask again. */
  isStop?: boolean;
};

export type ActivityListener = (
  tx: Executor,
  activity: {
    userId: string;
    at: Date;
    type: ActivityType;
    isStop: boolean;
    /** The sign of life before this one. */
    heardAt: Date;
  },
) => Promise<void>;

/**
 * Asked before anything is written: whether this is a sign of life. @throws AppError where what it stands for must not be
 * done now.
 */
export type ActivityGate = (
  tx: Executor,
  activity: { userId: string; at: Date; type: ActivityType },
) => Promise<boolean>;

export type VerifiedListener = (tx: Executor, userId: string, at: Date) => Promise<void>;

export type ActivityLog = {
  recordActivity(tx: Executor, activity: Activity): Promise<void>;
  onActivity(listener: ActivityListener): void;
  /** What this gate says no to is written nowhere, and told to nobody. */
  countOnlyIf(gate: ActivityGate): void;
  /** Marks the address as verified and tells those who waited for it, in the same transaction. */
  markVerified(tx: Executor, userId: string, at: Date): Promise<void>;
  /** Something that was mailed to the address came back: the mailbox itself has answered. Nobody is told anew. */
  hearFromMailbox(tx: Executor, userId: string, at: Date): Promise<void>;
  /**
   * The same by an operator's word. It opens what a verified address opens, and says nothing of who reads its mail: what is
   * in the account is still nobody's, until the mailbox itself has answered.
   */
  vouch(tx: Executor, userId: string, at: Date): Promise<void>;
  onVerified(listener: VerifiedListener): void;
  /**
   * Notes that the person who signs in to this account reads its mailbox; the address is verified, or is next. Those who waited for it are
   * told the first time, in the same transaction. The account's row is locked. Gives whether it was the first time.
   */
  proveMailbox(tx: Executor, userId: string, at: Date): Promise<boolean>;
  onMailboxProven(listener: VerifiedListener): void;
};

/** Signs of life and the moment an address is verified, and who is told of them. */
export function createActivityLog(): ActivityLog {
  const gates: ActivityGate[] = [];
  const activityListeners: ActivityListener[] = [];
  const verifiedListeners: VerifiedListener[] = [];
  const provenListeners: VerifiedListener[] = [];

  return {
    async recordActivity(tx, { userId, type, at, origin, isStop = false }) {
      for (const counts of gates) if (!(await counts(tx, { userId, at, type }))) return;
      const { ipAddress = null, userAgent = null } = origin ?? {};
      const heardAt = await storeActivity(
        tx,
        { userId, type, at, ipAddress, userAgent },
        type === 'change' ? changeCheckinEveryMs : 0,
      );
      // The link was in a mail to the address, and nobody but its reader has it.
      if (type === 'email') await storeHeardFromMailbox(tx, userId, at);
      for (const listener of activityListeners) await listener(tx, { userId, at, type, isStop, heardAt });
    },
    onActivity(listener) {
      activityListeners.push(listener);
    },
    countOnlyIf(gate) {
      gates.push(gate);
    },
    async markVerified(tx, userId, at) {
      await storeVerified(tx, userId, at);
      for (const listener of verifiedListeners) await listener(tx, userId, at);
    },
    hearFromMailbox: storeHeardFromMailbox,
    async vouch(tx, userId, at) {
      await storeVouched(tx, userId, at);
      for (const listener of verifiedListeners) await listener(tx, userId, at);
    },
    onVerified(listener) {
      verifiedListeners.push(listener);
    },
    async proveMailbox(tx, userId, at) {
      const isFirst = await storeMailboxProof(tx, userId, at);
      if (isFirst) for (const listener of provenListeners) await listener(tx, userId, at);
      return isFirst;
    },
    onMailboxProven(listener) {
      provenListeners.push(listener);
    },
  };
}
