import { randomUUIDv7 } from 'node:crypto';
import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { refusalOf } from '#shared/contract/errors.ts';
import { mailboxOf } from '#shared/rules/addresses/mailboxes.ts';
import { insertContacts, listContactsOfOwner } from './contacts.repository.ts';
import { requireRoomForContact } from './contacts.rules.ts';
import { sealContact } from './contacts.sealing.ts';

/** A contact who comes from elsewhere. */
export type ImportedContact = {
  name: string;
  email: string;
  phone: string | null;
  relationship: string | null;
  createdAt: Date;
};

export type ContactImports = {
  /**
   * Adds those whose address is neither known nor the owner's own, as long as there is room. They come in switched off
   * and unconfirmed: whoever is switched on gets an invitation, and nobody else hears of it. Under the owner's lock.
   */
  insertImported(
    tx: Executor,
    import_: { owner: OwnerRow; vault: Vault; at: Date },
    given: readonly ImportedContact[],
  ): Promise<{ added: number; stay: { title: string; reason: string }[] }>;
};

export function createContactImports(): ContactImports {
  return {
    async insertImported(tx, { owner, vault, at }, given) {
      const known = await listContactsOfOwner(tx, owner.id);
      const taken = new Set([owner, ...known].map(({ email }) => mailboxOf(email)));
      const added: ImportedContact[] = [];
      const stay: { title: string; reason: string }[] = [];
      for (const contact of given) {
        const mailbox = mailboxOf(contact.email);
        if (taken.has(mailbox)) continue;
        taken.add(mailbox);
        const reason = refusalOf(() => requireRoomForContact(known.length + added.length, owner));
        if (reason === null) added.push(contact);
        else stay.push({ title: contact.name, reason });
      }
      await insertContacts(
        tx,
        added.map(({ email, createdAt, ...words }) => {
          const id = randomUUIDv7();
          const sealed = sealContact(vault, id, words);
          return { ...sealed, id, userId: owner.id, email, isActive: false, createdAt, updatedAt: at };
        }),
      );
      return { added: added.length, stay };
    },
  };
}
