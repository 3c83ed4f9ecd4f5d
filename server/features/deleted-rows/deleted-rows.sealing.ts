import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { DeletedKind } from '#shared/rules/retention.ts';
import type { DeletedRow } from './deleted-rows.repository.ts';

/** Where the words of a kind were sealed, and are to be opened, and what it is called by. */
const sealed: Record<DeletedKind, { table: string; columns: readonly string[]; title: string }> = {
  message: {
    table: 'messages',
    columns: ['title', 'content', 'encrypted_content', 'attachment_original_name'],
    title: 'title',
  },
  document: { table: 'documents', columns: ['name', 'description', 'file_name'], title: 'name' },
  contact: { table: 'trusted_contacts', columns: ['name', 'phone', 'relationship', 'word'], title: 'name' },
};
const ofRecipients = { table: 'message_recipients', columns: ['name', 'relation', 'email'] };

/** The title of a letter, the name of anything else; null where it does not match its seal. */
export function titleOfDeleted(vault: Vault, { kind, row }: DeletedRow): string | null {
  const { table, title } = sealed[kind];
  return unlessBroken(() => openColumn(vault, { table, column: title }, row)) as string | null;
}

/** All of it, opened; null where a part of it does not match its seal. */
export function openDeleted(vault: Vault, { kind, row, recipients }: DeletedRow) {
  return unlessBroken(() => ({
    row: openColumns(vault, sealed[kind], row),
    recipients: recipients.map((recipient) => openColumns(vault, ofRecipients, recipient)),
  }));
}

type Row = Record<string, unknown>;

function openColumns(vault: Vault, { table, columns }: { table: string; columns: readonly string[] }, row: Row): Row {
  const opened = columns.map((column) => [column, openColumn(vault, { table, column }, row)]);
  return { ...row, ...Object.fromEntries(opened) };
}

function openColumn(vault: Vault, { table, column }: { table: string; column: string }, row: Row): unknown {
  const value = row[column];
  return value === null || value === '' ? value : vault.unseal({ table, column, rowId: String(row.id) }, String(value));
}
