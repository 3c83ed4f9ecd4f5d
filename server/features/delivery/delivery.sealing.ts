import type { Vault } from '#server/platform/crypto/vault.ts';

/** Recipient of letters. */
export type Person = { address: string; name: string | null };

type SealedAddress = { id: string; recipientEmail: string };
type SealedPerson = SealedAddress & { recipientName: string };

/** Address and name as they are stored with a delivery. */
export function sealPerson(vault: Vault, id: string, { address, name }: Person): Omit<SealedPerson, 'id'> {
  return {
    recipientEmail: vault.seal(sealContext(id, 'recipient_email'), address),
    recipientName: vault.seal(sealContext(id, 'recipient_name'), name ?? ''),
  };
}

export function openAddress(vault: Vault, { id, recipientEmail }: SealedAddress): string {
  return vault.unseal(sealContext(id, 'recipient_email'), recipientEmail);
}

export function openPerson(vault: Vault, delivery: SealedPerson): Person {
  const name = vault.unseal(sealContext(delivery.id, 'recipient_name'), delivery.recipientName);
  return { address: openAddress(vault, delivery), name: name || null };
}

function sealContext(rowId: string, column: 'recipient_email' | 'recipient_name') {
  return { table: 'message_deliveries', column, rowId };
}
