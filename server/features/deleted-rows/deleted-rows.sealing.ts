import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { DeletedKind } from '#shared/rules/retention.ts';
import type { DeletedRow, DeletedTitle } from './deleted-rows.repository.ts';

/** Seal context of each kind. */
const sealed: Record<DeletedKind, { table: string; columns: readonly string[] }> = {
  message: {
    table: 'messages',
    columns: ['title', 'content', 'encrypted_content', 'attachment_original_name', 'attachment_transcript'],
  },
  document: { table: 'documents', columns: ['name', 'description', 'file_name'] },
  contact: { table: 'trusted_contacts', columns: ['name', 'phone', 'relationship', 'word'] },
};
const ofRecipients = { table: 'message_recipients', columns: ['person'] };
const ofEnclosures = { table: 'message_enclosures', columns: ['caption', 'transcript', 'file_name'] };

/** The title of a letter, or the name of another item; null if it does not match its seal. */
export function titleOfDeleted(vault: Vault, { id, kind, title }: DeletedTitle): string | null {
  const { table } = sealed[kind];
  const column = kind === 'message' ? 'title' : 'name';
  return unlessBroken(() => vault.unseal({ table, column, rowId: id }, title));
}

/** The opened item; null if a part of it does not match its seal. */
export function openDeleted(vault: Vault, { kind, row, recipients, enclosures }: Omit<DeletedRow, 'fileBytes'>) {
  return unlessBroken(() => ({
    row: openColumns(vault, sealed[kind], row),
    recipients: recipients.map((recipient) => openPerson(openColumns(vault, ofRecipients, recipient))),
    enclosures: enclosures.map((enclosure) => openColumns(vault, ofEnclosures, enclosure)),
  }));
}

type Row = Record<string, unknown>;

/** Name, relation and address are sealed as one value, and each is what it is once that is open. */
function openPerson({ person, ...row }: Row): Row {
  return { ...row, ...(JSON.parse(String(person)) as Row) };
}

function openColumns(vault: Vault, { table, columns }: { table: string; columns: readonly string[] }, row: Row): Row {
  const opened = columns.map((column) => [column, openColumn(vault, { table, column }, row)]);
  return { ...row, ...Object.fromEntries(opened) };
}

function openColumn(vault: Vault, { table, column }: { table: string; column: string }, row: Row): unknown {
  const value = row[column];
  return value === null || value === '' ? value : vault.unseal({ table, column, rowId: String(row.id) }, String(value));
}
