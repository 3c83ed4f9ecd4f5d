import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { AccountChanges } from './account-changes.service.ts';
import { type AccountRow, listAccounts } from './accounts-admin.repository.ts';

export type ListedAccount = Omit<AccountRow, 'mailboxProvenAt'>;

/** What an operator may do to accounts from the command line. Nothing here reads or opens a vault. */
export type AccountsAdmin = {
  /** Every account, oldest first, a page at a time. */
  list(): AsyncIterable<ListedAccount>;
  /** Takes an address for verified by the operator's word, and asks its mailbox too. Expects it trimmed and in lower case. */
  verify(email: string): Promise<'verified' | 'was-verified' | 'unknown'>;
};

type AccountsAdminDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'isDesignated' | 'lockOwner' | 'ownerByEmail'>;
  accountChanges: Pick<AccountChanges, 'vouchFor'>;
  audit: Pick<Audit, 'record'>;
};

const accountsPerPage = 500;

export function createAccountsAdmin({
  db,
  clock,
  accounts,
  accountChanges,
  audit,
}: AccountsAdminDependencies): AccountsAdmin {
  return {
    async *list() {
      let after: AccountRow | undefined;
      for (;;) {
        const page = await listAccounts(db, { after, limit: accountsPerPage });
        for (const { mailboxProvenAt, ...account } of page) {
          const isAdministrator = accounts.isDesignated({ ...account, mailboxProvenAt });
          yield isAdministrator ? { ...account, role: 'admin' } : account;
        }
        after = page.at(-1);
        if (page.length < accountsPerPage) return;
      }
    },

    verify(email) {
      return db.transaction(async (tx) => {
        const found = await accounts.ownerByEmail(tx, email);
        const owner = found && (await accounts.lockOwner(tx, found.id));
        if (!owner) return 'unknown';
        if (owner.emailVerified) return 'was-verified';

        const at = await clock.now(tx);
        await accountChanges.vouchFor(tx, owner, at);
        await audit.record(tx, {
          userId: owner.id,
          action: 'account.verified-by-operator',
          resource: 'account',
          resourceId: owner.id,
          at,
        });
        return 'verified';
      });
    },
  };
}
