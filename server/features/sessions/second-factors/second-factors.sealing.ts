import type { Vault } from '#server/platform/crypto/vault.ts';

export function sealSecret(vault: Vault, userId: string, secret: string): string {
  return vault.seal(secretPlace(userId), secret);
}

/** @throws SealBrokenError if it was sealed for another context. */
export function openSecret(vault: Vault, userId: string, sealed: string): string {
  return vault.unseal(secretPlace(userId), sealed);
}

export function sealPasskeyName(vault: Vault, id: string, name: string): string {
  return vault.seal(namePlace(id), name);
}

/** @throws SealBrokenError if it was sealed for another context. */
export function openPasskeyName(vault: Vault, id: string, sealed: string): string {
  return vault.unseal(namePlace(id), sealed);
}

function secretPlace(rowId: string) {
  return { table: 'authenticators', column: 'secret', rowId };
}

function namePlace(rowId: string) {
  return { table: 'passkeys', column: 'name', rowId };
}
