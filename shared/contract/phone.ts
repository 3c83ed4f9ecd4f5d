import { z } from 'zod';
import { userProfileSchema } from '#shared/contract/accounts.ts';
import { messageAnswer } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

const codeWanted = 'Type the six digits of the text';

export const phoneCode = z
  .string(codeWanted)
  .transform((typed) => typed.replace(/\s/g, ''))
  .pipe(z.string().regex(/^\d{6}$/, codeWanted));

/** With the code of our text: from then on reminders go to the number, and a YES from it counts. */
export const verifyPhone = defineRoute({
  method: 'POST',
  path: '/api/user/phone/verify',
  access: 'verified',
  summary: 'Show that the phone number is yours',
  body: z.object({ code: phoneCode }),
  answer: userProfileSchema,
  ratePerMinute: 20,
});

export const resendPhoneCode = defineRoute({
  method: 'POST',
  path: '/api/user/phone/resend',
  access: 'verified',
  summary: 'Have another code texted to the phone number',
  answer: messageAnswer,
  ratePerMinute: 10,
});
