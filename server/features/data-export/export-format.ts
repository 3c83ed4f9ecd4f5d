import { z } from 'zod';
import { contactBody } from '#shared/contract/contacts.ts';
import { documentBody } from '#shared/contract/documents.ts';
import { contentLengthMax, email, id, instant, requiredLine, text, titleLengthMax } from '#shared/contract/fields.ts';
import { checklistBody } from '#shared/contract/guidance.ts';
import { deliverOn } from '#shared/contract/letters/deliver-on.ts';
import { paragraphMax } from '#shared/contract/letters/enclosures.ts';
import { positionMax, recipientList, recipientsOf } from '#shared/contract/letters/recipients.ts';
import { sentSealedLetter } from '#shared/contract/messages.ts';
import { firstWeeksNotes } from '#shared/contract/vault/first-weeks.ts';
import { messageCategories, messageStatuses } from '#shared/rules/categories.ts';
import { checklistIds } from '#shared/rules/checklists.ts';
import { copyDataName } from '#shared/rules/exports/copy-format.ts';
import { fileNameLengthMax, videoBytesMax } from '#shared/rules/files.ts';
import type { ImportLimits } from '#shared/rules/imports.ts';
import {
  answerDaysMax,
  answerDaysMin,
  inactivityDaysMax,
  inactivityDaysMin,
  quorumMax,
  quorumMin,
  releaseMethods,
  waitingDaysMax,
  waitingDaysMin,
} from '#shared/rules/inactivity.ts';
import { titleOutside } from '#shared/rules/letter-seal.ts';
import {
  captionLengthMax,
  enclosureKindOf,
  enclosureKinds,
  enclosuresMax,
  transcriptLengthMax,
} from '#shared/rules/letters/enclosures.ts';

/** The name of the format, and its version: raised when a reader of the old one would misunderstand a file. */
export const exportFormatName = 'everkept-export';
export const exportFormatVersion = 3;
/** What an import reads: 1 knew one address a letter and no order of letters, 2 neither pictures nor voice in them. */
export const exportVersionsRead: readonly number[] = [1, 2, exportFormatVersion];

/** The file of this name in an archive holds what a JSON export holds, without the bytes of files. */
export const archiveDataName = copyDataName;
/** The page to read in an archive. */
export const archivePageName = 'index.html';

/** The member of a file that holds its bytes. Nothing else in an export has this name. */
export const contentMember = 'base64';

/** Why a file is in an export without its bytes, or without all of them. */
export const fileProblems = ['missing', 'damaged'] as const;
export type FileProblem = (typeof fileProblems)[number];

/** What became of a file in an archive: the name it has there, what is wrong with it, or its id beside a page. */
export type ArchivedFile = { name?: string; problem?: FileProblem; further?: string };
/** By the id that a file has while it is exported. */
export type ArchivedFiles = ReadonlyMap<string, ArchivedFile>;

/** Where the bytes of a file lie: in an archive, or at a place of the export itself, as found by the importer. */
const fileSchema = z.object({
  name: requiredLine(fileNameLengthMax),
  sizeBytes: z.int().min(0).max(videoBytesMax),
  problem: z.enum(fileProblems).optional(),
  file: z.string().max(300).optional(),
  [contentMember]: z.tuple([z.int().min(0), z.int().min(0)]).optional(),
});
export type FileGiven = z.output<typeof fileSchema>;

const enclosureGiven = z
  .object({
    kind: z.enum(enclosureKinds),
    caption: text(captionLengthMax).trim(),
    transcript: text(transcriptLengthMax).trim(),
    afterParagraph: z.int().min(0).max(paragraphMax).nullable(),
    file: fileSchema,
    /** Of a picture that was made smaller the one that the camera wrote. */
    original: fileSchema.nullable().default(null),
  })
  .refine(({ kind, file }) => enclosureKindOf(file.name) === kind || file.problem !== undefined)
  .refine(({ kind, original }) => kind === 'picture' || original === null);
export type EnclosureGiven = z.output<typeof enclosureGiven>;

/** As many of each kind as a letter may have. */
const enclosuresGiven = z
  .array(enclosureGiven)
  .max(enclosuresMax.picture + enclosuresMax.voice)
  .refine((given) =>
    enclosureKinds.every((kind) => given.filter((one) => one.kind === kind).length <= enclosuresMax[kind]),
  )
  .default([]);

