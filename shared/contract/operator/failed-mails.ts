import { z } from 'zod';
import { id, idParams, instant } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

export const failedMailsPerPage = 50;
/** Failed mails that one request of a search reads at most. */
export const failedMailsSearched = 500;
/** Figures above this are not counted on. */
export const failedMailsCounted = 1_000;
export const failedMailSearchLengthMax = 254;

export const failedMailStates = ['trying', 'refused', 'returned', 'given_up'] as const;
/** `now`: the mail is tried again at a press. `letters`: refused letters of the account are. Otherwise there is nothing to press. */
export const failedMailRetries = ['now', 'letters', 'queued', 'frozen', 'waits', 'ended'] as const;

export const failedMailSchema = z
  .object({
    id,
    /** Type of the mail in plain words. Never its subject. */
    kind: z.string(),
    /** Recipient's address. Null 30 days after the end of the mail, or if its row is damaged. */
    to: z.string().nullable(),
    /** Address of the account that the mail is about. Null if it is about none. */
    account: z.string().nullable(),
    state: z.enum(failedMailStates),
    /** Reply code of the mail server, such as 550. Null if none answered. */
    code: z.number().nullable(),
    reason: z.string(),
    firstTriedAt: instant.nullable(),
    lastTriedAt: instant.nullable(),
    /** Null if the mail has ended. */
    nextTryAt: instant.nullable(),
    attempts: z.number(),
    retry: z.enum(failedMailRetries),
  })
  .meta({ id: 'FailedMail' });

export type FailedMail = z.input<typeof failedMailSchema>;

const cursor = z
  .string()
  .regex(/^\d{1,15}~[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/, 'Begin again with the first page.');

export const listFailedMails = defineRoute({
  method: 'GET',
  path: '/api/admin/failed-mails',
  access: 'administrator',
  summary: 'Emails that failed, fifty at a time, the last tried first; of one address or domain if `search` is given',
  query: z.object({
    search: z.string().max(failedMailSearchLengthMax, 'Please use a shorter address').trim().toLowerCase().optional(),
    after: cursor.optional(),
  }),
  answer: z.object({
    mails: z.array(failedMailSchema),
    /** `after` of the next page. Null after the last. */
    next: z.string().nullable(),
    /** Still tried, and ended in the last `givenUpDays` days; at most `failedMailsCounted` each. */
    counts: z.object({ trying: z.number(), refused: z.number(), givenUp: z.number() }),
  }),
});

export type FailedMails = z.input<typeof listFailedMails.answer>;

export const retryFailedMail = defineRoute({
  method: 'POST',
  path: '/api/admin/failed-mails/:id/retry',
  access: 'administrator',
  summary: 'Try an email again now, or the refused letters of its account; a second press changes nothing',
  params: idParams,
  answer: z.object({ message: z.string() }),
  ratePerMinute: 120,
});
