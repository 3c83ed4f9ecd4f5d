import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';

type Words = { name: string; phone: string | null; relationship: string | null; word: string | null };

export function sealContact(
  vault: Vault,
  id: string,
  { name, phone, relationship, word = null }: Omit<Words, 'word'> & Partial<Pick<Words, 'word'>>,
): Words {
  return {
    name: vault.seal(place(id, 'name'), name),
    phone: phone && vault.seal(place(id, 'phone'), phone),
    relationship: relationship && vault.seal(place(id, 'relationship'), relationship),
    word: word && vault.seal(place(id, 'word'), word),
  };
}

/** Throws `SealBrokenError` where a value was not sealed for this very contact and column. */
export function openContact(vault: Vault, id: string, { name, phone, relationship, word }: Words): Words {
  return {
    name: openOwnName(vault, { id, name }),
    phone: phone && vault.unseal(place(id, 'phone'), phone),
    relationship: relationship && vault.unseal(place(id, 'relationship'), relationship),
    word: word && vault.unseal(place(id, 'word'), word),
  };
}

/**
 * The same where a contact who is damaged must still count: their address is not sealed, and stands for their name. Whoever
 * waits for a release is asked by it all the same.
 */
export function openCounted(
  vault: Vault,
  id: string,
  contact: Words & { email: string },
): Words & { isDamaged?: true } {
  const damaged = { name: contact.email, phone: null, relationship: null, word: null, isDamaged: true as const };
  return unlessBroken(() => openContact(vault, id, contact)) ?? damaged;
}

/** How to call a contact: by their address, where their name is damaged. */
export function openName(vault: Vault, contact: { id: string; name: string; email: string }): string {
  return unlessBroken(() => openOwnName(vault, contact)) ?? contact.email;
}

function openOwnName(vault: Vault, { id, name }: { id: string; name: string }): string {
  return vault.unseal(place(id, 'name'), name);
}

/** The owner's word for the invitation; none where it is damaged, which must not keep the invitation back. */
export function openWord(vault: Vault, { id, word }: { id: string; word: string | null }): string | null {
  return word && unlessBroken(() => vault.unseal(place(id, 'word'), word));
}

function place(rowId: string, column: 'name' | 'phone' | 'relationship' | 'word') {
  return { table: 'trusted_contacts', column, rowId };
}
