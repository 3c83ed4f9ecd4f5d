import { z } from 'zod';
import { secondFactors, userSchema } from '#shared/contract/accounts.ts';
import {
  authenticatorCode,
  id,
  idParams,
  instant,
  keepSignedIn,
  okAnswer,
  requiredLine,
} from '#shared/contract/fields.ts';
import { identityProvider } from '#shared/contract/identity.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { linkedIdentity } from '#shared/contract/sign-in/ways-in.ts';

export const passkeyNameLengthMax = 60;

const askedRecoveryCode = 'Type one of your recovery codes';
/** Sixteen letters and digits; how they are grouped does not matter. */
export const recoveryCode = z.string(askedRecoveryCode).trim().min(1, askedRecoveryCode).max(60, askedRecoveryCode);

const base64Url = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax)
    .regex(/^[A-Za-z0-9_-]*$/);

const credential = {
  id: base64Url(1_400),
  rawId: base64Url(1_400),
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional().catch(undefined),
};

/** Browser's result of a passkey assertion (WebAuthn Level 3, `AuthenticationResponseJSON`). */
const passkeyAssertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64Url(8_000),
    authenticatorData: base64Url(8_000),
    signature: base64Url(2_000),
    userHandle: base64Url(100).optional(),
  }),
});

/** Browser's result of a passkey registration (`RegistrationResponseJSON`). */
const passkeyAttestation = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64Url(8_000),
    attestationObject: base64Url(60_000),
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
});

/** The question for the browser, as WebAuthn describes it, and a ticket to hand back with the answer. */
const passkeyQuestion = z.object({ options: z.record(z.string(), z.unknown()), ticket: z.string() });

const ticket = z.string().min(1).max(2_000);
export const passkeyAnswer = z.object({ ticket, response: passkeyAssertion });
export type PasskeyAnswer = z.output<typeof passkeyAnswer>;

const signedIn = z.object({ ok: z.literal(true), user: userSchema });

export const secondStepBody = z.discriminatedUnion('factor', [
  z.object({ factor: z.literal('authenticator'), code: authenticatorCode }),
  z.object({ factor: z.literal('recovery'), code: recoveryCode }),
  z.object({ factor: z.literal('passkey'), ...passkeyAnswer.shape }),
]);
export type SecondStepProof = z.output<typeof secondStepBody>;

/**
 * State of a sign-in that waits for its second factor, for a reload or the return from a provider. Empty if none has
 * begun.
 */
export const getSecondStep = defineRoute({
  method: 'GET',
  path: '/api/login/second-factor',
  access: 'public',
  summary: 'Which second factors the sign-in that this browser has begun may end with',
  answer: z.object({ secondFactor: z.array(z.enum(secondFactors)) }),
});

export const finishSecondStep = defineRoute({
  method: 'POST',
  path: '/api/login/second-factor',
  access: 'public',
  summary: 'End a sign-in with a second factor',
  body: secondStepBody,
  answer: signedIn,
  ratePerMinute: 10,
});

export const askSecondStepPasskey = defineRoute({
  method: 'POST',
  path: '/api/login/second-factor/passkey-options',
  access: 'public',
  summary: 'The question that a passkey answers as second factor',
  answer: passkeyQuestion,
  ratePerMinute: 20,
});

export const askLoginPasskey = defineRoute({
  method: 'POST',
  path: '/api/login/passkey/options',
  access: 'public',
  summary: 'The question that a passkey answers in place of the password',
  answer: passkeyQuestion,
  ratePerMinute: 30,
});

export const loginWithPasskey = defineRoute({
  method: 'POST',
  path: '/api/login/passkey',
  access: 'public',
  summary: 'Sign in with a passkey alone',
  body: passkeyAnswer.extend({ keepSignedIn }),
  answer: signedIn,
  ratePerMinute: 10,
});

export const askReauthenticationPasskey = defineRoute({
  method: 'POST',
  path: '/api/user/reauthenticate/passkey-options',
  access: 'session',
  whileClosing: true,
  summary: 'The question that a passkey answers before what can’t be undone',
  answer: passkeyQuestion,
  ratePerMinute: 20,
});

