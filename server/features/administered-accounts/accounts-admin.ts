import type { App } from '#server/app.ts';
import { findOwnerByEmail, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { isDesignatedAccount } from '#server/features/accounts/accounts.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { vouchFor } from './account-changes.ts';
import { type AccountRow, listAccounts } from './accounts-admin.repository.ts';

export type ListedAccount = Omit<AccountRow, 'mailboxProvenAt'>;

const accountsPerPage = 500;

/** Every account, oldest first. Reads a page at a time. */
export async function* listAllAccounts(app: App): AsyncIterable<ListedAccount> {
  let after: AccountRow | undefined;
  for (;;) {
    const page = await listAccounts(app.db, { after, limit: accountsPerPage });
    for (const { mailboxProvenAt, ...account } of page) {
      const isAdministrator = isDesignatedAccount(app, { ...account, mailboxProvenAt });
      yield isAdministrator ? { ...account, role: 'admin' } : account;
    }
    after = page.at(-1);
    if (page.length < accountsPerPage) return;
  }
}

/** Verifies an address on the word of the operator, and emails its mailbox. Expects it trimmed and in lower case. */
export function verifyByOperator(app: App, email: string): Promise<'verified' | 'was-verified' | 'unknown'> {
  return app.db.transaction(async (tx) => {
    const found = await findOwnerByEmail(tx, email);
    const owner = found && (await lockOwnerRow(tx, found.id));
    if (!owner) return 'unknown';
    if (owner.emailVerified) return 'was-verified';

    const at = await app.clock.now(tx);
    await vouchFor(app, tx, owner, at);
    await recordAudit(app, tx, {
      userId: owner.id,
      action: 'account.verified-by-operator',
      resource: 'account',
      resourceId: owner.id,
      at,
    });
    return 'verified';
  });
}
