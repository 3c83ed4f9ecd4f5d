import { z } from 'zod';
import {
  booleanText,
  contentLengthMax,
  email,
  id,
  idParams,
  instant,
  isDamaged,
  optionalLine,
  renamedFrom,
  requiredLine,
  text,
  titleLengthMax,
  visibleText,
} from '#shared/contract/fields.ts';
import { deliverOn } from '#shared/contract/letters/deliver-on.ts';
import { enclosureSchema, sealedFile, staged } from '#shared/contract/letters/enclosures.ts';
import {
  agreesWithList,
  forSomebody,
  nobodyNamed,
  otherFirst,
  positionMax,
  recipientList,
} from '#shared/contract/letters/recipients.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { fromVersion, fromVersionQuery, version } from '#shared/contract/vault/versions.ts';
import { messageCategories, messageStatuses } from '#shared/rules/categories.ts';
import { deliveryStatuses } from '#shared/rules/deliveries.ts';
import {
  base64UrlLength,
  letterSealFrameBytes,
  letterSealIterationsMax,
  letterSealIterationsMin,
  letterSealNonceBytes,
  letterSealSaltBytes,
  letterSealTagBytes,
  letterSealVersions,
  passphraseHintLengthMax,
  textSealVersion,
  utf8BytesMax,
} from '#shared/rules/letter-seal.ts';
import { transcriptLengthMax } from '#shared/rules/letters/enclosures.ts';

const base64Url = z.base64url('Invalid input');
export const hintWanted = 'Write a hint that helps them to find the words';

const sealedBytesMax = letterSealTagBytes + letterSealFrameBytes + utf8BytesMax(titleLengthMax + contentLengthMax);

const sealedFields = {
  /** 2: title and text. 1: the text alone, as letters were sealed first. */
  version: z.literal(letterSealVersions),
  iterations: z.int().min(letterSealIterationsMin).max(letterSealIterationsMax),
  salt: base64Url.length(base64UrlLength(letterSealSaltBytes)),
  nonce: base64Url.length(base64UrlLength(letterSealNonceBytes)),
  ciphertext: base64Url
    .min(base64UrlLength(letterSealTagBytes + 1))
    .max(base64UrlLength(sealedBytesMax), 'This letter is too long'),
};

/** A letter as a browser sealed it with a passphrase; the service cannot open it. */
export const sealedLetter = z
  .object({
    ...sealedFields,
    /** Hint that helps the recipient to remember; only the recipient sees it. */
    hint: z.string().nullable(),
  })
  .meta({ id: 'SealedLetter' });

export type SealedLetter = z.output<typeof sealedLetter>;

/** A sealed letter in a request. Only early versions may lack a hint. */
export const sentSealedLetter = z
  .object({ ...sealedFields, hint: optionalLine(passphraseHintLengthMax) })
  .refine(({ version, hint }) => version === textSealVersion || hint !== null, {
    path: ['hint'],
    message: hintWanted,
  });

/** One recipient of a message, with the status of their letter. */
export const recipientSchema = z
  .object({
    name: z.string().nullable(),
    relation: z.string().nullable(),
    email: z.string(),
    /** Null while nothing of it has been put on its way. */
    status: z.enum(deliveryStatuses).nullable(),
    openedAt: instant.nullable(),
  })
  .meta({ id: 'Recipient' });

export const messageSchema = z
  .object({
    id,
    /** `A sealed letter` where the browser sealed it with the text. */
    title: z.string(),
    /** Empty where the browser sealed it. */
    content: z.string(),
    encryptedContent: sealedLetter.nullable(),
    /** The address of the first recipient. */
    recipientEmail: z.string(),
    recipients: z.array(recipientSchema),
    /** True if each reader sees for whom else it is. */
    showRecipients: z.boolean(),
    /** Day of delivery; null for delivery with the release. */
    deliverOn,
    /** True if a reader hears before its day that it waits. */
    announceWait: z.boolean(),
    /** Its place among letters to one person. */
    position: z.number(),
    category: z.enum(messageCategories),
    status: z.enum(messageStatuses),
    visibleToTrustedContact: z.boolean(),
    hasAttachment: z.boolean(),
    attachmentOriginalName: z.string().nullable(),
    attachmentSize: z.number().nullable(),
    attachmentMimeType: z.string().nullable(),
    /** Transcript of the file, word by word; null if none was written. */
    attachmentTranscript: z.string().nullable(),
    /** Pictures and voice, in the writer's order. */
    enclosures: z.array(enclosureSchema),
    deliveredAt: instant.nullable(),
    createdAt: instant,
    updatedAt: instant,
    version,
    isDamaged,
  })
  .meta({ id: 'Message' });

export type Message = z.input<typeof messageSchema>;

/** Fields of a message, whichever way it is sent. */
export const messageFields = {
  title: requiredLine(titleLengthMax),
  content: visibleText(contentLengthMax),
  recipientEmail: email,
  category: z.enum(messageCategories).default('personal'),
  status: z.enum(['draft', 'ready']).default('draft'),
};

