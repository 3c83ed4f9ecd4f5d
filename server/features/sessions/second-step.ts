import type { App } from '#server/app.ts';
import { findOwner, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { describeUser } from '#server/features/accounts/accounts.ts';
import { findCredentialsById } from '#server/features/accounts/credentials.repository.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import {
  askPasskey,
  recordPasskeyUse,
  redeemAuthenticatorCode,
  redeemRecoveryCode,
} from '#server/features/sessions/second-factors/factor-checks.ts';
import { offeredFactorsOf } from '#server/features/sessions/second-factors/offered-factors.ts';
import {
  type PasskeyQuestion,
  readPasskey,
  type UsedPasskey,
} from '#server/features/sessions/second-factors/passkey-challenges.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { SecondFactor } from '#shared/contract/accounts.ts';
import { AppError } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/second-factors.ts';
import { rememberedDevice, throttlingKey } from './known-devices.ts';
import { countTry, forgetTries } from './login-throttling.ts';
import { signInStepMs } from './sessions.limits.ts';
import { browserCookiesOf, setSignInCookies, signInCookiesOf } from './sign-in-cookies.ts';
import type { FirstStepMethod } from './sign-in-methods.ts';
import {
  deleteOldSignInSteps,
  deleteSignInStep,
  findSignInStep,
  insertSignInStep,
} from './sign-in-steps.repository.ts';
import { startSession } from './start-session.ts';

/** Token that a browser holds between the two steps, and the factors that it may choose from. */
export type OpenStep = { stepToken: string; secondFactor: SecondFactor[] };

export type SignedInPerson = {
  token: string;
  owner: OwnerRow;
  /** Value that the device stores; see `rememberedDevice`. */
  device: string;
  /** True if they chose to stay signed in. */
  isKept: boolean;
};

/** Browser that signs in. */
export type Caller = { previousToken: string | null; device: string | null; origin: RequestOrigin };

type Proof = HttpCall<typeof contract.finishSecondStep>['body'];

/** Makes a sign-in wait for a second factor. Null if the owner has turned none on. */
export async function beginStep(
  { serviceKeys }: App,
  tx: Executor,
  { userId, method, isKept, at }: { userId: string; method: FirstStepMethod; isKept: boolean; at: Date },
): Promise<OpenStep | null> {
  const secondFactor = await offeredFactorsOf(tx, userId);
  if (secondFactor.length === 0) return null;
  const stepToken = newToken();
  await deleteOldSignInSteps(tx, at);
  const expiresAt = new Date(at.getTime() + signInStepMs);
  await insertSignInStep(tx, { tokenHash: serviceKeys.hashToken(stepToken), userId, method, isKept, expiresAt });
  return { stepToken, secondFactor };
}

/** Returns the second factors for this browser's sign-in. Empty if the sign-in is unknown or too old. */
export async function getSecondStep(app: App, { request }: HttpCall<typeof contract.getSecondStep>) {
  const { db, clock, serviceKeys } = app;
  const stepToken = signInCookiesOf(app).step.read(request);
  if (stepToken === null) return { secondFactor: [] };
  const step = await findSignInStep(db, serviceKeys.hashToken(stepToken), await clock.now());
  return { secondFactor: step ? await offeredFactorsOf(db, step.userId) : [] };
}

/** @throws AppError `UNAUTHENTICATED` if no sign-in was begun. */
export async function askSecondStepPasskey(
  app: App,
  { request }: HttpCall<typeof contract.askSecondStepPasskey>,
): Promise<PasskeyQuestion> {
  const { userId } = await openStepOf(app, signInCookiesOf(app).step.read(request));
  return askPasskey(app, { purpose: 'second-factor', userId });
}

/**
 * Ends a sign-in. @throws AppError `UNAUTHENTICATED` for a wrong proof, or if no sign-in was begun; `RATE_LIMITED` after several
 * wrong codes in a row for one account.
 */
export async function finishSecondStep(app: App, call: HttpCall<typeof contract.finishSecondStep>) {
  const { body, origin, request } = call;
  const stepToken = signInCookiesOf(app).step.read(request);
  const signedIn = await finishStep(app, stepToken, body, { ...browserCookiesOf(app, request), origin });
  setSignInCookies(app, call, signedIn);
  return { ok: true as const, user: describeUser(app, signedIn.owner) };
}

export function askLoginPasskey(app: App): Promise<PasskeyQuestion> {
  return askPasskey(app, { purpose: 'sign-in', userId: null });
}

