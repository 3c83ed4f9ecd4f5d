import { z } from 'zod';
import { okAnswer, tokenParams } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

export const newsChoiceSchema = z
  .object({
    /** Enough of the address to know it again. */
    email: z.string(),
    wantsNews: z.boolean(),
    /** Kind of mails: product news, or one writing question a month. */
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

/** Page that `List-Unsubscribe` opens in a browser. Redirects to the settings page of the link. */
export const openNewsPage = defineRoute({
  method: 'GET',
  path: '/api/news/:token/stop',
  access: 'token',
  summary: 'Go on to the page that stops the news',
  params: tokenParams,
  ratePerMinute: 30,
});

/**
 * One-click unsubscribe of a mail program (RFC 8058). The large providers post for all their users from few
 * addresses, so no request may be lost to a limit.
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
