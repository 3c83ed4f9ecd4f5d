import { randomUUID } from 'node:crypto';
import { lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import { forgetDevices } from '#server/features/accounts/credentials.repository.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { KnownDevices } from '#server/features/sessions/known-devices.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { DeletionLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { deleteAccountRow } from './closing.repository.ts';
import { copyPlan, setAddressAside } from './hand-over.repository.ts';

/** What was bought with the account that goes belongs to the one that takes its place. Gives whether anything was. */
export type HandOverListener = (
  tx: Executor,
  accounts: { from: string; to: string; email: string },
) => Promise<boolean>;

/** `names` are what a provider vouches for; none for a link that came by mail. */
type HandOver = { names: Names; origin: RequestOrigin; at: Date };
type Names = Pick<OwnerRow, 'firstName' | 'lastName'>;

export const noNames: Names = { firstName: null, lastName: null };

export type HandOvers = {
  /**
   * Gives the address to a new account with an empty vault, and removes the one that had it with every row: contacts,
   * letters, settings, factors, sessions, mail that waits. The new one has the names that its person brings, if any: those
   * of before were typed by the person who opened it. The account's row is locked, and so is the new one.
   */
  handOver(tx: Executor, owner: OwnerRow, act: HandOver): Promise<OwnerRow>;
  /** `listener` runs while both accounts are there, in the same transaction. */
  onHandOver(listener: HandOverListener): void;
};

/**
 * Whether nobody has proved this mailbox yet. What is in the account may then come from anybody who knew the
 * address, and must not go to its real reader: neither a contact who could release their letters, nor a passkey that signs in. That an
 * operator took the address for verified changes nothing: they do not read that mailbox.
 */
export function wasNeverProven(owner: Pick<OwnerRow, 'firstVerifiedAt' | 'mailboxProvenAt'>): boolean {
  return owner.firstVerifiedAt === null && owner.mailboxProvenAt === null;
}

type Dependencies = {
  accounts: Pick<Accounts, 'openAccount'>;
  audit: Audit;
  devices: KnownDevices;
  ledger: Pick<DeletionLedger, 'append'>;
};

/** Rows go by their foreign keys, so that a table that is new tomorrow is emptied too. */
export function createHandOvers({ accounts, audit, devices, ledger }: Dependencies): HandOvers {
  const listeners: HandOverListener[] = [];

  return {
    onHandOver: (listener) => void listeners.push(listener),

    async handOver(tx, owner, { names, origin, at }) {
      const { id: from, email } = owner;
      const to = randomUUID();
      await setAddressAside(tx, from);
      await accounts.openAccount(tx, {
        id: to,
        email,
        passwordHash: null,
        ...names,
        intendedPlan: null,
        at,
      });
      // A device is known by the address, which stays.
      await forgetDevices(tx, to, at);
      await copyPlan(tx, { from, to });
      let isBought = false;
      for (const listener of listeners) isBought = (await listener(tx, { from, to, email })) || isBought;

      const entry = { action: 'account.handed_over', resource: 'account', origin, at };
      await audit.record(tx, { ...entry, userId: from, resourceId: from });
      await audit.pseudonymise(tx, from);
      // A backup from before must not bring the old one back; unless what was bought came back with it, which a provider
      // goes on charging for, and which nobody could end once it is erased. Its mailbox empties that one again.
      if (!isBought) await ledger.append(from, at);
      await deleteAccountRow(tx, from, devices.throttlingKeyOf(email));
      await audit.record(tx, { ...entry, userId: to, resourceId: to });
      const fresh = await lockOwnerRow(tx, to);
      if (!fresh) throw new Error('An account was written and not given back.');
      return fresh;
    },
  };
}