/** Signs in with a passkey alone. It counts as both steps, since its holder unlocked it. */
export async function loginWithPasskey(app: App, call: HttpCall<typeof contract.loginWithPasskey>) {
  const { body, origin, request } = call;
  const { keepSignedIn: isKept, ...answer } = body;
  const caller = { ...browserCookiesOf(app, request), origin };
  const used = await readPasskey(app, answer, { purpose: 'sign-in', userId: null });
  const { userId } = used.row;
  const signedIn = await app.db.transaction(async (tx) => {
    const at = await app.clock.now(tx);
    if (!(await lockOwnerRow(tx, userId)) || !(await recordPasskeyUse(tx, used, at))) throw wrongProof('passkey');
    return open(app, tx, { userId, method: 'passkey', secondFactor: 'passkey', isKept, caller, at });
  });
  setSignInCookies(app, call, signedIn);
  return { ok: true as const, user: describeUser(app, signedIn.owner) };
}

async function finishStep(app: App, stepToken: string | null, proof: Proof, caller: Caller): Promise<SignedInPerson> {
  const { userId, method, isKept, tokenHash } = await openStepOf(app, stepToken);
  const known = await findCredentialsById(app.db, userId);
  if (!known) throw noStep();
  const key = `second factor ${throttlingKey(app, known, caller.device)}`;
  // A passkey can't be guessed, so only codes are slowed down.
  if (proof.factor !== 'passkey') await countTry(app, key, 'Too many wrong codes. Wait a little, then try again.');
  const used = proof.factor === 'passkey' ? await readPasskey(app, proof, { purpose: 'second-factor', userId }) : null;
  try {
    return await app.db.transaction(async (tx) => {
      const owner = await lockOwnerRow(tx, userId);
      if (!owner || !(await deleteSignInStep(tx, tokenHash))) throw noStep();
      const at = await app.clock.now(tx);
      // Thrown inside, so that the sign-in continues to wait.
      if (!(await isProved(app, tx, { owner, proof, used, caller, at }))) throw wrongProof(proof.factor);
      await forgetTries(tx, key, at);
      return open(app, tx, { userId, method, secondFactor: proof.factor, isKept, caller, at });
    });
  } catch (error) {
    if (error instanceof WrongProof) await noteRefusal(app, userId, proof.factor, caller);
    throw error;
  }
}

type Shown = { owner: OwnerRow; proof: Proof; used: UsedPasskey | null; caller: Caller; at: Date };

async function isProved(app: App, tx: Executor, { owner, proof, used, caller, at }: Shown): Promise<boolean> {
  if (used) return recordPasskeyUse(tx, used, at);
  if (proof.factor === 'recovery') {
    return redeemRecoveryCode(app, tx, { owner, code: proof.code, origin: caller.origin, at });
  }
  return proof.factor === 'authenticator' && redeemAuthenticatorCode(app, tx, owner.id, proof.code);
}

async function openStepOf({ db, clock, serviceKeys }: App, stepToken: string | null) {
  const tokenHash = serviceKeys.hashToken(stepToken ?? '');
  const step = stepToken === null ? null : await findSignInStep(db, tokenHash, await clock.now());
  if (!step) throw noStep();
  return { ...step, tokenHash };
}

/** Records a wrong second factor after a correct password, so that the owner can see it. */
async function noteRefusal(app: App, userId: string, factor: SecondFactor, { origin }: Caller): Promise<void> {
  await app.db.transaction(async (tx) => {
    if (!(await lockOwnerRow(tx, userId))) return;
    const entry = { userId, action: 'session.factor_refused', resource: 'session', details: { factor } };
    await recordAudit(app, tx, { ...entry, origin, at: await app.clock.now(tx) });
  });
}

async function open(
  app: App,
  tx: Executor,
  { userId, method, secondFactor, isKept, caller, at }: Opening,
): Promise<SignedInPerson> {
  const { previousToken, origin } = caller;
  const token = await startSession(app, tx, { userId, method, secondFactor, isKept, previousToken, origin, at });
  const [owner, credentials] = [await findOwner(tx, userId), await findCredentialsById(tx, userId)];
  if (!owner || !credentials) throw noStep();
  return { token, owner, device: rememberedDevice(app, credentials, caller.device), isKept };
}

type Opening = {
  userId: string;
  method: FirstStepMethod | 'passkey';
  secondFactor: SecondFactor;
  isKept: boolean;
  caller: Caller;
  at: Date;
};

class WrongProof extends AppError {}

const wrongWords: Record<SecondFactor, string> = {
  authenticator: 'That code is not right, or was used already. Wait for the next one in your app.',
  recovery: 'That is not one of your recovery codes, or it was used already.',
  passkey: 'That passkey did not work here. Try again, or choose another way.',
};

function wrongProof(factor: SecondFactor): WrongProof {
  const message = wrongWords[factor];
  return new WrongProof('UNAUTHENTICATED', message, { issues: [{ path: 'code', message }] });
}

function noStep(): AppError {
  return new AppError('UNAUTHENTICATED', 'Your sign-in has taken too long. Please start again with your password.');
}
