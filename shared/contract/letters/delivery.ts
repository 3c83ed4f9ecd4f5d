import { z } from 'zod';
import { instant, isDamaged, messageAnswer, okAnswer, tokenParams } from '#shared/contract/fields.ts';
import { enclosureSchema, pictureSize } from '#shared/contract/letters/enclosures.ts';
import { sealedLetter } from '#shared/contract/messages.ts';
import { defineRoute } from '#shared/contract/route.ts';

/** Letters of one person that a page lists. */
export const lettersOfReaderShownMax = 50;

/** The letter as its recipient reads it. Until the envelope was pressed, content, files and other readers are left empty. */
export const deliveredMessageSchema = z
  .object({
    title: z.string(),
    /** Empty where its writer sealed it: the browser opens it with the passphrase. */
    content: z.string(),
    encryptedContent: sealedLetter.nullable(),
    createdAt: instant,
    deliveredAt: instant,
    /** Until when the page stays. */
    expiresAt: instant,
    senderName: z.string(),
    /** As its writer called the reader; null where they gave the address alone. */
    recipientName: z.string().nullable(),
    /** Time when a person first pressed its envelope. */
    openedAt: instant.nullable(),
    isDamaged,
    /** False if a PDF cannot show every character of the letter. Left out otherwise. */
    pdfIsWhole: z.literal(false).optional(),
    attachment: z
      .object({
        name: z.string(),
        sizeBytes: z.number(),
        mimeType: z.string(),
        pictureSize,
        /** Transcript of the file; empty if none was written. */
        transcript: z.string(),
      })
      .nullable(),
    /** Pictures and voice, in the writer's order. */
    enclosures: z.array(enclosureSchema),
    /** For whom else it is, where its writer lets its readers see that. */
    alsoFor: z.array(z.string()),
    /** Letters of this person and release that can be read, in the writer's order: this one, and those around it. */
    letters: z.array(
      z.object({
        /** Token of the letter's own link, `/message/{token}`. */
        token: z.string(),
        title: z.string(),
        position: z.number(),
        /** Its words open with a passphrase alone. */
        sealed: z.boolean(),
        /** Number of pictures and voices lie in it. */
        enclosures: z.number(),
        openedAt: instant.nullable(),
        keptUntil: instant,
      }),
    ),
    /** Number of all letters that this person can read, and of the opened ones. */
    all: z.object({ letters: z.number(), opened: z.number() }),
    /**
     * Time when further letters come of which their writer lets this person know before; left out where there are
     * none.
     */
    waitsUntil: z.array(instant).optional(),
    /** This person's own say so far; left out where they said nothing. */
    said: z
      .object({
        /** Until when the letters are kept for them, as they asked. */
        keptUntil: instant.optional(),
        noReminders: z.literal(true).optional(),
        /** Letters with a day of their own wait. */
        noMore: z.literal(true).optional(),
      })
      .optional(),
  })
  .meta({ id: 'DeliveredMessage' });

export type DeliveredMessage = z.input<typeof deliveredMessageSchema>;

export const getDeliveredMessage = defineRoute({
  method: 'GET',
  path: '/api/message-delivery/:token',
  access: 'token',
  summary: 'A delivered message; reading it by GET records nothing, since mail scanners do that too',
  params: tokenParams,
  answer: deliveredMessageSchema,
  ratePerMinute: 60,
});

/**
 * The press on the envelope: a form of the page that posts to the page's own address, so that it works without scripts. A
 * mail scanner follows links and presses nothing.
 */
export const openLetter = defineRoute({
  method: 'POST',
  path: '/message/:token',
  access: 'token',
  summary: 'Press the envelope of a letter: records the opening, and leads back to its page',
  params: tokenParams,
  takesAnyForm: true,
  ratePerMinute: 60,
});

export const recordOpening = defineRoute({
  method: 'POST',
  path: '/api/message-delivery/:token/opened',
  access: 'token',
  summary: 'Record that a person opened the letter; the first time counts',
  params: tokenParams,
  answer: okAnswer,
  ratePerMinute: 60,
});

export const readerSays = ['keep', 'not-now', 'no-more', 'letters'] as const;
export type ReaderSay = (typeof readerSays)[number];

export const sayOfReader = defineRoute({
  method: 'POST',
  path: '/api/message-delivery/:token/say',
  access: 'token',
  summary: 'Keep it for a year, no reminders, no more letters, or letters again; the writer learns none of it',
  params: tokenParams,
  body: z.object({ say: z.enum(readerSays) }),
  answer: okAnswer,
  ratePerMinute: 30,
});

export const renewDelivery = defineRoute({
  method: 'POST',
  path: '/api/message-delivery/:token/renew',
  access: 'token',
  summary: 'Send a new link to the address the letter was for',
  params: tokenParams,
  answer: messageAnswer,
  ratePerMinute: 5,
});

export const downloadDeliveredAttachment = defineRoute({
  method: 'GET',
  path: '/api/message-delivery/:token/attachment',
  access: 'token',
  summary: 'The file of a delivered message, for its recipient',
  params: tokenParams,
  answersFile: true,
  ratePerMinute: 120,
});
