import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { z } from 'zod';
import type { SpendBudget } from '#server/features/accounts/accounts.limits.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { NewPasskeyAnswer, PasskeyAnswer } from '#shared/contract/second-factors.ts';
import { productName } from '#shared/product.ts';
import { findPasskey, type PasskeyRow } from './passkeys.repository.ts';
import { passkeyChallengeBudget, passkeyChallengeMs } from './second-factors.limits.ts';

/** What a question was asked for; an answer to one is none to another. */
export type PasskeyPurpose = 'add' | 'sign-in' | 'second-factor' | 'confirm';

/** Whose key is asked for; null at a sign-in with a passkey alone, where the key says whose it is. */
export type PasskeyAsked = { purpose: PasskeyPurpose; userId: string | null };

export type PasskeyQuestion = { options: Record<string, unknown>; ticket: string };
type KnownKey = Pick<PasskeyRow, 'credentialId' | 'transports'>;

/** A key that answered rightly; its use is still to be written down. */
export type UsedPasskey = { row: PasskeyRow; counter: number; isBackedUp: boolean };
export type NewPasskey = Pick<PasskeyRow, 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'isBackedUp'>;

export type PasskeyChallenges = {
  askNew(owner: { id: string; email: string; name: string }, known: readonly KnownKey[]): Promise<PasskeyQuestion>;
  /** @throws AppError `VALIDATION` for anything but a fresh answer to the question asked of this owner. */
  readNew(answer: NewPasskeyAnswer, userId: string): Promise<NewPasskey>;
  ask(asked: PasskeyAsked, known: readonly KnownKey[]): Promise<PasskeyQuestion>;
  /** @throws AppError `UNAUTHENTICATED` for anything but a fresh answer to the question asked, by a key we know. */
  read(answer: PasskeyAnswer, asked: PasskeyAsked): Promise<UsedPasskey>;
};

type Dependencies = {
  db: Executor;
  clock: Clock;
  spendBudget: SpendBudget;
  serviceKeys: Pick<ServiceKeys, 'seal' | 'unsealCarried' | 'hashToken'>;
  baseUrl: string;
};

/** EdDSA, ES256 and RS256 (COSE): between them, every authenticator that is sold. */
const supportedAlgorithmIDs = [-8, -7, -257];

const ticketSchema = z.object({
  challenge: z.string(),
  purpose: z.string(),
  userId: z.string().nullable(),
  beganAtMs: z.number(),
});

/** Where the sealed ticket lives: with the page that asked, and in no table. */
const ticketPlace = { table: 'pages', column: 'passkey_ticket', rowId: 'ticket' };

/**
 * Asks for passkeys and checks what comes back (WebAuthn Level 3). A challenge lies sealed with the browser that is asked, so that
 * visitors write nothing; it holds for five minutes and its use is counted, so that it answers once.
 */
export function createPasskeyChallenges(deps: Dependencies): PasskeyChallenges {
  const { db, clock, spendBudget, serviceKeys } = deps;
  const { hostname: rpID, origin: expectedOrigin } = new URL(deps.baseUrl);

  async function questionOf(options: { challenge: string }, asked: PasskeyAsked): Promise<PasskeyQuestion> {
    const beganAtMs = (await clock.now()).getTime();
    const text = JSON.stringify({ challenge: options.challenge, ...asked, beganAtMs });
    return { options: { ...options }, ticket: serviceKeys.seal(ticketPlace, Buffer.from(text)).toString('base64url') };
  }

  /** The challenge that a ticket holds, which is used up by asking for it. Null where it is none of these. */
  async function challengeOf(ticket: string, asked: PasskeyAsked): Promise<string | null> {
    const read = openTicket(ticket, serviceKeys);
    const nowMs = (await clock.now()).getTime();
    const isOfThis = read?.purpose === asked.purpose && read.userId === asked.userId;
    if (!isOfThis || nowMs - read.beganAtMs >= passkeyChallengeMs) return null;
    try {
      await spendBudget(`passkey challenge ${serviceKeys.hashToken(read.challenge)}`, passkeyChallengeBudget);
    } catch (error) {
      if (error instanceof AppError && error.type === 'RATE_LIMITED') return null;
      throw error;
    }
    return read.challenge;
  }

  return {
    async askNew(owner, known) {
      const options = await generateRegistrationOptions({
        rpName: productName,
        rpID,
        userName: owner.email,
        userDisplayName: owner.name,
        userID: userHandle(owner.id),
        timeout: passkeyChallengeMs,
        supportedAlgorithmIDs,
        excludeCredentials: known.map(described),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      });
      return questionOf(options, { purpose: 'add', userId: owner.id });
    },

    async readNew({ ticket, response }, userId) {
      const expectedChallenge = await challengeOf(ticket, { purpose: 'add', userId });
      if (expectedChallenge === null) throw notMade();
      const info = await verifyRegistrationResponse({
        response: { ...response, clientExtensionResults: {} } as RegistrationResponseJSON,
        expectedChallenge,
        expectedOrigin,
        expectedRPID: rpID,
        requireUserVerification: false,
        supportedAlgorithmIDs,
      }).then(
        ({ registrationInfo }) => registrationInfo,
        // Whatever the library has against it, it is no passkey of ours.
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
    },

    async ask(asked, known) {
      const options = await generateAuthenticationOptions({
        rpID,
        timeout: passkeyChallengeMs,
        userVerification: needsVerifiedUser(asked.purpose) ? 'required' : 'preferred',
        allowCredentials: known.map(described),
      });
      return questionOf(options, asked);
    },

    async read({ ticket, response }, asked) {
      const expectedChallenge = await challengeOf(ticket, asked);
      const row = expectedChallenge === null ? null : await findPasskey(db, response.id);
      if (expectedChallenge === null || !row || !isTheirs(row, response.response.userHandle, asked)) throw notTaken();
      const verified = await verifyAuthenticationResponse({
        response: { ...response, clientExtensionResults: {} } as AuthenticationResponseJSON,
        expectedChallenge,
        expectedOrigin,
        expectedRPID: rpID,
        requireUserVerification: needsVerifiedUser(asked.purpose),
        credential: { id: row.credentialId, publicKey: new Uint8Array(row.publicKey), counter: row.counter },
      }).catch(() => null);
      if (!verified?.verified) throw notTaken();
      const { newCounter, credentialBackedUp } = verified.authenticationInfo;
      return { row, counter: newCounter, isBackedUp: credentialBackedUp };
    },
  };
}

/** Where a key stands in for the password, its holder must have proved themselves to it: by finger, face or PIN. */
function needsVerifiedUser(purpose: PasskeyPurpose): boolean {
  return purpose === 'sign-in' || purpose === 'confirm';
}

/** The owner's id, as the authenticator keeps it beside the key; it says nothing about the person. */
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

function openTicket(ticket: string, serviceKeys: Dependencies['serviceKeys']) {
  try {
    const bytes = serviceKeys.unsealCarried(ticketPlace, Buffer.from(ticket, 'base64url'));
    return ticketSchema.parse(JSON.parse(bytes.toString()));
  } catch {
    // Not ours, or not of this installation's keys: whatever is wrong with it, it proves nothing.
    return null;
  }
}

function notMade(): AppError {
  return new AppError('VALIDATION', 'That passkey could not be added. Try again.');
}

function notTaken(): AppError {
  return new AppError('UNAUTHENTICATED', 'That passkey did not work here. Try again, or choose another way.');
}
