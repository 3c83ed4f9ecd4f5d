import { randomUUID } from 'node:crypto';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Vaults } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { insertAccount, insertVaultKey, lockOwnerRow, type OwnerRow } from './accounts.repository.ts';
import { deleteAccountRow } from './closing.repository.ts';
import { forgetDevices } from './credentials.repository.ts';
import { copyPlan, setAddressAside } from './hand-over.repository.ts';
import type { KnownDevices } from './known-devices.ts';

/** What was bought with the account that goes belongs to the one that takes its place. */
export type HandOverListener = (tx: Executor, accounts: { from: string; to: string }) => Promise<void>;

export type HandOvers = {
  /**
   * Gives the address to a new account with an empty vault, and removes the one that had it with every row: contacts,
   * letters, settings, factors, sessions, mail that waits. The account's row is locked, and so is the new one.
   */
  handOver(tx: Executor, owner: OwnerRow, act: { origin: RequestOrigin; at: Date }): Promise<OwnerRow>;
  /** `listener` runs while both accounts are there, in the same transaction. */
  onHandOver(listener: HandOverListener): void;
};

/**
 * Whether whoever proves the mailbox now is the first to do so. What is in the account may then be anybody's who knew the
 * address, and must not be theirs: neither a contact who could release their letters, nor a passkey that signs in.
 */
export function wasNeverProven(
  owner: Pick<OwnerRow, 'emailVerified' | 'firstVerifiedAt' | 'mailboxProvenAt'>,
): boolean {
  return !owner.emailVerified && owner.firstVerifiedAt === null && owner.mailboxProvenAt === null;
}

type Dependencies = { audit: Audit; vaults: Vaults; devices: KnownDevices };

/** Rows go by their foreign keys, so that a table that is new tomorrow is emptied too. */
export function createHandOvers({ audit, vaults, devices }: Dependencies): HandOvers {
  const listeners: HandOverListener[] = [];

  return {
    onHandOver: (listener) => void listeners.push(listener),

    async handOver(tx, owner, { origin, at }) {
      const { id: from, email, firstName, lastName } = owner;
      const to = randomUUID();
      await setAddressAside(tx, from);
      await insertAccount(tx, {
        id: to,
        email,
        passwordHash: null,
        firstName,
        lastName,
        intendedPlan: null,
        verificationTokenHash: null,
        verificationExpiresAt: null,
        at,
      });
      await insertVaultKey(tx, { userId: to, ...vaults.create(to), at });
      // A device is known by the address, which stays.
      await forgetDevices(tx, to, at);
      await copyPlan(tx, { from, to });
      for (const listener of listeners) await listener(tx, { from, to });

      const entry = { action: 'account.handed_over', resource: 'account', origin, at };
      await audit.record(tx, { ...entry, userId: from, resourceId: from });
      await audit.pseudonymise(tx, from);
      await deleteAccountRow(tx, from, devices.triesKeyOf(email));
      await audit.record(tx, { ...entry, userId: to, resourceId: to });
      const fresh = await lockOwnerRow(tx, to);
      if (!fresh) throw new Error('An account was written and not given back.');
      return fresh;
    },
  };
}