export const reauthenticateWithPasskey = defineRoute({
  method: 'POST',
  path: '/api/user/reauthenticate/passkey',
  access: 'session',
  whileClosing: true,
  summary: 'Prove with a passkey who is there, before what can’t be undone',
  body: passkeyAnswer,
  answer: okAnswer,
  ratePerMinute: 10,
});

export const passkeySchema = z
  .object({
    id,
    name: z.string(),
    createdAt: instant,
    lastUsedAt: instant.nullable(),
    /** True if it is kept in an account with its maker, so that it outlives the device. */
    isBackedUp: z.boolean(),
  })
  .meta({ id: 'Passkey' });

export const secondFactorsSchema = z
  .object({
    /** Without one, the person signs in with a provider or a passkey alone. */
    hasPassword: z.boolean(),
    /** Providers that can sign them in here and now. */
    providers: z.array(identityProvider),
    /** Every link with a provider, also with one that is not set up here any more. */
    identities: z.array(linkedIdentity),
    authenticator: z.object({ confirmedAt: instant }).nullable(),
    passkeys: z.array(passkeySchema),
    /** Null where no second factor is turned on. */
    recoveryCodes: z.object({ left: z.number(), madeAt: instant }).nullable(),
    /** Until when what asks for a fresh sign-in is open. */
    freshUntil: instant,
  })
  .meta({ id: 'SecondFactors' });

export const getSecondFactors = defineRoute({
  method: 'GET',
  path: '/api/user/second-factors',
  access: 'session',
  whileClosing: true,
  summary: 'What protects the sign-in besides the password',
  answer: secondFactorsSchema,
});

/** Shown once, where they were made with this call; null where the person has some already. */
const newRecoveryCodes = z.array(z.string()).nullable();

export const startAuthenticator = defineRoute({
  method: 'POST',
  path: '/api/user/second-factors/authenticator',
  access: 'verified',
  summary: 'A secret for an authenticator app (RFC 6238); it counts once a code of it was typed',
  answer: z.object({
    /** Base32 in groups of four, for typing in place of scanning. */
    secret: z.string(),
    /** The `otpauth:` address that the drawn code holds. */
    uri: z.string(),
  }),
  ratePerMinute: 10,
});

export const confirmAuthenticatorBody = z.object({ code: authenticatorCode });

export const confirmAuthenticator = defineRoute({
  method: 'POST',
  path: '/api/user/second-factors/authenticator/confirm',
  access: 'verified',
  summary: 'Turn the authenticator app on with a first code of it',
  body: confirmAuthenticatorBody,
  answer: z.object({ recoveryCodes: newRecoveryCodes }),
  ratePerMinute: 10,
});

export const removeAuthenticator = defineRoute({
  method: 'DELETE',
  path: '/api/user/second-factors/authenticator',
  access: 'session',
  summary: 'Turn the authenticator app off',
  status: 204,
});

export const renewRecoveryCodes = defineRoute({
  method: 'POST',
  path: '/api/user/second-factors/recovery-codes',
  access: 'verified',
  summary: 'Ten new recovery codes; the old ones stop working',
  answer: z.object({ recoveryCodes: z.array(z.string()) }),
  ratePerMinute: 10,
});

export const askNewPasskey = defineRoute({
  method: 'POST',
  path: '/api/user/passkeys/options',
  access: 'verified',
  summary: 'The question that makes a new passkey',
  answer: passkeyQuestion,
  ratePerMinute: 20,
});

export const passkeyName = requiredLine(passkeyNameLengthMax, 'Give it a name, such as “My phone”');

export const addPasskeyBody = z.object({ ticket, name: passkeyName, response: passkeyAttestation });
export type NewPasskeyAnswer = z.output<typeof addPasskeyBody>;

export const addPasskey = defineRoute({
  method: 'POST',
  path: '/api/user/passkeys',
  access: 'verified',
  summary: 'Add a passkey',
  body: addPasskeyBody,
  status: 201,
  answer: z.object({ passkey: passkeySchema, recoveryCodes: newRecoveryCodes }),
  ratePerMinute: 10,
});

export const removePasskey = defineRoute({
  method: 'DELETE',
  path: '/api/user/passkeys/:id',
  access: 'session',
  summary: 'Remove a passkey',
  params: idParams,
  status: 204,
});