const messageGiven = z
  .object({
    title: requiredLine(titleLengthMax),
    content: text(contentLengthMax).trim(),
    encryptedContent: sentSealedLetter.nullable(),
    recipientEmail: email,
    category: z.enum(messageCategories),
    status: z.enum(messageStatuses),
    visibleToTrustedContact: z.boolean(),
    recipients: recipientList.optional(),
    showRecipients: z.boolean().default(false),
    deliverOn: deliverOn.default(null),
    announceWait: z.boolean().default(false),
    position: z.int().min(1).max(positionMax).nullable().default(null),
    attachment: fileSchema.nullable(),
    attachmentTranscript: text(transcriptLengthMax).trim().nullable().default(null),
    enclosures: enclosuresGiven,
    createdAt: instant,
    updatedAt: instant,
  })
  // A letter has words in the clear, or sealed ones, and not both.
  .refine(({ content, encryptedContent }) => (content === '') === (encryptedContent !== null))
  .refine(({ encryptedContent, enclosures }) => encryptedContent === null || enclosures.length === 0)
  .transform(({ recipientEmail, recipients, ...message }) => ({
    ...message,
    title: titleOutside(message),
    recipients: recipients ?? recipientsOf({ recipientEmail }),
  }));
export type MessageGiven = z.output<typeof messageGiven>;

const documentGiven = documentBody.extend({ file: fileSchema, createdAt: instant, updatedAt: instant });
export type DocumentGiven = z.output<typeof documentGiven>;

const contactGiven = contactBody.omit({ isActive: true, seesFirstWeeks: true }).extend({ createdAt: instant });
export type ContactGiven = z.output<typeof contactGiven>;

const checklistGiven = checklistBody.extend({ checklistId: z.enum(checklistIds) });
export type ChecklistGiven = z.output<typeof checklistGiven>;

export type FirstWeeksGiven = z.output<typeof firstWeeksNotes>;

/** Stands for a row whose words were damaged where it was exported: there is nothing in it to be taken. */
const damagedGiven = z.object({ problem: z.literal('damaged') }).transform(() => null);

/**
 * The rows of a list. The first that is wrong ends the reading: saying of each of many what is wrong with it would cost
 * far more than their bytes.
 */
function rowsOf<Row extends z.ZodType>(row: Row, max: number) {
  const one = z.union([damagedGiven, row]);
  return z
    .array(z.unknown())
    .max(max)
    .transform((rows, context) => {
      const taken: z.output<Row>[] = [];
      for (const given of rows) {
        const result = one.safeParse(given);
        if (!result.success) {
          context.addIssue('This row is none of an export.');
          return z.NEVER;
        }
        if (result.data !== null) taken.push(result.data as z.output<Row>);
      }
      return taken;
    });
}

/** The choices that decide when and by whose word letters go out, under the names they have in an export. */
const settingsGiven = z.object({
  releaseMethod: z.enum(releaseMethods),
  inactivityDays: z.int().min(inactivityDaysMin).max(inactivityDaysMax),
  releaseQuorum: z.int().min(quorumMin).max(quorumMax),
  releaseWaitingDays: z.int().min(waitingDaysMin).max(waitingDaysMax),
  /** Null for as many as the installation sets. */
  releaseAnswerDays: z.int().min(answerDaysMin).max(answerDaysMax).nullable(),
  /** The beginning of the day until which the owner was away. */
  awayUntil: instant.nullish(),
});
/** The same, once the day is read. */
const settingsRead = settingsGiven.extend({ awayUntil: z.date().nullish() });
export type SettingsGiven = z.output<typeof settingsRead>;

/** The beginning of every export, whatever its version. */
export const exportHead = z.object({ format: z.literal(exportFormatName), version: z.int() });

/**
 * What an import reads of an export. Everything else in it is a record of what happened elsewhere, and stays there:
 * ids, deliveries, releases, devices.
 */
export function importSchema({ rowsMax }: Pick<ImportLimits, 'rowsMax'>) {
  return exportHead.extend({
    exportedAt: instant,
    account: z.object({ id }).and(settingsGiven.partial()),
    messages: rowsOf(messageGiven, rowsMax),
    documents: rowsOf(documentGiven, rowsMax),
    contacts: rowsOf(contactGiven, rowsMax),
    checklists: rowsOf(checklistGiven, checklistIds.length),
    /** Older exports have none. */
    firstWeeks: rowsOf(firstWeeksNotes, 1).default([]),
  });
}
export type ImportGiven = z.output<ReturnType<typeof importSchema>>;

/** The release settings of an export; null where they are not all in it. */
export function settingsIn({ account }: ImportGiven): SettingsGiven | null {
  const result = settingsRead.safeParse(account);
  return result.success ? result.data : null;
}
