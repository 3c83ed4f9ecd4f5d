import { z } from 'zod';
import { id, instant, okAnswer, reasonLengthMax, requiredText, tokenParams } from '#shared/contract/fields.ts';
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
  summary: 'Release method and period of silence',
  answer: releaseSettingsSchema,
});

export const updateReleaseSettings = defineRoute({
  method: 'PUT',
  path: '/api/user/release-settings',
  access: 'verified',
  summary: 'Choose release method and period of silence; counts as activity',
  body: releaseSettingsSchema,
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
    /** Whether it has happened. */
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
  'address_bounced',
  'contact_bounced',
  'letter_bounced',
  'frozen',
] as const;

export const releaseOverviewSchema = z
  .object({
    state: z.enum(releaseStates),
    releaseMethod: z.enum(releaseMethods),
    inactivityDays: z.number(),
    lastActivityAt: instant,
    /** The day until which the owner is away, from which silence is counted; null where they are not. */
    awayUntil: z.string().nullable(),
    timeline: z.array(timelineEntrySchema),
    /** Whether everything a release needs is in place. */
    ready: z.boolean(),
    problems: z.array(z.object({ type: z.enum(releaseProblems), message: z.string() })),
    /** First names of the contacts that would be asked, and of those who have been, in what is under way. */
    contactNames: z.array(z.string()),
    toldNames: z.array(z.string()),
    readyMessages: z.number(),
    /**
     * After a halt or a release: which messages went out, and which of them were opened. `may_arrive`: it was being handed
     * over to a mail server as it was stopped.
     */
    deliveries: z.array(
      z.object({ messageId: id, status: z.string(), deliveredAt: instant.nullable(), accessedAt: instant.nullable() }),
    ),
    /** Letters have left, and nobody who signed in has said yet whether they are the owner; null where nothing is asked. */
    question: z
      .object({
        /** When the first of them was delivered. */
        deliveredAt: instant,
        /** How many others wait for the answer, and when they go if there is none; null while nothing is held. */
        held: z.number(),
        goesOnAt: instant.nullable(),
      })
      .nullable(),
    quorum: z.number(),
    waitingDays: z.number(),
    answerDays: z.number(),
    /** Whether reminders also come as texts. */
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

export const updateReleasePreferences = defineRoute({
  method: 'PUT',
  path: '/api/release/preferences',
  // The wizard asks for them before an address is verified, as for the rest of the release settings.
  access: 'session',
  summary: 'How many must confirm, and how long to wait; counts as activity',
  body: z.object({
    quorum: z.int().min(quorumMin).max(quorumMax),
    waitingDays: z.int().min(waitingDaysMin).max(waitingDaysMax),
    answerDays: z.int().min(answerDaysMin).max(answerDaysMax),
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
  summary: 'Tell us all is well',
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
    /** What would happen next, and when, if nothing more were heard. Earliest first. */
    timeline: z.array(timelineEntrySchema),
    /**
     * How many messages had been sent, and opened, where this has stopped a delivery, and how many were just being handed
     * over to a mail server and may still arrive; null where none had begun.
     */
    halted: z.object({ sent: z.number(), opened: z.number(), mayArrive: z.number() }).nullable(),
  }),
  ratePerMinute: 30,
});

const portalStops = [
  'no',
  'not_asked',
  'nobody_answered',
  'too_few_contacts',
  'begun_anew',
  'taken_back',
  'not_counted',
] as const;

/** The portal of one contact. Titles and recipients of messages that are not visible are never sent. */
export const portalSchema = z
  .object({
    user: z.object({ firstName: z.string(), lastName: z.string(), email: z.string() }),
    contact: z.object({ name: z.string(), email: z.string() }),
    token: z.string(),
    inactivityDays: z.number(),
    messages: z.array(
      z.object({
        id,
        title: z.string(),
        recipientEmail: z.string(),
        createdAt: instant,
        isVisible: z.literal(true),
      }),
    ),
    /** How many more would be delivered without being shown here. */
    privateMessageCount: z.number(),
    /** Documents that the owner made visible to trusted contacts. */
    documents: z.array(z.object({ id, name: z.string(), sizeBytes: z.number(), mimeType: z.string() })),
    /** Until when they can be downloaded; null while they cannot: before the release, and 30 days after it. */
    documentsUntil: instant.nullable(),
    state: z.enum(['open', 'confirmed', 'cancelled', 'stopped', 'released']),
    /** Where the state is `stopped`: what has stopped it, or what became of this contact's own answer. */
    stoppedBy: z.enum(portalStops).nullable(),
    lastActivityAt: instant,
    silentDays: z.number(),
    /** Until when the owner has said that they are away; null where they have not, or that day has come. */
    awayUntil: instant.nullable(),
    /** What has happened so far, oldest first. */
    history: z.array(timelineEntrySchema),
    /** Everybody else with the role, and those of them who are being asked, too. */
    otherContactNames: z.array(z.string()),
    askedNames: z.array(z.string()),
    /** How many contacts must confirm, and how many have. */
    quorum: z.number(),
    confirmations: z.number(),
    releaseMethod: z.enum(releaseMethods),
    /** Whether somebody asked for it before the owner was silent for the whole period. */
    isEarly: z.boolean(),
    /** The owner's own days between enough confirmations and the delivery; 0 where nothing is waited for. */
    waitingDays: z.number(),
    /** What keeps the messages back although enough have confirmed, or would if they did; and until when, where known. */
    held: z
      .object({ by: z.enum(['stopped', 'no_message', 'new_contact', 'waiting_time']), until: instant.nullable() })
      .nullable(),
    /** What a cancel would lead to; null where none can be given any more. */
    ifCancelled: z
      .object({
        /** Who would be told of it. */
        toldNames: z.array(z.string()),
        /** After how many days contacts are asked again; null where the usual reminders go on. */
        askAgainDays: z.number().nullable(),
        /** Whether what others confirm still counts, since this contact has cancelled before. */
        canOthersConfirm: z.boolean(),
        /** Whether the owner is told of it, and whether the request is over with it. */
        isOwnerTold: z.boolean(),
        isRequestOver: z.boolean(),
      })
      .nullable(),
    /** Whether the yes that this contact gave can be taken back: until the first letter has left. */
    canTakeBack: z.boolean(),
    /** Whether somebody asked in this contact's name, so that "I did not ask" is an answer, too. */
    canSayNotAsked: z.boolean(),
    /** What became of it, in words; null while it is asked. */
    outcome: z.string().nullable(),
  })
  .meta({ id: 'Portal' });

export type Portal = z.input<typeof portalSchema>;

export const getPortal = defineRoute({
  method: 'GET',
  path: '/api/trusted-contact-admin/:token',
  access: 'token',
  summary: 'What a trusted contact is asked',
  params: tokenParams,
  answer: portalSchema,
  ratePerMinute: 30,
});

export const confirmRelease = defineRoute({
  method: 'POST',
  path: '/api/trusted-contact-admin/:token/confirm-release',
  access: 'token',
  summary: 'Confirm or cancel the release, with a reason',
  params: tokenParams,
  body: z.object({ confirmed: z.boolean(), reason: requiredText(reasonLengthMax) }),
  answer: z.object({ ok: z.literal(true), state: z.enum(['confirmed', 'cancelled']), message: z.string() }),
  ratePerMinute: 30,
});

/** A person presses a button for it; whoever follows a link changes nothing. */
export const takeBackConfirmation = defineRoute({
  method: 'POST',
  path: '/api/trusted-contact-admin/:token/take-back',
  access: 'token',
  summary: 'Take a confirmation back, until the first letter has left',
  params: tokenParams,
  answer: okAnswer.extend({ message: z.string() }),
  ratePerMinute: 30,
});

export const sayNotAsked = defineRoute({
  method: 'POST',
  path: '/api/trusted-contact-admin/:token/not-asked',
  access: 'token',
  summary: '"I did not ask": end the emergency request that was made in this contact’s name',
  params: tokenParams,
  answer: okAnswer.extend({ message: z.string() }),
  ratePerMinute: 30,
});

export const downloadPortalDocument = defineRoute({
  method: 'GET',
  path: '/api/trusted-contact-admin/:token/documents/:id',
  access: 'token',
  summary: 'A visible document, for a trusted contact, from the release on for 30 days',
  params: tokenParams.extend({ id }),
  answersFile: true,
  ratePerMinute: 60,
});