/** Transcript of the file for deaf readers. A change without it keeps it; a new file starts without one. */
const attachmentTranscript = text(transcriptLengthMax).trim().optional();

/** Left out in a change, the message keeps its place; a new one stands last. */
const placeWanted = `Choose a whole number from 1 to ${positionMax.toLocaleString('en-GB')}`;
const position = z.int(placeWanted).min(1, placeWanted).max(positionMax, placeWanted).optional();

/** A letter has words in the clear, or sealed ones, and not both. */
const hasWords = ({
  content,
  encryptedContent,
}: {
  content: string;
  encryptedContent?: SealedLetter | null | undefined;
}) => (content === '') === Boolean(encryptedContent);
const wordless = { path: ['content'], message: 'Required' };

/** Fields of a message that its owner may set. `delivered` is not among them. */
export const messageBody = z
  .object({
    ...messageFields,
    recipientEmail: email.optional(),
    recipients: recipientList.nullish(),
    position,
    encryptedContent: sentSealedLetter.nullish(),
    visibleToTrustedContact: z.boolean().default(false),
    /** Left out in a change, these stay as they are. */
    showRecipients: z.boolean().optional(),
    deliverOn: deliverOn.optional(),
    announceWait: z.boolean().optional(),
    attachmentTranscript,
    /** In a change, `false` removes the attachment; anything else leaves it as it is. */
    hasAttachment: z.boolean().optional(),
    sealedFile,
    staged: staged.optional(),
    /** In a change: the version it was made from. */
    version: fromVersion,
  })
  .refine(hasWords, wordless)
  .refine(forSomebody, nobodyNamed)
  .refine(agreesWithList, otherFirst);

/** Text field of a form that holds JSON. `missing` is the value if the field has none. */
function jsonText(isMissing: (value: string | null | undefined) => boolean, missing: null | undefined) {
  return z
    .string()
    .nullish()
    .transform((value, context): unknown => {
      if (isMissing(value)) return missing;
      try {
        return JSON.parse(value ?? '');
      } catch {
        context.addIssue({ code: 'custom', message: 'Invalid input' });
        return z.NEVER;
      }
    });
}
const listText = jsonText((value) => !value, null);
/** Text field of a form, in which a missing value and `null` differ. */
const formText = jsonText((value) => value === undefined, undefined);

/** Fields of a message beside an uploaded attachment, all as text. A sealed letter is sent as JSON. */
export const messageForm = z
  .object({
    ...messageFields,
    recipientEmail: email.optional(),
    position: z
      .string()
      .optional()
      .transform((value) => (value ? Number(value) : undefined))
      .pipe(position),
    recipients: listText.pipe(recipientList.nullable()),
    encryptedContent: listText.pipe(sentSealedLetter.nullable()),
    visibleToTrustedContact: booleanText.default(false),
    showRecipients: booleanText.optional(),
    deliverOn: formText.pipe(deliverOn.optional()),
    announceWait: booleanText.optional(),
    attachmentTranscript,
    sealedFile,
    staged: formText.pipe(staged.optional()),
    version: fromVersion,
  })
  .refine(hasWords, wordless)
  .refine(forSomebody, nobodyNamed)
  .refine(agreesWithList, otherFirst);

export const listMessages = defineRoute({
  method: 'GET',
  path: '/api/messages',
  access: 'session',
  summary: 'The messages of the signed-in owner, newest first',
  answer: z.array(messageSchema),
});

export const createMessage = defineRoute({
  method: 'POST',
  path: '/api/messages',
  access: 'session',
  takesChangeKey: true,
  summary: 'Write a message, within the plan',
  body: messageBody,
  status: 201,
  answer: messageSchema,
});

export const updateMessage = defineRoute({
  method: 'PUT',
  path: '/api/messages/:id',
  access: 'verified',
  takesChangeKey: true,
  summary: 'Change a message that is not delivered yet',
  params: idParams,
  body: messageBody,
  answer: messageSchema,
});

export const deleteMessage = defineRoute({
  method: 'DELETE',
  path: '/api/messages/:id',
  access: 'verified',
  summary: 'Delete a message for good',
  params: idParams,
  query: fromVersionQuery,
  status: 204,
});

export const createMessageWithAttachment = defineRoute({
  method: 'POST',
  path: '/api/messages/with-attachment',
  access: 'session',
  takesChangeKey: true,
  summary: 'Write a message with a file, within the plan',
  form: messageForm,
  status: 201,
  answer: messageSchema.extend({ renamedFrom }),
});

export const updateMessageWithAttachment = defineRoute({
  method: 'PUT',
  path: '/api/messages/:id/with-attachment',
  access: 'verified',
  takesChangeKey: true,
  summary: 'Change a message that is not delivered yet, and attach a file in place of the one it had',
  params: idParams,
  form: messageForm,
  answer: messageSchema.extend({ renamedFrom }),
});

export const downloadAttachment = defineRoute({
  method: 'GET',
  path: '/api/messages/:id/attachment',
  access: 'session',
  summary: 'The file of a message, under its own name',
  params: idParams,
  answersFile: true,
});
