import { z } from 'zod';
import { optionalText } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

export const exportFormats = ['encrypted-zip', 'json', 'pdf'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Carries the key of an encrypted archive to the browser, which saves it as a file of its own. */
export const exportKeyHeader = 'everkept-export-key';
/** About how many bytes will come, for a bar; the exact number is known only at the end. */
export const exportSizeHeader = 'everkept-export-size';

export const exportBody = z.object({
  format: z.enum(exportFormats).default('encrypted-zip'),
  includeDocuments: z.boolean().default(true),
  includeAuditLogs: z.boolean().default(false),
});

export const exportData = defineRoute({
  method: 'POST',
  path: '/api/export-data',
  access: 'session',
  whileClosing: true,
  summary: 'Everything that is kept of the signed-in person, as one file; asks for a fresh sign-in',
  body: exportBody,
  answersStream: true,
  ratePerMinute: 10,
});

/** Largest file that an import takes. */
export const importBytesMax = 2_000_000_000;
/** Longest text that is searched for a key: the whole key file fits. */
const keyTextLengthMax = 2_000;

/** The key that was saved with an encrypted archive, or the text of its file. */
export const importForm = z.object({ key: optionalText(keyTextLengthMax) });

export const importAnswer = z.object({
  messages: z.number(),
  documents: z.number(),
  contacts: z.number(),
  checklists: z.number(),
  /** What was in the vault already and so was left as it is. */
  alreadyThere: z.number(),
  /** Documents and attachments of which the export has no file. */
  withoutFile: z.number(),
});

export const importData = defineRoute({
  method: 'POST',
  path: '/api/import-data',
  access: 'verified',
  summary: 'Take an export, as JSON or as an archive with its key, into the vault; all of it or nothing',
  form: importForm,
  fileBytesMax: importBytesMax,
  answer: importAnswer,
  ratePerMinute: 10,
});
