import { Readable } from 'node:stream';
import type { ExportSource } from '../export.source.ts';
import type { ExportedFile } from '../export-files.ts';

export const exportedAt = new Date('2026-11-30T10:00:00Z');
export const options = { includeDocuments: true, includeAuditLogs: false, exportedAt };

type Given = { name: string; mimeType: string; content: () => Iterable<Buffer>; sizeBytes: number };

/** A file as the vault gives it, opened only when it is read. */
export function fileOf({ name, mimeType, content, sizeBytes }: Given): ExportedFile {
  const open = async () => Readable.from(content(), { objectMode: false, highWaterMark: 65_536 });
  const facts = { name, mimeType, sizeBytes };
  return { id: name, facts, content: { ...facts, open } };
}

type Letter = { fields: object; attachment: ExportedFile | null; enclosures: { fields: object; file: ExportedFile }[] };
type VaultGiven = { letters?: Letter[]; documents?: { fields: object; file: ExportedFile }[] } & Record<
  string,
  unknown
>;

/** A vault without a database behind it. */
export function vaultOf({ letters = [], documents = [], contacts = [], checklists = [], firstWeeks = [] }: VaultGiven) {
  const source = {
    account: async () => ({ firstName: 'Sam', lastName: 'Ashworth', email: 'sam@ashworth.example' }),
    async *messages() {
      for (const { fields, attachment, enclosures } of letters)
        yield { fields, attachment, enclosures: enclosures.map((one) => ({ ...one, original: null })) };
    },
    async *filesOfMessages() {
      for (const { attachment, enclosures } of letters)
        yield [...(attachment ? [attachment] : []), ...enclosures.map(({ file }) => file)];
    },
    documents: async () => documents,
    contacts: async () => contacts,
    checklists: async () => checklists,
    firstWeeks: async () => firstWeeks,
    records: () => [],
    auditLog: async () => [],
  };
  return source as unknown as ExportSource;
}
