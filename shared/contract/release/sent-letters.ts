import { z } from 'zod';
import { id, instant } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

/** Letters in one answer. */
export const sentLettersPerPage = 50;

/** One of the letters of a halt or a release. `may_arrive`: it was being handed over to a mail server as it was stopped. */
export const sentLetterSchema = z.object({
  messageId: id,
  /** Title of the message; null if its owner deleted it. */
  title: z.string().nullable(),
  /** Recipient's name, or their address. */
  recipient: z.string(),
  /** True if the message went to others as well. */
  hasOthers: z.boolean(),
  status: z.string(),
  deliveredAt: instant.nullable(),
  accessedAt: instant.nullable(),
  /** Only of one that waits for a day of its own. */
  waitsUntil: instant.optional(),
});

export const listSentLetters = defineRoute({
  method: 'GET',
  path: '/api/release/deliveries',
  access: 'session',
  summary: 'Further letters of a halt or a release, newest first',
  query: z.object({ from: z.coerce.number().int().min(0).default(0) }),
  answer: z.object({ deliveries: z.array(sentLetterSchema) }),
});
