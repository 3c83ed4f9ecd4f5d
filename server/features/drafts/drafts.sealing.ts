import type { Vault } from '#server/platform/crypto/vault.ts';

export function sealDraftContent(vault: Vault, id: string, content: string): string {
  return vault.seal(place(id), content);
}

/** Throws `SealBrokenError` for a row that was not sealed for this very place. */
export function openDraftContent(vault: Vault, row: { id: string; content: string }): string {
  return vault.unseal(place(row.id), row.content);
}

function place(rowId: string) {
  return { table: 'message_drafts', column: 'content', rowId };
}
