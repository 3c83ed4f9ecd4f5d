import { z } from 'zod';
import { messageAnswer, phone, sixDigits } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { inactivityDaysMax, inactivityDaysMin, releaseMethods } from '#shared/rules/inactivity.ts';

/**
 * Reasons why a code does not arrive. `landline`: not a mobile. `stopped`: the number sent STOP. `refused`: another
 * reason.
 */
const phoneTroubles = ['landline', 'stopped', 'refused'] as const;
export type PhoneTrouble = (typeof phoneTroubles)[number];

export const phoneTroubleWords: Record<PhoneTrouble, string> = {
  landline: 'This number can’t get texts: it may be a landline. Save a mobile number instead.',
  stopped: 'STOP was sent from this number, so no text goes there. Text START from it, then ask for a new code.',
  refused: 'Our text service does not accept this number. Check its digits, or save another number.',
};

const userProfileSchema = z
  .object({
    phone: z.string().nullable(),
    /** True if the code that we texted to the phone was typed. Before, it is used for nothing. */
    isPhoneProven: z.boolean(),
    /** Reason why our last code can't arrive; null if it can. */
    phoneTrouble: z.enum(phoneTroubles).nullable(),
    releaseMethod: z.enum(releaseMethods),
    inactivityDays: z.number(),
    /** True if these were ever saved by the owner; a new account has the same fields with what it starts with. */
    hasChosenSettings: z.boolean(),
  })
  .meta({ id: 'UserProfile' });

export const getUserProfile = defineRoute({
  method: 'GET',
  path: '/api/user-profile',
  access: 'session',
  summary: 'Phone and release settings, as the setup wizard reads them',
  answer: userProfileSchema,
});

export const updateUserProfile = defineRoute({
  method: 'PUT',
  path: '/api/user-profile',
  access: 'session',
  summary: 'Save phone and release settings from the setup wizard',
  body: z.object({
    /** Left out, it stays; empty, it is removed. */
    phone: phone.optional(),
    releaseMethod: z.enum(releaseMethods).optional(),
    inactivityDays: z.int().min(inactivityDaysMin).max(inactivityDaysMax).optional(),
  }),
  answer: userProfileSchema,
});

export const phoneCode = sixDigits('Type the six digits of the text');

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
