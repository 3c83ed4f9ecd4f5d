import { z } from 'zod';
import { idParams, text } from '#shared/contract/fields.ts';
import { messageSchema, recipientSchema } from '#shared/contract/messages.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { emailLengthMax } from '#shared/rules/addresses/written-address.ts';
import {
  envelopeCategories,
  envelopeSorts,
  knownReadersMax,
  searchLengthMax,
  shelfMax,
} from '#shared/rules/letters/envelopes.ts';

/** A letter in a list: all but its words, which come when it is opened. */
export const envelopeSchema = messageSchema
  .omit({ content: true, encryptedContent: true, attachmentTranscript: true, enclosures: true })
  .extend({
    /** The beginning of its text; empty where the browser sealed it. */
    preview: z.string(),
    /** True if the browser sealed its words with a passphrase. */
    isSealed: z.boolean(),
    pictures: z.number(),
    hasVoice: z.boolean(),
    /** Index among the letters that its reader is still to get, from 0; null for an only letter, or one for several people. */
    readingIndex: z.number().nullable(),
  })
  .meta({ id: 'Envelope' });

export type Envelope = z.input<typeof envelopeSchema>;

/** Letters for the same people, and these people. A list that is sorted otherwise has one group without people. */
const envelopeGroupSchema = z
  .object({
    /** Equal on all pages of a list. */
    key: z.string(),
    readers: z.array(
      z.object({
        name: z.string().nullable(),
        relation: z.string().nullable(),
        email: z.string(),
        /** True if the order of this reader's letters is offered in this group. */
        isOrdered: z.boolean(),
      }),
    ),
    envelopes: z.array(envelopeSchema),
  })
  .meta({ id: 'EnvelopeGroup' });

export type EnvelopeGroup = z.input<typeof envelopeGroupSchema>;

const page = z
  .object({
    groups: z.array(envelopeGroupSchema),
    /** Number of letters that were found. */
    found: z.number(),
    /** Number of all letters of the owner. */
    all: z.number(),
    /** Fingerprint of the order of all found letters. A page with another one does not continue this list. */
    order: z.string(),
    /** Index of the first envelope of the next page; null if this page is the last. */
    next: z.number().nullable(),
  })
  .meta({ id: 'EnvelopePage' });

export type EnvelopePage = z.input<typeof page>;

const fromMax = 1_000_000;

const sort = z.enum(envelopeSorts).default('person');
const category = z.enum(envelopeCategories).default('all');

export const listEnvelopes = defineRoute({
  method: 'GET',
  path: '/api/messages/envelopes',
  access: 'session',
  summary: 'The messages of the signed-in owner without their text, fifty at a time',
  query: z.object({ sort, category, from: z.coerce.number().int().min(0).max(fromMax).default(0) }),
  answer: page,
});

/** Changes nothing. It is a POST because words in an address would reach logs and histories. */
export const searchEnvelopes = defineRoute({
  method: 'POST',
  path: '/api/messages/search',
  access: 'session',
  summary: 'The same of messages whose title, text or recipients hold the words, or that a person is still to get',
  body: z.object({
    sort,
    category,
    from: z.int().min(0).max(fromMax).default(0),
    words: text(searchLengthMax).default(''),
    /** Address of a person: their undelivered messages, in the order of reading. */
    reader: text(emailLengthMax).optional(),
  }),
  status: 200,
  answer: page,
});

export const getLettersSummary = defineRoute({
  method: 'GET',
  path: '/api/messages/summary',
  access: 'session',
  summary:
    'Number of the messages of the signed-in owner, and the first of them: ready ones, then drafts, then delivered ones',
  answer: z.object({
    all: z.number(),
    /** True if a letter waits for a day of its own. */
    doesWait: z.boolean(),
    shelf: z.array(envelopeSchema).max(shelfMax),
  }),
});

export const listReaders = defineRoute({
  method: 'GET',
  path: '/api/messages/readers',
  access: 'session',
  summary:
    'People that messages were written to, the latest first, each address once with the name that was given last',
  answer: z.array(recipientSchema.pick({ name: true, relation: true, email: true })).max(knownReadersMax),
});

export const getMessage = defineRoute({
  method: 'GET',
  path: '/api/messages/:id',
  access: 'session',
  summary: 'One message of the signed-in owner, whole',
  params: idParams,
  answer: messageSchema,
});
