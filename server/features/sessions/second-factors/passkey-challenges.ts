import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { z } from 'zod';
import type { App } from '#server/app.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { NewPasskeyAnswer, PasskeyAnswer } from '#shared/contract/second-factors.ts';
import { productName } from '#shared/product.ts';
import { findPasskey, type PasskeyRow } from './passkeys.repository.ts';
import { passkeyChallengeBudget, passkeyChallengeMs } from './second-factors.limits.ts';

/** Purpose of a question. An answer to one purpose does not serve another. */
type PasskeyPurpose = 'add' | 'sign-in' | 'second-factor' | 'confirm';

/** `userId` is the key's owner. It is null at a sign-in with a passkey alone, since the key names its owner. */
export type PasskeyAsked = { purpose: PasskeyPurpose; userId: string | null };

export type PasskeyQuestion = { options: Record<string, unknown>; ticket: string };
type KnownKey = { credentialId: string; transports: string[] };

/** Key that answered correctly. Its use is not recorded yet. */
export type UsedPasskey = { row: PasskeyRow; counter: number; isBackedUp: boolean };

type NewPasskey = KnownKey & { publicKey: Buffer; counter: number; isBackedUp: boolean };

/** EdDSA, ES256 and RS256 (COSE). Every authenticator on sale has one of them. */
const supportedAlgorithmIDs = [-8, -7, -257];

const ticketSchema = z.object({
  challenge: z.string(),
  purpose: z.string(),
  userId: z.string().nullable(),
  beganAtMs: z.number(),
});

/** Seal context of the ticket. The page that asked holds it, and no table does. */
const ticketPlace = { table: 'pages', column: 'passkey_ticket', rowId: 'ticket' };

// Asks for passkeys and checks the answers (WebAuthn Level 3). The asked browser holds the sealed challenge, so that visitors
// write no row. A challenge is valid for five minutes, and its use is counted, so that it answers once.

