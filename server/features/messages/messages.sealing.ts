import type { Vault } from '#server/platform/crypto/vault.ts';

/** The columns that hold somebody's words or address. */
type SealedColumn = 'title' | 'content' | 'recipient_email' | 'attachment_original_name';

type Words = { title: string; content: string; recipientEmail: string };

export function sealWords(vault: Vault, id: string, { title, content, recipientEmail }: Words): Words {
  return {
    title: vault.seal(place(id, 'title'), title),
    content: vault.seal(place(id, 'content'), content),
    recipientEmail: vault.seal(place(id, 'recipient_email'), recipientEmail),
  };
}

export function sealFileName(vault: Vault, id: string, name: string): string {
  return vault.seal(place(id, 'attachment_original_name'), name);
}

/** Opens one value of a message. Throws `SealBrokenError` for a value that was not sealed for this very place. */
export function openWords(vault: Vault, id: string, column: SealedColumn, sealed: string): string {
  return vault.unseal(place(id, column), sealed);
}

/** Opens all that a row has of these, and leaves the rest of it as it is. */
export function openRow<Row extends { id: string } & Partial<Words> & { attachmentOriginalName?: string | null }>(
  vault: Vault,
  row: Row,
): Row {
  const { id, title, content, recipientEmail, attachmentOriginalName } = row;
  return {
    ...row,
    ...(title === undefined ? {} : { title: openWords(vault, id, 'title', title) }),
    ...(content === undefined ? {} : { content: openWords(vault, id, 'content', content) }),
    ...(recipientEmail === undefined
      ? {}
      : { recipientEmail: openWords(vault, id, 'recipient_email', recipientEmail) }),
    ...(attachmentOriginalName
      ? { attachmentOriginalName: openWords(vault, id, 'attachment_original_name', attachmentOriginalName) }
      : {}),
  };
}

function place(rowId: string, column: SealedColumn) {
  return { table: 'messages', column, rowId };
}
