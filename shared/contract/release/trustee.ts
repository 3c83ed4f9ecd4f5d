import { z } from 'zod';
import { id, instant, okAnswer, requiredText } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { reasonLengthMax } from '#shared/rules/release-answers.ts';

export const trusteeRelationshipSchema = z
  .object({
    id,
    ownerUserId: id,
    ownerFirstName: z.string(),
    ownerLastName: z.string(),
    /** Address of an owner without a name, to tell owners apart; empty otherwise. */
    ownerEmail: z.string(),
    /** The owner's word for this person; null where there is none, or the relationship has ended. */
    trustedContactRelationship: z.string().nullable(),
    /** False once the owner has switched the contact off, or the contact has left the role. */
    isActive: z.boolean(),
    createdAt: instant,
  })
  .meta({ id: 'TrusteeRelationship' });

export type TrusteeRelationship = z.input<typeof trusteeRelationshipSchema>;

/** Reading is not activity, because the page reads by itself. */
export const listTrusteeRelationships = defineRoute({
  method: 'GET',
  path: '/api/trustee/relationships',
  access: 'session',
  summary: 'Whose trustee the signed-in person is, newest first',
  answer: z.array(trusteeRelationshipSchema),
});

/**
 * State of a release that this trustee has confirmed; `none` if they have confirmed none. Every trustee learns that
 * letters are being sent, because no action is left.
 */
export const trusteeReleaseStates = ['none', 'waiting_for_others', 'waiting_time', 'paused', 'released'] as const;

const trusteeRelease = z.object({
  state: z.enum(trusteeReleaseStates),
  /** Number of contacts who must confirm, and how many more must than have. */
  quorum: z.number(),
  missing: z.number(),
  /** Time when the owner's waiting time ends; null while that is not known. */
  waitsUntil: instant.nullable(),
  /** True while this trustee has a yes that counts and no letter has left. */
  canWithdraw: z.boolean(),
  /** True while this trustee can answer that the owner is alive and can't answer. */
  canSayAlive: z.boolean(),
});

export const trusteeSummarySchema = z
  .object({
    messageCount: z.number(),
    readyCount: z.number(),
    release: trusteeRelease,
    /** From when this trustee can trigger a release; null where they can now. */
    triggerFrom: instant.nullable(),
    /** Until when the owner has said that they are away; null where they have not, or that day has come. */
    awayUntil: instant.nullable(),
  })
  .meta({ id: 'TrusteeSummary' });

export type TrusteeSummary = z.input<typeof trusteeSummarySchema>;

type OwnerQuery = { ownerUserId?: string | undefined } & Record<string, unknown>;

/** Owner named by a query: `?ownerUserId={id}`, or the bare `?{id}`. Null if it names none, or several. */
export function ownerInQuery({ ownerUserId, ...rest }: OwnerQuery): string | null {
  if (ownerUserId !== undefined) return ownerUserId;
  const [bare, ...more] = Object.entries(rest);
  if (!bare || more.length > 0 || bare[1] !== '') return null;
  return id.safeParse(bare[0]).data ?? null;
}

export const getTrusteeMessages = defineRoute({
  method: 'GET',
  path: '/api/trustee/messages',
  access: 'session',
  summary: 'How many messages an owner has: one element, and never a title',
  query: z
    .looseObject({ ownerUserId: id.optional() })
    .refine((query) => ownerInQuery(query) !== null, { path: ['ownerUserId'], message: 'Invalid input' }),
  answer: z.array(trusteeSummarySchema),
});

/** Asks for the password again, with `REAUTHENTICATION_REQUIRED`, where the sign-in is not fresh. */
export const triggerRelease = defineRoute({
  method: 'POST',
  path: '/api/trustee/trigger-release/:ownerUserId',
  access: 'verified',
  summary: 'Confirm, as a trusted contact, that the messages of an owner should be released',
  params: z.object({ ownerUserId: id }),
  answer: z.object({
    ok: z.literal(true),
    /** True if the messages are being sent; otherwise `message` names the missing condition. */
    released: z.boolean(),
    message: z.string(),
  }),
  ratePerMinute: 10,
});

/** Says that the owner is alive and can't answer. It only stops letters, so an old sign-in is enough. */
export const sayAliveAsTrustee = defineRoute({
  method: 'POST',
  path: '/api/trustee/alive/:ownerUserId',
  access: 'verified',
  summary: 'Say, as a trusted contact, that the owner is alive and can’t answer',
  params: z.object({ ownerUserId: id }),
  body: z.object({ reason: requiredText(reasonLengthMax) }),
  answer: okAnswer.extend({ message: z.string() }),
  ratePerMinute: 10,
});

/** A yes can be withdrawn until the first letter has left. It makes nothing sooner, so an old sign-in is enough. */
export const withdrawConfirmation = defineRoute({
  method: 'POST',
  path: '/api/trustee/withdraw-confirmation/:ownerUserId',
  access: 'verified',
  summary: 'Withdraw, as a trusted contact, the confirmation of a release',
  params: z.object({ ownerUserId: id }),
  answer: okAnswer.extend({ message: z.string() }),
  ratePerMinute: 10,
});