/** Asks the owner's browser for a new passkey. */
export async function newPasskeyQuestion(
  app: App,
  owner: { id: string; email: string; name: string },
  known: readonly KnownKey[],
): Promise<PasskeyQuestion> {
  const options = await generateRegistrationOptions({
    rpName: productName,
    rpID: new URL(app.baseUrl).hostname,
    userName: owner.email,
    userDisplayName: owner.name,
    userID: userHandle(owner.id),
    timeout: passkeyChallengeMs,
    supportedAlgorithmIDs,
    excludeCredentials: known.map(described),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
  return questionOf(app, options, { purpose: 'add', userId: owner.id });
}

/** @throws AppError `VALIDATION` unless this is a fresh answer to the question that this owner was asked. */
export async function readNewPasskey(
  app: App,
  { ticket, response }: NewPasskeyAnswer,
  userId: string,
): Promise<NewPasskey> {
  const expectedChallenge = await challengeOf(app, ticket, { purpose: 'add', userId });
  if (expectedChallenge === null) throw notMade();
  const { hostname: expectedRPID, origin: expectedOrigin } = new URL(app.baseUrl);
  const info = await verifyRegistrationResponse({
    response: { ...response, clientExtensionResults: {} } as RegistrationResponseJSON,
    expectedChallenge,
    expectedOrigin,
    expectedRPID,
    requireUserVerification: false,
    supportedAlgorithmIDs,
  }).then(
    ({ registrationInfo }) => registrationInfo,
    // Every refusal of the library means that this is no passkey of ours.
    () => undefined,
  );
  if (!info) throw notMade();
  const { id, publicKey, counter } = info.credential;
  const transports = response.response.transports ?? [];
  return {
    credentialId: id,
    publicKey: Buffer.from(publicKey),
    counter,
    transports,
    isBackedUp: info.credentialBackedUp,
  };
}

/** Asks a browser for one of these passkeys, or for any if there are none. */
export async function passkeyQuestion(
  app: App,
  asked: PasskeyAsked,
  known: readonly KnownKey[],
): Promise<PasskeyQuestion> {
  const options = await generateAuthenticationOptions({
    rpID: new URL(app.baseUrl).hostname,
    timeout: passkeyChallengeMs,
    userVerification: needsVerifiedUser(asked.purpose) ? 'required' : 'preferred',
    allowCredentials: known.map(described),
  });
  return questionOf(app, options, asked);
}

/** @throws AppError `UNAUTHENTICATED` unless this is a fresh answer to the question, by a key that we know. */
export async function readPasskey(
  app: App,
  { ticket, response }: PasskeyAnswer,
  asked: PasskeyAsked,
): Promise<UsedPasskey> {
  const expectedChallenge = await challengeOf(app, ticket, asked);
  const row = expectedChallenge === null ? null : await findPasskey(app.db, response.id);
  if (expectedChallenge === null || !row || !isTheirs(row, response.response.userHandle, asked)) throw refused();
  const { hostname: expectedRPID, origin: expectedOrigin } = new URL(app.baseUrl);
  const verified = await verifyAuthenticationResponse({
    response: { ...response, clientExtensionResults: {} } as AuthenticationResponseJSON,
    expectedChallenge,
    expectedOrigin,
    expectedRPID,
    requireUserVerification: needsVerifiedUser(asked.purpose),
    credential: { id: row.credentialId, publicKey: new Uint8Array(row.publicKey), counter: row.counter },
  }).catch(() => null);
  if (!verified?.verified) throw refused();
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  return { row, counter: newCounter, isBackedUp: credentialBackedUp };
}

async function questionOf(
  { clock, serviceKeys }: App,
  options: { challenge: string },
  asked: PasskeyAsked,
): Promise<PasskeyQuestion> {
  const beganAtMs = (await clock.now()).getTime();
  const text = JSON.stringify({ challenge: options.challenge, ...asked, beganAtMs });
  return { options: { ...options }, ticket: serviceKeys.seal(ticketPlace, Buffer.from(text)).toString('base64url') };
}

/** Returns the challenge in a ticket, and uses it up. Null if the ticket does not answer this question. */
async function challengeOf(
  { clock, limits, serviceKeys }: App,
  ticket: string,
  asked: PasskeyAsked,
): Promise<string | null> {
  const read = openTicket(ticket, serviceKeys);
  const nowMs = (await clock.now()).getTime();
  const isOfThis = read?.purpose === asked.purpose && read.userId === asked.userId;
  if (!isOfThis || nowMs - read.beganAtMs >= passkeyChallengeMs) return null;
  try {
    await limits.spend(`passkey challenge ${serviceKeys.hashToken(read.challenge)}`, passkeyChallengeBudget);
  } catch (error) {
    if (error instanceof AppError && error.type === 'RATE_LIMITED') return null;
    throw error;
  }
  return read.challenge;
}

/** True if the key replaces the password. Its holder must then unlock it by finger, face or PIN. */
function needsVerifiedUser(purpose: PasskeyPurpose): boolean {
  return purpose === 'sign-in' || purpose === 'confirm';
}

/** Owner's id, as the authenticator stores it with the key. */
function userHandle(userId: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(userId);
}

function isTheirs(row: PasskeyRow, handle: string | undefined, { userId }: PasskeyAsked): boolean {
  const isOfHandle = handle === undefined || handle === Buffer.from(userHandle(row.userId)).toString('base64url');
  return isOfHandle && (userId === null || userId === row.userId);
}

function described({ credentialId, transports }: KnownKey) {
  return { id: credentialId, transports };
}

function openTicket(ticket: string, serviceKeys: ServiceKeys) {
  try {
    const bytes = serviceKeys.unsealCarried(ticketPlace, Buffer.from(ticket, 'base64url'));
    return ticketSchema.parse(JSON.parse(bytes.toString()));
  } catch {
    // A ticket that does not open proves nothing.
    return null;
  }
}

function notMade(): AppError {
  return new AppError('VALIDATION', 'That passkey could not be added. Try again.');
}

function refused(): AppError {
  return new AppError('UNAUTHENTICATED', 'That passkey did not work here. Try again, or choose another way.');
}
