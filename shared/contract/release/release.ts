import { z } from 'zod';
import { instant, okAnswer, tokenParams } from '#shared/contract/fields.ts';
import { sentLetterSchema, sentLettersPerPage } from '#shared/contract/release/sent-letters.ts';
import { defineRoute } from '#shared/contract/route.ts';
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

export const releaseStates = [
  'watching',
  'reminded',
  'warned',
  'asking',
  'paused',
  'holding',
  'releasing',
  'released',
  'halted',
] as const;
export type ReleaseState = (typeof releaseStates)[number];

export const releaseSettingsSchema = z
  .object({
    releaseMethod: z.enum(releaseMethods),
    inactivityDays: z.int().min(inactivityDaysMin).max(inactivityDaysMax),
  })
  .meta({ id: 'ReleaseSettings' });

export const getReleaseSettings = defineRoute({
  method: 'GET',
  path: '/api/user/release-settings',
  access: 'session',
  summary: 'Release method and inactivity period',
  answer: releaseSettingsSchema,
});

export const updateReleaseSettings = defineRoute({
  method: 'PUT',
  path: '/api/user/release-settings',
  access: 'verified',
  summary: 'Choose release method and inactivity period; counts as activity',
  body: releaseSettingsSchema.extend({
    /** Settings that the change was made from; refused if others are stored. */
    before: releaseSettingsSchema.optional(),
  }),
  answer: releaseSettingsSchema,
});

/** One point on the owner's line of time, past or to come. */
export const timelineEntrySchema = z
  .object({
    what: z.enum([
      'last_activity',
      'next_checkin',
      'first_reminder',
      'last_reminder',
      'contacts_asked',
      'away_until',
      'automatic_delivery',
      'paused_until',
      'holding_until',
      'delivered',
    ]),
    at: instant,
    /** True if it has happened. */
    isPast: z.boolean(),
  })
  .meta({ id: 'TimelineEntry' });

export const releaseProblems = [
  'email_not_verified',
  'no_ready_message',
  'documents_alone',
  'no_confirmed_contact',
  'nothing_could_ever_be_released',
  'mail_not_set_up',
  'mail_down',
  'clock_behind',
  'contacts_out_of_reach',
  'nobody_to_ask',
  'own_mail_refused',
  'address_bounced',
  'contact_bounced',
  'letter_bounced',
  'frozen',
] as const;

const cameBackSchema = z.object({
  at: instant,
  /** Time when we had heard from them before. */
  heardAt: instant,
  /** True if the request was made before the owner was silent for the whole period. */
  isEarly: z.boolean(),
  /** The reminders that had been sent, oldest first. */
  reminders: z.array(instant),
  /** Time when the first contact had the question, who had it, and whom we have told since that the owner is back. */
  askedAt: instant.nullable(),
  askedNames: z.array(z.string()),
  /** Contact in whose name an early request was made, if they still have the role. */
  askedByName: z.string().nullable(),
  toldNames: z.array(z.string()),
  /** Other email addresses of the owner that contacts gave, and who gave each. */
  givenAddresses: z.array(z.object({ byName: z.string(), address: z.string() })),
  /** Contacts who said that the owner is alive and can't answer, oldest first; a damaged reason is null. */
  aliveAnswers: z.array(z.object({ byName: z.string(), at: instant, reason: z.string().nullable() })),
  /** Number of letters that waited. */
  letters: z.number(),
  /** Next automatic step that would have come; null if people would have decided, or nothing was left. */
  next: z.object({ what: z.enum(['letters_go', 'asked_again']), at: instant }).nullable(),
});

export const releaseOverviewSchema = z
  .object({
    state: z.enum(releaseStates),
    releaseMethod: z.enum(releaseMethods),
    inactivityDays: z.number(),
    lastActivityAt: instant,
    /** The day until which the owner is away, from which silence is counted; null where they are not. */
    awayUntil: z.string().nullable(),
    timeline: z.array(timelineEntrySchema),
    /** True if everything a release needs is in place. */
    ready: z.boolean(),
    problems: z.array(z.object({ type: z.enum(releaseProblems), message: z.string() })),
    /** One sentence that describes a release with the present settings. Every page uses it. */
    standing: z.string(),
    /** First names of the contacts that a request would ask, and of those already asked in the open request. */
    contactNames: z.array(z.string()),
    toldNames: z.array(z.string()),
    readyMessages: z.number(),
    /** Number of those letters: one per recipient who has none yet. */
    readyLetters: z.number(),
    /** Number of those letters that leave later, on a day of their own after the release. */
    laterLetters: z.number(),
    /** After a halt or a release: the newest letters that went out, one for each of those a message is for. */
    deliveries: z.array(sentLetterSchema).max(sentLettersPerPage),
    /** Numbers of all of them, and the time of the last delivery. */
    sent: z.object({ letters: z.number(), delivered: z.number(), opened: z.number(), lastAt: instant.nullable() }),
    /**
     * Question to the signed-in person whether they are the owner, because letters have left; null if there is none.
     */
    question: z
      .object({
        /** Time when the first of them was delivered. */
        deliveredAt: instant,
        /** Number of others who wait for the answer, and when they go if there is none; null while nothing is held. */
        held: z.number(),
        goesOnAt: instant.nullable(),
      })
      .nullable(),
    /** Told until the owner has read it: they came back while people were asked, or letters were on their way. */
    cameBack: cameBackSchema.nullable(),
    quorum: z.number(),
    waitingDays: z.number(),
    answerDays: z.number(),
    /** True if reminders also come as texts. */
    isTexted: z.boolean(),
  })
  .meta({ id: 'ReleaseOverview' });

