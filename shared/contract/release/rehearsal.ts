import { z } from 'zod';
import { id, instant } from '#shared/contract/fields.ts';
import { deliverOn } from '#shared/contract/letters/deliver-on.ts';
import { namedRecipient } from '#shared/contract/letters/recipients.ts';
import { releaseOverviewSchema } from '#shared/contract/release/release.ts';
import { defineRoute } from '#shared/contract/route.ts';

/** Number of letters that a rehearsal lists. */
export const rehearsalLettersMax = 100;

export const rehearsalSteps = [
  'first_reminder',
  'last_reminder',
  'owner_asked',
  'contact_asked',
  'owner_releasing',
  'letter',
  'contact_released',
  /** A letter that waits for a day of its own, on that day. */
  'own_day',
] as const;

export const rehearsalSchema = releaseOverviewSchema
  .pick({ ready: true, problems: true, standing: true, timeline: true, isTexted: true })
  .extend({
    /** Number of contacts who would have to confirm. */
    quorum: z.number(),
    contacts: z.array(z.object({ id, name: z.string(), email: z.string(), seesFirstWeeks: z.boolean() })),
    /** The first letters that would be delivered, in the writer's order. */
    letters: z
      .array(
        z.object({
          id,
          title: z.string(),
          recipientEmail: z.string(),
          recipients: z.array(namedRecipient),
          deliverOn,
          visibleToTrustedContact: z.boolean(),
        }),
      )
      .max(rehearsalLettersMax),
    /** Number of further letters that would be delivered. */
    lettersLeftOut: z.number(),
    /** Number of all that would be delivered: each counts once for each of its readers. */
    copies: z.number(),
    /** Drafts and delivered messages, of which nothing would be sent. */
    otherMessages: z.number(),
    /** Every email, in the order in which they would go out. */
    mails: z.array(
      z.object({
        step: z.enum(rehearsalSteps),
        /** Null where people decide when. */
        at: instant.nullable(),
        to: z.object({
          kind: z.enum(['you', 'contact', 'recipient']),
          name: z.string().nullable(),
          email: z.string(),
        }),
        subject: z.string(),
        /** The plain words. */
        text: z.string(),
      }),
    ),
    /** Number of further letters, which differ only in their recipient. */
    mailsLeftOut: z.number(),
  })
  .meta({ id: 'Rehearsal' });

export type Rehearsal = z.input<typeof rehearsalSchema>;

export const getRehearsal = defineRoute({
  method: 'GET',
  path: '/api/release/rehearsal',
  access: 'session',
  summary: 'What a release would be as things stand: dates, people, letters, and every email',
  answer: rehearsalSchema,
});

export const sendRehearsal = defineRoute({
  method: 'POST',
  path: '/api/release/rehearsal/send',
  access: 'verified',
  summary: 'Send every one of those emails to oneself alone; three times a day',
  answer: z.object({ sent: z.number(), leftOut: z.number(), email: z.string() }),
});
