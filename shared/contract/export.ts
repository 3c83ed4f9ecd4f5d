import { z } from 'zod';
import { booleanText, instant, optionalText } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { copyPassphraseLettersMin, isCopyPassphrase } from '#shared/rules/exports/copy-format.ts';
import { importBytesMax } from '#shared/rules/imports.ts';
import { releaseMethods } from '#shared/rules/inactivity.ts';
import { passphraseLengthMax } from '#shared/rules/letter-seal.ts';

export const exportFormats = ['encrypted-zip', 'json', 'pdf', 'html'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Carries the key of an encrypted archive to the browser, which saves it as a file of its own. */
export const exportKeyHeader = 'everkept-export-key';
/** About how many bytes will come, for a bar; the exact number is known only at the end. */
export const exportSizeHeader = 'everkept-export-size';

/** Ids of the files beside a page, with commas between them. Each is asked for as `further`. */
export const exportFurtherHeader = 'everkept-export-further';

const wantsPassphrase = `Choose a passphrase with at least ${copyPassphraseLettersMin} letters or digits. Spaces and punctuation don’t count.`;
const wantsNone = 'Only the page that opens anywhere has a passphrase. Leave it out, or choose that format.';

export const exportBody = z
  .object({
    format: z.enum(exportFormats).default('encrypted-zip'),
    includeDocuments: z.boolean().default(true),
    includeAuditLogs: z.boolean().default(false),
    /** Seals a page (`html`), which is the only format with one. Never stored. */
    passphrase: z.string().max(passphraseLengthMax, `At most ${passphraseLengthMax} characters`).optional(),
    /** Asks for one of the files beside a page, sealed, in place of the page. */
    further: z
      .string()
      .regex(/^[0-9a-f]{16}$/, 'This is no file of a copy.')
      .optional(),
  })
  .refine(({ format, passphrase = '' }) => format !== 'html' || isCopyPassphrase(passphrase), {
    path: ['passphrase'],
    message: wantsPassphrase,
  })
  .refine(({ format, passphrase, further }) => format === 'html' || (passphrase ?? further) === undefined, {
    path: ['passphrase'],
    message: wantsNone,
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

/** Longest text that is searched for a key: the whole key file fits. */
const keyTextLengthMax = 2_000;

/** Key of an encrypted archive, or the text of its key file, and the choices for the content. */
export const importForm = z.object({
  key: optionalText(keyTextLengthMax),
  /** Says what an import would do, and does nothing. */
  preview: booleanText.optional().default(false),
  /** Takes over the release settings; asks for a fresh sign-in. */
  takeSettings: booleanText.optional().default(false),
  /** Letters that were ready stay ready, and are not drafts; asks for a fresh sign-in. */
  asReady: booleanText.optional().default(false),
});

const importedSettings = z.object({
  releaseMethod: z.enum(releaseMethods),
  inactivityDays: z.number(),
  quorum: z.number(),
  waitingDays: z.number(),
  /** Null for as many as the installation sets. */
  answerDays: z.number().nullable(),
  /** Until when the owner is, or was, away; a day that is over, or further ahead than may be said, is not taken over. */
  awayUntil: instant.nullable(),
});
export type ImportedSettings = z.output<typeof importedSettings>;
/** Imported settings as the browser receives them. */
export type ShownSettings = z.input<typeof importedSettings>;

/** Result of an import. With `preview`: the result it would have. */
export const importAnswer = z.object({
  isPreview: z.boolean(),
  messages: z.number(),
  /** Number of new messages that were ready in the exporting vault. */
  readyMessages: z.number(),
  documents: z.number(),
  contacts: z.number(),
  checklists: z.number(),
  /** 1 if the notes for the first weeks are taken over. They never replace notes. */
  firstWeeks: z.number(),
  /** Items that exist in the vault already and stay unchanged. */
  alreadyThere: z.number(),
  /** Documents and attachments of which the export has no file. */
  withoutFile: z.number(),
  /** Items that exceed the plan, each with its reason. Importing again after an upgrade adds them. */
  stays: z.array(
    z.object({
      kind: z.enum(['message', 'document', 'contact', 'checklists']),
      /** The title of a letter, the name of anything else. */
      title: z.string(),
      reason: z.string(),
    }),
  ),
  settings: z.object({
    /** As they were before. */
    now: importedSettings,
    /** Null where the export does not say all of them. */
    inExport: importedSettings.nullable(),
    areTaken: z.boolean(),
  }),
});

export const importData = defineRoute({
  method: 'POST',
  path: '/api/import-data',
  access: 'verified',
  summary:
    'Take what fits of an export, as JSON or as an archive with its key, into the vault; or say what that would be',
  form: importForm,
  fileBytesMax: importBytesMax,
  answer: importAnswer,
  ratePerMinute: 10,
});
