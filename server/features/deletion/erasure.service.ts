import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { SubscriptionOffboarding } from '#server/features/billing/subscription-offboarding.service.ts';
import type { Contacts } from '#server/features/contacts/contacts.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import type { Closings } from '#server/features/registration/closing.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import type { Vouchers } from '#server/features/vouchers/vouchers.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { DeletionLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { isDeletionDue, requestedUntilMs } from './deletion.rules.ts';
import { forgetAddress, forgetAllButLetters, hasLettersLeft } from './erasure.repository.ts';

export type Erasures = {
  /** Carries out deletions whose days are over. Gives how many; one that fails or has to wait stops no other. */
  carryOutDue(): Promise<number>;
  /**
   * Lets go again of everybody who is in the ledger and in the database all the same, because it was restored from a
   * backup. To be called before anybody is served. Gives how many there were.
   */
  applyLedger(): Promise<number>;
  /**
   * Destroys an account at once, with every row of it, and notes it in the ledger. In the caller's transaction, in which
   * `lockTrustees` and then the owner's row were the first locks. Its files go with `removeFiles`.
   */
  destroy(tx: Executor, owner: OwnerRow, destruction: Destruction): Promise<void>;
  /** Removes the files of accounts that are gone; where the store does not answer, the next housekeeping does. */
  removeFiles(): Promise<void>;
};

export type Destruction = {
  because: 'due' | 'ledger' | 'unverified' | 'not-me';
  at: Date;
  /** Where the wish came from; left out for what the service does by itself. */
  origin?: RequestOrigin;
};

export type ErasureDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner'>;
  closings: Pick<Closings, 'closingAccounts' | 'accountsByHash' | 'eraseAccount'>;
  contacts: Pick<Contacts, 'lockTrustees' | 'dismissTrustees' | 'tellOfMistake'>;
  releases: Pick<Releases, 'health'>;
  vouchers: Pick<Vouchers, 'personOf'>;
  offboarding: SubscriptionOffboarding;
  audit: Pick<Audit, 'record' | 'pseudonymise'>;
  files: Pick<Files, 'sweep'>;
  ledger: DeletionLedger;
  log: {
    info(details: object, message: string): void;
    error(details: object, message: string): void;
  };
};

/** What became of one; with the subscriptions that are still charged where that is why the account stays. */
type Outcome = 'erased' | 'left' | { owner: OwnerRow; subscriptions: string[] };

const batch = 100;
/** Hashes in one question to the database. */
const ledgerBatch = 1_000;

/**
 * Destroys what belonged to an account: the ledger first, which nothing takes back; then, in one transaction, the key
 * of the vault with every row; then the files, which nobody can read any more. A crash in between is made good by the
 * next start, since who is in the ledger goes.
 */
export function createErasures(deps: ErasureDependencies): Erasures {
  const { db, clock, accounts, closings, contacts, releases, vouchers, offboarding, audit, files, ledger, log } = deps;

  async function isDue(tx: Executor, owner: OwnerRow, at: Date): Promise<boolean> {
    const { deletionRequestedAt, deletionRequestedHealthyMs } = owner;
    if (!deletionRequestedAt) return false;
    const { healthyMs } = await releases.health(tx, at);
    const request = { atMs: deletionRequestedAt.getTime(), healthyMs: deletionRequestedHealthyMs ?? 0 };
    return isDeletionDue(request, { atMs: at.getTime(), healthyMs });
  }

  async function destroy(tx: Executor, owner: OwnerRow, { because, at, origin }: Destruction): Promise<void> {
    const userId = owner.id;
    if (because !== 'ledger') await ledger.append(userId, at);
    const entry = { userId, action: 'account.erased', resource: 'account', resourceId: userId };
    await audit.record(tx, { ...entry, details: { because }, origin, at });
    await audit.pseudonymise(tx, userId);
    await forgetAddress(tx, { userId, email: owner.email, voucherPerson: vouchers.personOf(owner.email) });
    await contacts.dismissTrustees(tx, userId);
    await closings.eraseAccount(tx, owner);
  }

  /** `why` is `due` for a request whose days are over, `ledger` for somebody a backup has brought back. */
  async function erase(userId: string, why: 'due' | 'ledger'): Promise<Outcome> {
    return db.transaction(async (tx) => {
      await contacts.lockTrustees(tx, userId);
      const owner = await accounts.lockOwner(tx, userId);
      if (!owner) return 'left';
      const at = await clock.now(tx);
      if (why === 'due') {
        if (!(await isDue(tx, owner, at))) return 'left';
        if (await hasLettersLeft(tx, userId, at)) {
          await contacts.dismissTrustees(tx, userId);
          await forgetAllButLetters(tx, userId, at);
          return 'left';
        }
        const subscriptions = await offboarding.charged(tx, owner);
        if (subscriptions.length > 0) return { owner, subscriptions };
        if (owner.isDisowned) await contacts.tellOfMistake(tx, owner, at);
      }
      await destroy(tx, owner, { because: why, at });
      return 'erased';
    });
  }

  /** Nobody is charged for an account that is gone: where the weeks did not suffice to end it, it is tried once more now. */
  async function eraseDue(userId: string): Promise<Outcome> {
    const outcome = await erase(userId, 'due');
    if (typeof outcome === 'string') return outcome;
    await offboarding.endCharged(outcome.owner);
    return erase(userId, 'due');
  }

  async function eraseAll(userIds: readonly string[], why: 'due' | 'ledger'): Promise<number> {
    let erased = 0;
    for (const userId of userIds) {
      try {
        const outcome = why === 'due' ? await eraseDue(userId) : await erase(userId, why);
        if (outcome === 'erased') erased += 1;
        if (typeof outcome === 'string') continue;
        const { subscriptions } = outcome;
        log.error({ owner: userId, subscriptions }, 'An account that is due stays until its provider charges no more.');
      } catch (error) {
        if (why === 'ledger') throw error;
        // What an error quotes may be somebody's; of those the log has the kind only.
        const failure = error instanceof Error ? error.name : 'unknown';
        log.error({ owner: userId, failure }, 'An account that is due could not be erased. It is tried again.');
      }
    }
    return erased;
  }

  /** Nobody can read them any more; where the store does not answer now, the next housekeeping removes them. */
  async function removeFiles(): Promise<void> {
    try {
      while ((await files.sweep()) > 0);
    } catch (error) {
      log.error({ failure: error instanceof Error ? error.name : 'unknown' }, 'Files of erased accounts are left.');
    }
  }

  return {
    destroy,
    removeFiles,

    async carryOutDue() {
      const requestedUntil = new Date(requestedUntilMs((await clock.now()).getTime()));
      const seen = new Set<string>();
      let erased = 0;
      for (;;) {
        // Whoever was seen and is still there has to wait, and stands before the others.
        const closing = await closings.closingAccounts(db, requestedUntil, seen.size - erased + batch);
        const next = closing.filter((id) => !seen.has(id));
        if (next.length === 0) break;
        for (const id of next) seen.add(id);
        erased += await eraseAll(next, 'due');
      }
      if (erased > 0) await removeFiles();
      return erased;
    },

    async applyLedger() {
      const names = [...(await ledger.names())];
      let erased = 0;
      for (let from = 0; from < names.length; from += ledgerBatch) {
        const back = await closings.accountsByHash(db, names.slice(from, from + ledgerBatch));
        erased += await eraseAll(back, 'ledger');
      }
      if (erased > 0) {
        log.info({ accounts: erased }, 'Accounts that were deleted before the backup was restored are gone again.');
        await removeFiles();
      }
      return erased;
    },
  };
}
