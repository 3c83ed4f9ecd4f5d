import { randomUUIDv7 } from 'node:crypto';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { refusalOf } from '#shared/contract/errors.ts';
import { mailboxOf } from '#shared/rules/addresses/mailboxes.ts';
import { insertContacts, listContactsOfOwner } from './contacts.repository.ts';
import { requireRoomForContact } from './contacts.rules.ts';
import { sealContact } from './contacts.sealing.ts';

/** Contact of an export. */
type ImportedContact = {
  name: string;
  email: string;
  phone: string | null;
  relationship: string | null;
  createdAt: Date;
};

/**
 * Adds contacts whose address is neither known nor the owner's own, while there is room. They start inactive and unconfirmed:
 * a contact gets an invitation only after the owner activates them. The owner's row is locked.
 */
export async function insertImportedContacts(
  tx: Executor,
  { owner, vault, at }: { owner: OwnerRow; vault: Vault; at: Date },
  given: readonly ImportedContact[],
): Promise<{ added: number; stay: { title: string; reason: string }[] }> {
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
}
