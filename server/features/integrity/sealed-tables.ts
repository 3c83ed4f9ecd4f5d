/**
 * Table with sealed columns, and the key that seals them. A test fills an installation and searches for sealed values
 * in other columns.
 */
export type SealedTable = {
  table: string;
  columns: readonly string[];
  /** Column whose value is the row's id in the seal; `id` by default. */
  id?: string;
  /** Sealed with the owner's vault key, or with the keys of the installation. */
  key: 'vault' | 'service';
  /** SQL condition for the rows of one owner, in which `?` is the owner's id. */
  ownedBy?: string;
};

const byUser = 'user_id = ?';

export const sealedTables: readonly SealedTable[] = [
  {
    table: 'messages',
    columns: ['title', 'content', 'encrypted_content', 'attachment_original_name', 'attachment_transcript'],
    key: 'vault',
    ownedBy: byUser,
  },
  {
    table: 'message_recipients',
    columns: ['person'],
    key: 'vault',
    ownedBy: 'message_id in (select id from messages where user_id = ?)',
  },
  {
    table: 'message_enclosures',
    columns: ['caption', 'transcript', 'file_name'],
    key: 'vault',
    ownedBy: byUser,
  },
  { table: 'documents', columns: ['name', 'description', 'file_name'], key: 'vault', ownedBy: byUser },
  { table: 'trusted_contacts', columns: ['name', 'phone', 'relationship', 'word'], key: 'vault', ownedBy: byUser },
  { table: 'user_checklists', columns: ['custom_items', 'completed_items'], key: 'vault', ownedBy: byUser },
  { table: 'first_weeks', columns: ['notes'], id: 'user_id', key: 'vault', ownedBy: byUser },
  { table: 'message_drafts', columns: ['content'], key: 'vault', ownedBy: byUser },
  { table: 'message_deliveries', columns: ['recipient_email', 'recipient_name'], key: 'vault', ownedBy: byUser },
  {
    table: 'release_answers',
    columns: ['reason'],
    key: 'vault',
    ownedBy: 'request_id in (select id from release_requests where user_id = ?)',
  },
  { table: 'address_proposals', columns: ['address', 'reason'], key: 'vault', ownedBy: byUser },
  { table: 'given_addresses', columns: ['address'], key: 'vault', ownedBy: byUser },
  { table: 'authenticators', columns: ['secret'], id: 'user_id', key: 'vault', ownedBy: byUser },
  { table: 'passkeys', columns: ['name'], key: 'vault', ownedBy: byUser },
  { table: 'notifications', columns: ['payload'], key: 'service' },
  { table: 'sms_notifications', columns: ['phone', 'message'], key: 'service' },
  { table: 'push_devices', columns: ['subscription'], key: 'service' },
  { table: 'payment_events', columns: ['body'], key: 'service' },
  { table: 'bulk_emails', columns: ['payload'], key: 'service' },
  { table: 'complaints', columns: ['payload'], key: 'service' },
];

/** Table with a column for the path of a stored file and a column for the file's length in bytes. */
export type FileTable = { table: string; pathColumn: string; sizeColumn: string };

export const fileTables: readonly FileTable[] = [
  { table: 'messages', pathColumn: 'attachment_path', sizeColumn: 'attachment_size' },
  { table: 'documents', pathColumn: 'file_path', sizeColumn: 'file_size' },
  { table: 'message_enclosures', pathColumn: 'file_path', sizeColumn: 'file_size' },
  { table: 'recently_deleted_files', pathColumn: 'file_path', sizeColumn: 'file_size' },
];

/** Place of a file's content in the list of broken places, as for a sealed value. */
export const fileContent = (path: string) => ({ table: 'file_objects', column: 'content', rowId: path });