export type ReleaseOverview = z.input<typeof releaseOverviewSchema>;

export const getRelease = defineRoute({
  method: 'GET',
  path: '/api/release',
  access: 'session',
  summary: 'Where the owner stands between silence and delivery',
  answer: releaseOverviewSchema,
});

export const stopRelease = defineRoute({
  method: 'POST',
  path: '/api/release/stop',
  access: 'session',
  summary: 'Stop everything that is under way; counts as activity',
  answer: releaseOverviewSchema,
});

export const dismissReturn = defineRoute({
  method: 'POST',
  path: '/api/release/came-back/read',
  access: 'session',
  summary: 'The owner has read what happened while they were silent; it is not told again',
  answer: okAnswer,
});

const returnAnswers = ['back', 'leave', 'not-me'] as const;
export type ReturnAnswer = (typeof returnAnswers)[number];

export const answerRelease = defineRoute({
  method: 'POST',
  path: '/api/release/answer',
  access: 'session',
  summary:
    'After letters have left: take back what is unopened, leave it so, or say that you are not the owner, which signs out',
  body: z.object({ take: z.enum(returnAnswers) }),
  answer: okAnswer,
});

/** A day by the calendar in London, such as `2027-02-01`. */
const awayUntil = z.iso.date('Choose a day');

const preferences = z.object({
  quorum: z.int().min(quorumMin).max(quorumMax),
  waitingDays: z.int().min(waitingDaysMin).max(waitingDaysMax),
  answerDays: z.int().min(answerDaysMin).max(answerDaysMax),
});

export const updateReleasePreferences = defineRoute({
  method: 'PUT',
  path: '/api/release/preferences',
  // The wizard asks for them before an address is verified, as for the rest of the release settings.
  access: 'session',
  summary: 'How many must confirm, and how long to wait; counts as activity',
  body: preferences.extend({
    /** Choices that the change was made from; refused if others are stored. */
    before: preferences.optional(),
    /** As in `updateAway`; left out, it stays. */
    awayUntil: awayUntil.nullable().optional(),
  }),
  answer: releaseOverviewSchema,
});

export const updateAway = defineRoute({
  method: 'PUT',
  path: '/api/release/away',
  // The wizard's last step asks for it, before an address is verified.
  access: 'session',
  summary: 'Until when the owner is away, at most 180 days ahead, or null for back again; counts as activity',
  body: z.object({ until: awayUntil.nullable() }),
  answer: releaseOverviewSchema,
});

export const checkin = defineRoute({
  method: 'POST',
  path: '/api/checkin',
  access: 'session',
  summary: 'A press says you are still here',
  answer: z.object({ ok: z.literal(true), lastCheckinAt: instant }),
});

export const getCheckInLink = defineRoute({
  method: 'GET',
  path: '/api/check-in/:token',
  access: 'token',
  summary: 'Who an emailed check-in link is for; changes nothing',
  params: tokenParams,
  answer: z.object({ firstName: z.string(), lastCheckinAt: instant }),
  ratePerMinute: 30,
});

export const checkInByLink = defineRoute({
  method: 'POST',
  path: '/api/check-in/:token',
  access: 'token',
  summary: 'Check in with the button behind an emailed link',
  params: tokenParams,
  answer: okAnswer.extend({
    lastCheckinAt: instant,
    /** Steps that would follow without any further event, earliest first. */
    timeline: z.array(timelineEntrySchema),
    /**
     * Counts for a stopped delivery: messages sent, messages opened, and messages handed to a mail server that may
     * still arrive. Null if no delivery had begun.
     */
    halted: z.object({ sent: z.number(), opened: z.number(), mayArrive: z.number() }).nullable(),
  }),
  ratePerMinute: 30,
});
