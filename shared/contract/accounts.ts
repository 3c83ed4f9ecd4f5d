import { z } from 'zod';
import {
  authenticatorCode,
  email,
  id,
  instant,
  keepSignedIn,
  messageAnswer,
  okAnswer,
  optionalName,
  requiredName,
  token,
  typedEmailLengthMax,
} from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { addressIn } from '#shared/rules/addresses/written-address.ts';
import { releaseMethods } from '#shared/rules/inactivity.ts';
import {
  normalisedPassword,
  passwordLengthMax,
  passwordLengthMin,
  typedPasswordLengthMax,
} from '#shared/rules/passwords.ts';
import { planNames, registrablePlanNames } from '#shared/rules/plans.ts';
import { roleNames } from '#shared/rules/roles.ts';

/** The signed-in person as the web knows them. Never a password, a token or a payment identifier. */
export const userSchema = z
  .object({
    id,
    email: z.string(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    profileImageUrl: z.string().nullable(),
    phone: z.string().nullable(),
    /** True if the code that we texted to the phone was typed. Before, it is used for nothing. */
    isPhoneProven: z.boolean(),
    plan: z.enum(planNames),
    /** The paid plan chosen at registration, which a payment would grant. */
    intendedPlan: z.enum(planNames).nullable(),
    /** True if a page has led the account to that plan, in whichever browser. */
    isPlanOffered: z.boolean(),
    /** The designated administrator is `admin`, whatever the account's row says. */
    role: z.enum(roleNames),
    /** True if this account is the designated administrator: verified, and the configured address. */
    isAdministrator: z.boolean(),
    emailVerified: z.boolean(),
    /**
     * True if the person has shown that they read the mail at this address. A verified address alone does not show
     * it.
     */
    isMailboxProven: z.boolean(),
    releaseMethod: z.enum(releaseMethods),
    inactivityDays: z.number(),
    checkinIntervalDays: z.number(),
    lastCheckinAt: instant,
    isTrustedContactAccount: z.boolean(),
    tempPassword: z.boolean(),
    /** Only while the account is being deleted: the day on which everything in it goes, unless it is restored. */
    deletionAt: instant.optional(),
    /**
     * Present under the same condition. True if a stranger's account was reported from this mailbox: only a mailbox
     * proof clears it.
     */
    isDisowned: z.boolean().optional(),
  })
  .meta({ id: 'User' });

export type User = z.input<typeof userSchema>;

const tooLongPassword = `Password must be at most ${passwordLengthMax} characters`;

/** A password that is set, in the form that is hashed. `missing` is the sentence if there is none. */
export function newPassword(missing: string) {
  return z
    .string(missing)
    .max(typedPasswordLengthMax, { message: tooLongPassword, abort: true })
    .overwrite(normalisedPassword)
    .min(passwordLengthMin, `Password must be at least ${passwordLengthMin} characters`)
    .max(passwordLengthMax, tooLongPassword);
}

/** The password of an account, as typed. */
function knownPassword(missing: string) {
  return z.string(missing).min(1, missing).max(typedPasswordLengthMax, tooLongPassword);
}

const password = newPassword('Password is required');

const confirmed = (value: { password: string; confirmPassword?: string | undefined }) =>
  value.confirmPassword === undefined ||
  normalisedPassword(value.confirmPassword) === normalisedPassword(value.password);
const mismatch = { path: ['confirmPassword'], message: "Passwords don't match" };
const confirmPassword = z.string('Required').max(typedPasswordLengthMax, { message: mismatch.message, abort: true });

export const getAuthUser = defineRoute({
  method: 'GET',
  path: '/api/auth/user',
  access: 'session',
  whileClosing: true,
  summary: 'The signed-in person',
  beforePasswordChange: true,
  answer: userSchema,
});

export const getUser = defineRoute({
  method: 'GET',
  path: '/api/user',
  access: 'session',
  whileClosing: true,
  summary: 'The signed-in person',
  beforePasswordChange: true,
  answer: userSchema,
});

/** Ways of proving, after the password, that it is really the owner. */
export const secondFactors = ['authenticator', 'passkey', 'recovery'] as const;
export type SecondFactor = (typeof secondFactors)[number];

export const loginBody = z.object({
  email,
  password: knownPassword('Password is required'),
  keepSignedIn,
});

export const login = defineRoute({
  method: 'POST',
  path: '/api/login',
  access: 'public',
  summary: 'Sign in',
  body: loginBody,
  otherStatus: 202,
  /**
   * Status 202 answers the second form: the password is right, a second factor is required, and the person is not
   * signed in yet.
   */
  answer: z.discriminatedUnion('ok', [
    z.object({ ok: z.literal(true), user: userSchema }),
    z.object({ ok: z.literal(false), secondFactor: z.array(z.enum(secondFactors)) }),
  ]),
  ratePerMinute: 10,
});

export const logout = defineRoute({
  method: 'POST',
  path: '/api/logout',
  access: 'public',
  summary: 'Sign out; harmless when signed out',
  answer: okAnswer,
});

const lastNameRequired = 'Last name is required';

/** The form of the registration page. */
export const registerForm = z
  .object({
    email,
    password,
    confirmPassword,
    firstName: requiredName('First name is required'),
    lastName: requiredName(lastNameRequired),
    plan: z.enum(registrablePlanNames).default('free'),
  })
  .refine(confirmed, mismatch);

const wrongUsername = 'The user name is your email address';

/** Accepts the form above, or the setup wizard's fields: the wizard sends `username`, and its last name is optional. */
export const registerBody = z
  .object({
    username: z.string().max(typedEmailLengthMax, { message: wrongUsername, abort: true }).optional(),
    email,
    password,
    confirmPassword: confirmPassword.optional(),
    firstName: requiredName('First name is required'),
    lastName: optionalName(),
    plan: z.enum(registrablePlanNames).default('free'),
  })
  .refine(confirmed, mismatch)
  .refine((value) => value.username === undefined || addressIn(value.username) === value.email, {
    path: ['username'],
    message: wrongUsername,
  })
  .refine((value) => value.username !== undefined || Boolean(value.lastName), {
    path: ['lastName'],
    message: lastNameRequired,
    // Runs beside the other checks, so that the caller reads all mistakes in one answer.
    when: ({ value }) => typeof value === 'object' && value !== null,
  });

/** Each writes to a mailbox that may be a stranger's. A mobile network is one network to us, so it is no small number. */
export const registrationsOfNetworkPerDay = 200;

export const register = defineRoute({
  method: 'POST',
  path: '/api/register',
  access: 'public',
  summary: 'Create an account; answers alike whether or not the address is taken',
  body: registerBody,
  status: 201,
  answer: messageAnswer,
  ratePerMinute: 10,
  networkPerDay: registrationsOfNetworkPerDay,
});

export const resetPasswordBody = z.object({ email });

export const resetPassword = defineRoute({
  method: 'POST',
  path: '/api/reset-password',
  access: 'public',
  summary: 'Ask for a link that sets a new password',
  body: resetPasswordBody,
  answer: messageAnswer,
  ratePerMinute: 10,
});

/** The form of the page that the reset link leads to. */
export const newPasswordForm = z.object({ password, confirmPassword }).refine(confirmed, mismatch);

export const completeResetPassword = defineRoute({
  method: 'POST',
  path: '/api/reset-password/complete',
  access: 'public',
  summary: 'Set a new password with a reset link; ends every session',
  body: z.object({ token, password, confirmPassword }).refine(confirmed, mismatch),
  answer: messageAnswer.extend({
    /** The mailbox was never proved before, so the previous content of the account was deleted. */
    isHandedOver: z.boolean(),
    /** The content stayed, and this sign-in is the first proof of the mailbox. */
    isFirstSign: z.boolean(),
    /** Names of the providers that no longer open the account. */
    unlinkedProviders: z.array(z.string()),
    /** True if a passkey or an authenticator app has stayed, which signing in asks for. */
    hasSecondStep: z.boolean(),
  }),
  ratePerMinute: 10,
});

export const resendVerification = defineRoute({
  method: 'POST',
  path: '/api/resend-verification',
  access: 'session',
  summary: 'Send the verification link again',
  answer: messageAnswer,
  ratePerMinute: 5,
});

/** The page behind an expired link asks with the dead link itself, so that it works signed out. */
export const resendVerificationByLink = defineRoute({
  method: 'POST',
  path: '/api/verify-email/resend',
  access: 'public',
  summary: 'Send a new verification link to the address that an old link was for',
  body: z.object({ token }),
  answer: messageAnswer,
  ratePerMinute: 5,
});

/** Redirects: to `/?verified=true`, or to `/verify-email?token=…` where the link has expired. */
export const verifyEmail = defineRoute({
  method: 'GET',
  path: '/api/verify-email',
  access: 'public',
  summary: 'Verify an address and go on to the product',
  query: z.object({ token: z.string().max(200).default('') }),
  ratePerMinute: 30,
});

export const changePassword = defineRoute({
  method: 'PUT',
  path: '/api/user/password',
  access: 'session',
  summary: 'Change the password; ends the other sessions',
  beforePasswordChange: true,
  body: z
    .object({ currentPassword: knownPassword('Type your current password'), password, confirmPassword })
    .refine(confirmed, mismatch),
  answer: messageAnswer,
  ratePerMinute: 10,
});

export const reauthenticateBody = loginBody.pick({ password: true }).extend({
  /** For a session that was there before the app was set up, and so has passed no second factor. */
  code: authenticatorCode.optional(),
});

/** Opens what asks for a fresh sign-in, for ten minutes. The session gets a new cookie. */
export const reauthenticate = defineRoute({
  method: 'POST',
  path: '/api/user/reauthenticate',
  access: 'session',
  whileClosing: true,
  summary: 'Give the password once more, before what can’t be undone',
  body: reauthenticateBody,
  answer: okAnswer,
  ratePerMinute: 10,
});
