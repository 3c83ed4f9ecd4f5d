import type { Vault } from '#server/platform/crypto/vault.ts';

type Words = { name: string; phone: string | null; relationship: string | null };

export function sealContact(vault: Vault, id: string, { name, phone, relationship }: Words): Words {
  return {
    name: vault.seal(place(id, 'name'), name),
    phone: phone && vault.seal(place(id, 'phone'), phone),
    relationship: relationship && vault.seal(place(id, 'relationship'), relationship),
  };
}

/** Throws `SealBrokenError` where a value was not sealed for this very contact and column. */
export function openContact(vault: Vault, id: string, { name, phone, relationship }: Words): Words {
  return {
    name: openName(vault, { id, name }),
    phone: phone && vault.unseal(place(id, 'phone'), phone),
    relationship: relationship && vault.unseal(place(id, 'relationship'), relationship),
  };
}

export function openName(vault: Vault, { id, name }: { id: string; name: string }): string {
  return vault.unseal(place(id, 'name'), name);
}

function place(rowId: string, column: 'name' | 'phone' | 'relationship') {
  return { table: 'trusted_contacts', column, rowId };
}
