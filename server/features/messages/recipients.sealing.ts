import type { Vault } from '#server/platform/crypto/vault.ts';
import type { RecipientInput } from '#shared/contract/letters/recipients.ts';

/** As they are stored. */
export type SealedRecipient = { id: string; name: string; relation: string; email: string };

export function sealRecipient(vault: Vault, id: string, { name, relation, email }: RecipientInput): SealedRecipient {
  return {
    id,
    name: vault.seal(place(id, 'name'), name ?? ''),
    relation: vault.seal(place(id, 'relation'), relation ?? ''),
    email: vault.seal(place(id, 'email'), email),
  };
}

/** Throws `SealBrokenError` for a value that was not sealed for this very place. */
export function openRecipient(vault: Vault, { id, name, relation, email }: SealedRecipient): RecipientInput {
  return {
    name: vault.unseal(place(id, 'name'), name) || null,
    relation: vault.unseal(place(id, 'relation'), relation) || null,
    email: vault.unseal(place(id, 'email'), email),
  };
}

function place(rowId: string, column: 'name' | 'relation' | 'email') {
  return { table: 'message_recipients', column, rowId };
}
