import { z } from 'zod';
import { instant, tokenParams } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { planNames } from '#shared/rules/plans.ts';

export const notMeSchema = z
  .object({
    /** Enough of the address to know it again. */
    email: z.string(),
    openedAt: instant,
    isVerified: z.boolean(),
    /** Content that would be deleted, as numbers without any text. */
    letters: z.number(),
    contacts: z.number(),
    documents: z.number(),
    checklists: z.number(),
    hasPhone: z.boolean(),
    hasOwnSettings: z.boolean(),
    /** Paid for, given, or chosen when the account was opened; null for the free one. */
    plan: z.enum(planNames).nullable(),
    /** Deletion with the press, or closing of the account with deletion 30 days later. */
    removal: z.enum(['at-once', 'with-undo']),
  })
  .meta({ id: 'NotMe' });

export type NotMe = z.input<typeof notMeSchema>;

/** Looking changes nothing: mail scanners open links by themselves. */
export const getNotMe = defineRoute({
  method: 'GET',
  path: '/api/not-me/:token',
  access: 'token',
  summary: 'What the account holds that somebody may have opened with another’s address',
  params: tokenParams,
  answer: notMeSchema,
  ratePerMinute: 30,
});

/** The press. From then on the link is dead, and so is every other one of the account. */
export const sayNotMe = defineRoute({
  method: 'POST',
  path: '/api/not-me/:token',
  access: 'token',
  summary: 'Say that an account was opened by somebody else, and have it removed',
  params: tokenParams,
  answer: z.object({
    /** Time when everything is gone; null if it is already. */
    goesAt: instant.nullable(),
  }),
  ratePerMinute: 20,
});
