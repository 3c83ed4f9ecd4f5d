import { z } from 'zod';
import { email, id, instant, requiredText, tokenParams } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { reasonLengthMax } from '#shared/rules/release-answers.ts';

/** Letters that a page shows. */
export const unreachedShownMax = 50;

/**
 * A contact's view of letters that were refused or never opened. Messages that are not visible to contacts are only
 * counted.
 */
export const newAddressSchema = z
  .object({
    user: z.object({ firstName: z.string(), lastName: z.string() }),
    contactName: z.string(),
    otherContactNames: z.array(z.string()),
    /** True if another contact must agree before anything is sent. */
    needsAgreement: z.boolean(),
    /** True if everything stands still for now: nothing is proposed or agreed with, and a no is taken. */
    isStopped: z.boolean(),
    /** Number of days a proposal waits where no one else can agree, or none of the others answers. */
    waitDays: z.number(),
    /** Letters that are visible to contacts: the first ones for which something can be done, and then others. */
    letters: z.array(
      z.object({
        /** Id of the failed delivery. */
        id,
        title: z.string(),
        /** Address that refused the letter or never opened it. While a new address is being tried: the new one. */
        recipientEmail: z.string(),
        /** By the name that the writer gave; null where they gave none. */
        recipientName: z.string().nullable(),
        state: z.enum(['refused', 'unopened', 'on_its_way', 'too_late']),
        proposal: z
          .object({
            address: z.string(),
            reason: z.string(),
            /** First name of the contact who proposed it. */
            byName: z.string(),
            isYours: z.boolean(),
            /** True if another contact's yes sends it at once. */
            canBeAgreed: z.boolean(),
            /** True if the operator must check this release before it is sent there. */
            isUnderReview: z.boolean(),
            /**
             * Time when it is sent if no contact answers; null if another contact must agree, as for a contact's own
             * address.
             */
            sendsAt: instant.nullable(),
          })
          .nullable(),
      }),
    ),
    /** Number of further letters, which follow once some of these are done. */
    furtherLetterCount: z.number(),
    /** Number of refused or unopened letters whose recipients are hidden from contacts. */
    privateLetterCount: z.number(),
  })
  .meta({ id: 'NewAddress' });

export type NewAddressPage = z.input<typeof newAddressSchema>;

export const getNewAddress = defineRoute({
  method: 'GET',
  path: '/api/new-address/:token',
  access: 'token',
  summary: 'Whom a release could not reach, for a trusted contact who may know another address',
  params: tokenParams,
  answer: newAddressSchema,
  ratePerMinute: 30,
});

export const proposeNewAddress = defineRoute({
  method: 'POST',
  path: '/api/new-address/:token/proposals',
  access: 'token',
  summary: 'Propose another address for a letter that was refused',
  params: tokenParams,
  body: z.object({ letterId: id, address: email, reason: requiredText(reasonLengthMax) }),
  answer: newAddressSchema,
  ratePerMinute: 30,
});

export const answerNewAddress = defineRoute({
  method: 'POST',
  path: '/api/new-address/:token/answers',
  access: 'token',
  summary: 'Agree with the address that another contact proposed, say no to it, or take back your own',
  params: tokenParams,
  body: z.object({ letterId: id, address: email, agrees: z.boolean() }),
  answer: newAddressSchema,
  ratePerMinute: 30,
});
