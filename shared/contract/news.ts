import { z } from 'zod';
import { okAnswer, tokenParams } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

export const newsChoiceSchema = z
  .object({
    /** Enough of the address to know it again. */
    email: z.string(),
    wantsNews: z.boolean(),
    /** Which mails it is about: what is new, or a question a month. */
    about: z.enum(['news', 'questions']),
  })
  .meta({ id: 'NewsChoice' });

export type NewsChoice = z.input<typeof newsChoiceSchema>;

/** Looking changes nothing: mail scanners open links by themselves. */
export const getNewsChoice = defineRoute({
  method: 'GET',
  path: '/api/news/:token',
  access: 'token',
  summary: 'Whether the holder of a link gets our news',
  params: tokenParams,
  answer: newsChoiceSchema,
  ratePerMinute: 30,
});

export const setNewsChoice = defineRoute({
  method: 'POST',
  path: '/api/news/:token',
  access: 'token',
  summary: 'Stop the news, or ask for it again',
  params: tokenParams,
  body: z.object({ wantsNews: z.boolean() }),
  answer: newsChoiceSchema,
  ratePerMinute: 20,
});

/** Where `List-Unsubscribe` of a mail leads somebody whose mail program opens it. Redirects to the page. */
export const openNewsPage = defineRoute({
  method: 'GET',
  path: '/api/news/:token/stop',
  access: 'token',
  summary: 'Go on to the page that stops the news',
  params: tokenParams,
  ratePerMinute: 30,
});

/**
 * What a mail program posts when somebody presses its own button for it (RFC 8058). The large mailbox providers post for
 * all of their people from few addresses, and nobody's "no" may be lost.
 */
export const stopNewsAtOnce = defineRoute({
  method: 'POST',
  path: '/api/news/:token/stop',
  access: 'token',
  summary: 'Stop the news, asked for by a mail program',
  params: tokenParams,
  takesAnyForm: true,
  answer: okAnswer,
  ratePerMinute: 300,
});
