import type { App } from '#server/app.ts';
import { findOwner, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { describeUser } from '#server/features/accounts/accounts.ts';
import {
  type Credentials,
  findCredentials,
  findCredentialsById,
  replaceHash,
} from '#server/features/accounts/credentials.repository.ts';
import type { HttpCall } from '#server/http/bind.ts';
import type * as contract from '#shared/contract/accounts.ts';
import { AppError } from '#shared/contract/errors.ts';
import { rememberedDevice, throttlingKey } from './known-devices.ts';
import { countTry, forgetTries } from './login-throttling.ts';
import { beginStep, type Caller, type OpenStep, type SignedInPerson } from './second-step.ts';
import { browserCookiesOf, setSignInCookies, signInCookiesOf } from './sign-in-cookies.ts';
import { startSession } from './start-session.ts';

type SignInForm = Caller & { email: string; password: string; keepSignedIn: boolean };

const tooMany = 'Too many wrong passwords in a row. Wait a little, then try again.';

/**
 * Signs in with a password: a new session, and a sign of life. If a second factor is turned on, neither happens yet, and the
 * browser gets a token for the second step.
 *
 * @throws AppError `UNAUTHENTICATED`, alike for an unknown address and a wrong password; `RATE_LIMITED` after too many wrong
 * passwords in a row for one address, known or not.
 */
export async function login(app: App, call: HttpCall<typeof contract.login>) {
  const { body, origin, request, reply } = call;
  const outcome = await signIn(app, { ...body, ...browserCookiesOf(app, request), origin });
  if ('stepToken' in outcome) {
    signInCookiesOf(app).step.set(reply, outcome.stepToken);
    reply.code(202);
    return { ok: false as const, secondFactor: outcome.secondFactor };
  }
  setSignInCookies(app, call, outcome);
  return { ok: true as const, user: describeUser(app, outcome.owner) };
}

async function signIn(app: App, form: SignInForm): Promise<SignedInPerson | OpenStep> {
  const { db, passwords } = app;
  const credentials = await findCredentials(db, form.email);
  const { email, device } = form;
  const key = throttlingKey(app, credentials ?? { email, devicesForgottenAt: null }, device);
  const stored = credentials?.password ?? null;
  // Counted at its turn, so that a try that was refused unchecked does not count as a wrong password.
  const checked = await passwords.check(stored, form.password, () => countTry(app, key, tooMany));
  if (!credentials || stored === null || checked === 'wrong') throw refused();

  const outcome = await start(app, credentials, form, key);
  if (checked === 'outdated') {
    const renewed = await passwords.hash(form.password);
    await replaceHash(db, { userId: credentials.id, from: stored, to: renewed });
  }
  return outcome;
}

async function start(
  app: App,
  credentials: Credentials,
  form: SignInForm,
  key: string,
): Promise<SignedInPerson | OpenStep> {
  return app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, credentials.id);
    const current = await findCredentialsById(tx, credentials.id);
    // If a reset completed while this password was checked, the new password counts.
    if (!owner || current?.password !== credentials.password) throw refused();

    const at = await app.clock.now(tx);
    const { previousToken, device, origin, keepSignedIn: isKept } = form;
    await forgetTries(tx, key, at);
    const step = await beginStep(app, tx, { userId: owner.id, method: 'password', isKept, at });
    if (step) return step;
    const begun = { userId: owner.id, previousToken, origin, isKept, at };
    const token = await startSession(app, tx, { ...begun, method: 'password', secondFactor: null });
    const signedIn = await findOwner(tx, owner.id);
    if (!signedIn) throw refused();
    return { token, owner: signedIn, device: rememberedDevice(app, current, device), isKept };
  });
}

function refused(): AppError {
  return new AppError('UNAUTHENTICATED', 'That email address and password do not match. Check both.');
}
