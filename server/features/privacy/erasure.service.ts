import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Vouchers } from '#server/features/billing/vouchers.service.ts';
import type { Contacts } from '#server/features/contacts/contacts.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { DeletionLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { isDeletionDue, requestedUntilMs } from './deletion.rules.ts';
import { forgetAddress } from './erasure.repository.ts';

export type Erasures = {
  /** Carries out deletions whose days are over, at most `limit`. Gives how many; one that fails stops no other. */
  carryOutDue(limit?: number): Promise<number>;
  /**
   * Lets go again of everybody who is in the ledger and in the database all the same, because it was restored from a
   * backup. To be called before anybody is served. Gives how many there were.
   */
  applyLedger(): Promise<number>;
};

export type ErasureDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner' | 'closingAccounts' | 'accountsByHash' | 'eraseAccount'>;
  contacts: Pick<Contacts, 'lockTrustees' | 'dismissTrustees'>;
  releases: Pick<Releases, 'health'>;
  vouchers: Pick<Vouchers, 'personOf'>;
  audit: Pick<Audit, 'record' | 'pseudonymise'>;
  files: Pick<Files, 'sweep'>;
  ledger: DeletionLedger;
  log: {
    info(details: object, message: string): void;
    error(details: object, message: string): void;
  };
};

const batch = 100;
/** Hashes in one question to the database. */
const ledgerBatch = 1_000;

/**
 * Destroys what belonged to an account: the ledger first, which nothing takes back; then, in one transaction, the key
 * of the vault with every row; then the files, which nobody can read any more. A crash in between is made good by the
 * next start, since who is in the ledger goes.
 */
export function createErasures(deps: ErasureDependencies): Erasures {
  const { db, clock, accounts, contacts, releases, vouchers, audit, files, ledger, log } = deps;

  async function isDue(tx: Executor, owner: OwnerRow, at: Date): Promise<boolean> {
    const { deletionRequestedAt, deletionRequestedHealthyMs } = owner;
    if (!deletionRequestedAt) return false;
    const { healthyMs } = await releases.health(tx, at);
    const request = { atMs: deletionRequestedAt.getTime(), healthyMs: deletionRequestedHealthyMs ?? 0 };
    return isDeletionDue(request, { atMs: at.getTime(), healthyMs });
  }

  /** `why` is `due` for a request whose days are over, `ledger` for somebody a backup has brought back. */
  async function erase(userId: string, why: 'due' | 'ledger'): Promise<boolean> {
    return db.transaction(async (tx) => {
      await contacts.lockTrustees(tx, userId);
      const owner = await accounts.lockOwner(tx, userId);
      if (!owner) return false;
      const at = await clock.now(tx);
      if (why === 'due' && !(await isDue(tx, owner, at))) return false;

      if (why === 'due') await ledger.append(userId, at);
      const entry = { userId, action: 'account.erased', resource: 'account', resourceId: userId };
      await audit.record(tx, { ...entry, details: { because: why }, at });
      await audit.pseudonymise(tx, userId);
      await forgetAddress(tx, { userId, email: owner.email, voucherPerson: vouchers.personOf(owner.email) });
      await contacts.dismissTrustees(tx, userId);
      await accounts.eraseAccount(tx, owner);
      return true;
    });
  }

  async function eraseAll(userIds: readonly string[], why: 'due' | 'ledger'): Promise<number> {
    let erased = 0;
    for (const userId of userIds) {
      try {
        if (await erase(userId, why)) erased += 1;
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
    async carryOutDue(limit = batch) {
      const requestedUntil = new Date(requestedUntilMs((await clock.now()).getTime()));
      const erased = await eraseAll(await accounts.closingAccounts(db, requestedUntil, limit), 'due');
      if (erased > 0) await removeFiles();
      return erased;
    },

    async applyLedger() {
      const names = [...(await ledger.names())];
      let erased = 0;
      for (let from = 0; from < names.length; from += ledgerBatch) {
        const back = await accounts.accountsByHash(db, names.slice(from, from + ledgerBatch));
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
