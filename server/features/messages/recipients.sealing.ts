import type { Vault } from '#server/platform/crypto/vault.ts';
import type { RecipientInput } from '#shared/contract/letters/recipients.ts';

/** As they are stored. */
export type SealedRecipient = { id: string; person: string };

export function sealRecipient(vault: Vault, id: string, person: RecipientInput): SealedRecipient {
  return { id, person: vault.seal(place(id), JSON.stringify(asStored(person))) };
}

/** A person without a name or relation has null there. */
export function asStored({ name, relation, email }: RecipientInput): RecipientInput {
  return { name: name || null, relation: relation || null, email };
}

/** Throws `SealBrokenError` for a value that was not sealed for this very place. */
export function openRecipient(vault: Vault, { id, person }: SealedRecipient): RecipientInput {
  return JSON.parse(vault.unseal(place(id), person)) as RecipientInput;
}

function place(rowId: string) {
  return { table: 'message_recipients', column: 'person', rowId };
}
