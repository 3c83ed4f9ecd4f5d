import { z } from 'zod';
import { email, id, instant, okAnswer, requiredText, tokenParams } from '#shared/contract/fields.ts';
import { namedRecipient } from '#shared/contract/letters/recipients.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { releaseMethods } from '#shared/rules/inactivity.ts';
import { portalDocumentsPerPage, portalMessagesMax, reasonLengthMax } from '#shared/rules/release-answers.ts';
import { timelineEntrySchema } from './release.ts';

const portalStops = [
  'no',
  'alive',
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
    messages: z
      .array(
        z.object({
          id,
          title: z.string(),
          recipientEmail: z.string(),
          recipients: z.array(namedRecipient),
          createdAt: instant,
          isVisible: z.literal(true),
        }),
      )
      .max(portalMessagesMax),
    /** Number of further visible messages. */
    messagesLeftOut: z.number(),
    /** Number of messages that would be delivered but are not visible to contacts. */
    privateMessageCount: z.number(),
    /** A page of the documents that the owner made visible to trusted contacts. */
    documents: z
      .array(z.object({ id, name: z.string(), sizeBytes: z.number(), mimeType: z.string() }))
      .max(portalDocumentsPerPage),
    /** Number of all of them. */
    documentCount: z.number(),
    /** Index of the first of this page. */
    documentsFrom: z.number(),
    /** Until when they can be downloaded; null while they cannot: before the release, and 30 days after it. */
    documentsUntil: instant.nullable(),
    /** True if the owner’s page for the first weeks can be read here now. */
    hasFirstWeeks: z.boolean(),
    state: z.enum(['open', 'confirmed', 'cancelled', 'alive', 'stopped', 'released']),
    /** In the state `stopped`: the cause, or the fate of this contact's own answer. */
    stoppedBy: z.enum(portalStops).nullable(),
    lastActivityAt: instant,
    silentDays: z.number(),
    /** Until when the owner has said that they are away; null where they have not, or that day has come. */
    awayUntil: instant.nullable(),
    /** Events so far, oldest first. */
    history: z.array(timelineEntrySchema),
    /** Everybody else with the role, and those of them who are being asked, too. */
    otherContactNames: z.array(z.string()),
    askedNames: z.array(z.string()),
    /** Number of contacts who must confirm, and how many have. */
    quorum: z.number(),
    confirmations: z.number(),
    releaseMethod: z.enum(releaseMethods),
    /** Time when the letters leave if no contact answers; null if they never do. */
    goAloneAt: instant.nullable(),
    /** True if the request was made before the owner was silent for the whole period. */
    isEarly: z.boolean(),
    /** The owner's own days between enough confirmations and the delivery; 0 where nothing is waited for. */
    waitingDays: z.number(),
    /** Cause that delays the messages although the quorum is or would be reached, and its end, if known. */
    held: z
      .object({
        by: z.enum(['stopped', 'no_message', 'new_contact', 'early_review', 'waiting_time']),
        until: instant.nullable(),
      })
      .nullable(),
    /** Effect of a cancel; null if none is possible. */
    ifCancelled: z
      .object({
        /** People who would be notified. */
        toldNames: z.array(z.string()),
        /** After how many days contacts are asked again; null where the usual reminders go on. */
        askAgainDays: z.number().nullable(),
        /** True if what others confirm still counts, since this contact has cancelled before. */
        canOthersConfirm: z.boolean(),
        /** True if the owner is notified; true if the cancel ends the request. */
        isOwnerTold: z.boolean(),
        isRequestOver: z.boolean(),
      })
      .nullable(),
    /** Time when this contact said before that the owner is alive and can't answer; null if they did not. */
    aliveSaidAt: instant.nullable(),
    /** True if the yes that this contact gave can be taken back: until the first letter has left. */
    canTakeBack: z.boolean(),
    /** True if the request was made in this contact's name, so that they can answer "I did not ask". */
    canSayNotAsked: z.boolean(),
    /**
     * Present if no reminder reached the owner. `asked`: we want another address. `given`: this contact gave one.
     * `enough`: contacts gave the maximum.
     */
    otherAddress: z.enum(['asked', 'given', 'enough']).nullable(),
    /** Readers who want no more letters now and have one that waits, without their names, and since when. */
    declining: z.array(z.object({ id, since: instant })),
    /** Result as a sentence; null while the request is open. */
    outcome: z.string().nullable(),
  })
  .meta({ id: 'Portal' });

export type Portal = z.input<typeof portalSchema>;

const documentsFromMax = 1_000_000;

export const getPortal = defineRoute({
  method: 'GET',
  path: '/api/trusted-contact-admin/:token',
  access: 'token',
  summary: 'What a trusted contact is asked',
  params: tokenParams,
  query: z.object({ documentsFrom: z.coerce.number().int().min(0).max(documentsFromMax).default(0) }),
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

export const sayAlive = defineRoute({
  method: 'POST',
  path: '/api/trusted-contact-admin/:token/alive',
  access: 'token',
  summary: '"Alive, but can’t answer": stops the release as a no does, with a reason',
  params: tokenParams,
  body: z.object({ reason: requiredText(reasonLengthMax) }),
  answer: okAnswer.extend({ message: z.string() }),
  ratePerMinute: 30,
});

/** Posted by a button. Following a link changes nothing. */
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

/** Posted by a button of the portal. The writer learns nothing of it. */
export const sendDeclined = defineRoute({
  method: 'POST',
  path: '/api/trusted-contact-admin/:token/letters',
  access: 'token',
  summary: 'Have the letters of a reader come on their days again, who wanted no more of them',
  params: tokenParams,
  body: z.object({ readerId: id }),
  answer: okAnswer,
  ratePerMinute: 30,
});

export const giveOwnerAddress = defineRoute({
  method: 'POST',
  path: '/api/trusted-contact-admin/:token/owner-address',
  access: 'token',
  summary: 'Give another email address of an owner whom no reminder reached',
  params: tokenParams,
  body: z.object({ address: email }),
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
