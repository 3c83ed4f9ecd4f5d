import { z } from 'zod';
import { userSchema } from '#shared/contract/accounts.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { typedPasswordLengthMax } from '#shared/rules/passwords.ts';

/** Refused with `REAUTHENTICATION_REQUIRED` where neither the password came nor the sign-in is fresh. */
export const deleteAccount = defineRoute({
  method: 'DELETE',
  path: '/api/delete-account',
  access: 'session',
  summary: 'Ask for the account to be deleted; ends every session, and can be taken back for 30 days',
  body: z
    .object({
      password: z.string().max(typedPasswordLengthMax).optional(),
      /**
       * Choice for letters with a day of their own. If such letters exist and it is left out, the answer asks for it.
       */
      letters: z.enum(['take-back', 'leave']).optional(),
    })
    .nullish(),
  status: 204,
  ratePerMinute: 10,
});

export const restoreAccount = defineRoute({
  method: 'POST',
  path: '/api/user/restore',
  access: 'session',
  whileClosing: true,
  beforePasswordChange: true,
  summary: 'Take the deletion of the account back, within its 30 days',
  /** `planNotice` tells the owner in a sentence how a paid plan changed meanwhile. */
  answer: userSchema.extend({ planNotice: z.string().optional() }),
});
