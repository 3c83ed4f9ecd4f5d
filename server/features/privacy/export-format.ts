import { z } from 'zod';
import { contactBody } from '#shared/contract/contacts.ts';
import { documentBody } from '#shared/contract/documents.ts';
import { contentLengthMax, email, id, instant, requiredLine, text, titleLengthMax } from '#shared/contract/fields.ts';
import { checklistBody } from '#shared/contract/guidance.ts';
import { sentSealedLetter } from '#shared/contract/messages.ts';
import { messageCategories, messageStatuses } from '#shared/rules/categories.ts';
import { checklistIds } from '#shared/rules/checklists.ts';
import { fileNameLengthMax, videoBytesMax } from '#shared/rules/files.ts';

/** The name of the format, and its version: raised when a reader of the old one would misunderstand a file. */
export const exportFormatName = 'everkept-export';
export const exportFormatVersion = 1;

/** The file of this name in an archive holds what a JSON export holds, without the bytes of files. */
export const archiveDataName = 'vault.json';
/** The page to read in an archive. */
export const archivePageName = 'index.html';

/** The member of a file that holds its bytes. Nothing else in an export has this name. */
export const contentMember = 'base64';

/** Why a file is in an export without its bytes, or without all of them. */
export const fileProblems = ['missing', 'damaged'] as const;
export type FileProblem = (typeof fileProblems)[number];

/** What became of a file in an archive: the name it has there, and what is wrong with it. */
export type ArchivedFile = { name?: string; problem?: FileProblem };
/** By the id that a file has while it is exported. */
export type ArchivedFiles = ReadonlyMap<string, ArchivedFile>;

/** Most of each that an import takes, however large the plan. */
const rowsMax = 100_000;

/** Where the bytes of a file lie: in an archive, or at a place of the export itself, as found by the importer. */
const fileSchema = z.object({
  name: requiredLine(fileNameLengthMax),
  sizeBytes: z.int().min(0).max(videoBytesMax),
  problem: z.enum(fileProblems).optional(),
  file: z.string().max(300).optional(),
  [contentMember]: z.tuple([z.int().min(0), z.int().min(0)]).optional(),
});
export type FileGiven = z.output<typeof fileSchema>;

const messageGiven = z
  .object({
    title: requiredLine(titleLengthMax),
    content: text(contentLengthMax).trim(),
    encryptedContent: sentSealedLetter.nullable(),
    recipientEmail: email,
    category: z.enum(messageCategories),
    status: z.enum(messageStatuses),
    visibleToTrustedContact: z.boolean(),
    attachment: fileSchema.nullable(),
    createdAt: instant,
    updatedAt: instant,
  })
  // A letter has words in the clear, or sealed ones, and not both.
  .refine(({ content, encryptedContent }) => (content === '') === (encryptedContent !== null));
export type MessageGiven = z.output<typeof messageGiven>;

const documentGiven = documentBody.extend({ file: fileSchema, createdAt: instant, updatedAt: instant });
export type DocumentGiven = z.output<typeof documentGiven>;

const contactGiven = contactBody.omit({ isActive: true }).extend({ createdAt: instant });
export type ContactGiven = z.output<typeof contactGiven>;

const checklistGiven = checklistBody.extend({ checklistId: z.enum(checklistIds) });
export type ChecklistGiven = z.output<typeof checklistGiven>;

/** Stands for a row whose words were damaged where it was exported: there is nothing in it to be taken. */
const damagedGiven = z.object({ problem: z.literal('damaged') }).transform(() => null);

function rowsOf<Row extends z.ZodType>(row: Row, max: number) {
  return z
    .array(z.union([damagedGiven, row]))
    .max(max)
    .transform((rows) => rows.filter((one) => one !== null) as z.output<Row>[]);
}

/** The beginning of every export, whatever its version. */
export const exportHead = z.object({ format: z.literal(exportFormatName), version: z.int() });

/**
 * What an import reads of an export. Everything else in it is a record of what happened elsewhere, and stays there:
 * ids, deliveries, releases, devices.
 */
export const importSchema = exportHead.extend({
  exportedAt: instant,
  account: z.object({ id }),
  messages: rowsOf(messageGiven, rowsMax),
  documents: rowsOf(documentGiven, rowsMax),
  contacts: rowsOf(contactGiven, rowsMax),
  checklists: rowsOf(checklistGiven, checklistIds.length),
});
export type ImportGiven = z.output<typeof importSchema>;
