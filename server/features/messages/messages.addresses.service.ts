import type { Accounts, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { unlessBroken, type Vaults } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import type { OwnersCall } from './messages.change.ts';
import {
  confirmRecipients,
  hasRecipientSince,
  listUndeliveredByIds,
  listUndeliveredRecipients,
} from './recipients.repository.ts';
import { openRecipient } from './recipients.sealing.ts';

/** An address is asked about once it has stood for so long. */
export const addressAskedAfterDays = 365;

export type OldAddress = { email: string; name: string | null; since: Date };

export type Addresses = {
  /** Addresses of what is not delivered that were neither written nor confirmed within a year, the oldest first. */
  oldAddresses(principal: Principal): Promise<OldAddress[]>;
  /** Whether an owner has any of them. */
  hasOldAddress(executor: Executor, userId: string, at: Date): Promise<boolean>;
  /** Opens recipients of undelivered messages by their ids, in that order. Ids that are gone or damaged are left out. */
  readersOf(
    executor: Executor,
    userId: string,
    ids: readonly string[],
  ): Promise<{ name: string | null; email: string }[]>;
  /** The owner says that it is still right, wherever it stands. @throws AppError `NOT_FOUND` where it stands nowhere. */
  confirmAddress(call: OwnersCall, email: string): Promise<void>;
};

export type AddressesDependencies = {
  db: Database;
  clock: Clock;
  vaults: Pick<Vaults, 'open'>;
  accounts: Pick<Accounts, 'lockOwner' | 'recordActivity' | 'openVault'>;
  audit: Pick<Audit, 'record'>;
};

/** Whether the addresses of letters are still right: years lie between writing and sending. */
export function createAddresses({ db, clock, vaults, accounts, audit }: AddressesDependencies): Addresses {
  async function addressesOf(executor: Executor, { userId, vaultKey }: Pick<Principal, 'userId' | 'vaultKey'>) {
    const vault = vaults.open(userId, vaultKey);
    const rows = await listUndeliveredRecipients(executor, userId);
    return rows.flatMap((row) => {
      const opened = unlessBroken(() => openRecipient(vault, row));
      return opened ? [{ id: row.id, email: opened.email, name: opened.name, since: row.addressSince }] : [];
    });
  }

  return {
    async oldAddresses(principal) {
      const before = askedBefore(await clock.now());
      const old = (await addressesOf(db, principal)).filter(({ since }) => since < before);
      const byAddress = new Map<string, OldAddress>();
      for (const { email, name, since } of old.toSorted((a, b) => a.since.getTime() - b.since.getTime())) {
        const known = byAddress.get(email);
        byAddress.set(email, { email, name: known?.name ?? name, since: known?.since ?? since });
      }
      return [...byAddress.values()];
    },

    hasOldAddress: (executor, userId, at) => hasRecipientSince(executor, { userId, before: askedBefore(at) }),

    async readersOf(executor, userId, ids) {
      const vault = await accounts.openVault(executor, userId);
      const rows = new Map((await listUndeliveredByIds(executor, userId, ids)).map((row) => [row.id, row]));
      return ids.flatMap((id) => {
        const row = rows.get(id);
        const opened = row && unlessBroken(() => openRecipient(vault, row));
        return opened ? [{ name: opened.name, email: opened.email }] : [];
      });
    },

    confirmAddress: ({ principal, origin }, email) =>
      db.transaction(async (tx) => {
        const { userId } = principal;
        if (!(await accounts.lockOwner(tx, userId))) throw notFound();
        const at = await clock.now(tx);
        const ids = (await addressesOf(tx, principal)).filter((each) => each.email === email).map(({ id }) => id);
        if (ids.length === 0) throw notFound();
        await accounts.recordActivity(tx, { userId, type: 'change', at, origin });
        await confirmRecipients(tx, ids, at);
        await audit.record(tx, { userId, action: 'message.address_confirm', resource: 'message', origin, at });
      }),
  };
}

function askedBefore(at: Date): Date {
  return new Date(at.getTime() - addressAskedAfterDays * dayMs);
}
