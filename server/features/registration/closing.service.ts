import type { KnownDevices } from '#server/features/sessions/known-devices.ts';
import type { Sessions } from '#server/features/sessions/sessions.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import {
  deleteAccountRow,
  listByHashedId,
  listClosing,
  storeDeletionRequest,
  storeDisowned,
} from './closing.repository.ts';
import { deleteNotMeLinksOf } from './not-me-links.repository.ts';

/** The rows of an account that is to go. What it means for a release, a file or the audit log is for others to see to. */
export type Closings = {
  /** Marks the account and signs its owner out everywhere. `healthyMs` is the healthy time at that moment. */
  markClosing(tx: Executor, userId: string, request: { at: Date; healthyMs: number }): Promise<void>;
  unmarkClosing(tx: Executor, userId: string): Promise<void>;
  /**
   * Somebody in the mailbox said that a closing account is not theirs: every proof and every mailed link of it is void, and
   * only a new proof of the mailbox opens the way back. The account's row is locked.
   */
  disown(tx: Executor, userId: string): Promise<void>;
  /** Ids of accounts whose deletion was requested until then, the oldest request first. */
  closingAccounts(executor: Executor, requestedUntil: Date, limit: number): Promise<string[]>;
  /** Ids of accounts whose id has one of these SHA-256 hashes. */
  accountsByHash(executor: Executor, hashes: readonly string[]): Promise<string[]>;
  /** Destroys the key of the vault, and every row of the owner. The caller holds their lock. */
  eraseAccount(tx: Executor, owner: { id: string; email: string }): Promise<void>;
};

type Dependencies = { sessions: Pick<Sessions, 'endAll'>; devices: Pick<KnownDevices, 'throttlingKeyOf'> };

export function createClosings({ sessions, devices }: Dependencies): Closings {
  return {
    async markClosing(tx, userId, request) {
      await storeDeletionRequest(tx, userId, request);
      await sessions.endAll(tx, userId);
    },
    async disown(tx, userId) {
      await storeDisowned(tx, userId);
      await deleteNotMeLinksOf(tx, userId);
      await sessions.endAll(tx, userId);
    },
    unmarkClosing: (tx, userId) => storeDeletionRequest(tx, userId, null),
    closingAccounts: listClosing,
    accountsByHash: listByHashedId,
    eraseAccount: (tx, { id, email }) => deleteAccountRow(tx, id, devices.throttlingKeyOf(email)),
  };
}
