import { z } from 'zod';

/**
 * A backup is a tar file (POSIX.1-2001 pax). Its entries, in this order: `backup.json`; the master key, if requested;
 * the rows of each table as lines of JSON; the sealed files; `manifest.json`, which counts and checks all entries
 * before it. One pass writes or reads it, and a file that was cut has no manifest. The manifest ends with a seal under
 * the master key (`backup-seal.ts`), which proves the writer of the backup.
 */
export const entryNames = {
  header: 'backup.json',
  masterKey: 'master.key',
  rows: (table: string, part: number) => `rows/${table}/${String(part).padStart(6, '0')}.ndjson`,
  file: (key: string) => `files/${key}`,
  manifest: 'manifest.json',
};

/** Version 1 had no seal. It is still read, as a backup whose origin is not proven. */
export const backupVersion = 2;
export const readableVersions: readonly number[] = [1, backupVersion];

/** Bytes of rows in one entry, after which the next one begins. One row more may be in it. */
export const rowsEntryBytes = 4 * 1_048_576;
/** Largest entry with rows: PostgreSQL itself accepts no larger value. */
export const rowsEntryBytesMax = 512 * 1_048_576;
/** The most that the other entries which are read as a whole may have. */
export const textEntryBytesMax = 64 * 1_048_576;

export const headerSchema = z.object({
  format: z.literal('everkept-backup'),
  version: z.number().int(),
  createdAt: z.iso.datetime(),
  /** SHA-256 of each migration the database had seen, oldest first. */
  migrations: z.array(z.string().regex(/^[0-9a-f]{64}$/)).min(1),
});

const digest = z.string().regex(/^[0-9a-f]{64}$/);

const manifestSums = {
  tables: z.record(z.string(), z.object({ rows: z.number().int().min(0), sha256: digest })),
  files: z.object({ count: z.number().int().min(0), bytes: z.number().int().min(0) }),
  /** Files that rows refer to and that the store did not have. */
  missingFiles: z.array(z.string()),
  /** Digest of the names, lengths and contents of all entries before this one. */
  sha256: digest,
};

export const manifestSchema = z.object({
  ...manifestSums,
  /** HMAC-SHA256 over the sums above, under a key derived from this version of the master key. */
  seal: z.object({ keyVersion: z.number().int().min(1), hmac: digest }).optional(),
});

export type BackupHeader = z.infer<typeof headerSchema>;
export type BackupManifest = z.infer<typeof manifestSchema>;
export type ManifestSums = Omit<BackupManifest, 'seal'>;

/** Reason for which a backup or a restore stops. The operator reads the sentence. */
export class BackupError extends Error {
  override readonly name: string = 'BackupError';
}

/** Another backup is being made. */
export class BackupBusyError extends BackupError {
  override readonly name = 'BackupBusyError';
}

const rowsName = /^rows\/([a-z_][a-z0-9_]{0,62})\/\d{6,}\.ndjson$/;
const fileName = /^files\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export type EntryKind =
  | { kind: 'header' | 'masterKey' | 'manifest' }
  | { kind: 'rows'; table: string }
  | { kind: 'file'; key: string };

/** Kind of the entry with this name; null for an unknown name. */
export function kindOfEntry(name: string): EntryKind | null {
  if (name === entryNames.header) return { kind: 'header' };
  if (name === entryNames.masterKey) return { kind: 'masterKey' };
  if (name === entryNames.manifest) return { kind: 'manifest' };
  const [, table] = rowsName.exec(name) ?? [];
  if (table) return { kind: 'rows', table };
  const [, key] = fileName.exec(name) ?? [];
  return key ? { kind: 'file', key } : null;
}
