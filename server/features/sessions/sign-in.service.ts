import { findOwner, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import {
  type Credentials,
  findCredentials,
  findCredentialsById,
  replaceHash,
} from '#server/features/accounts/credentials.repository.ts';
import type { Passwords } from '#server/features/accounts/passwords.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { KnownDevices } from './known-devices.ts';
import type { LoginThrottling } from './login-throttling.service.ts';
import type { Caller, OpenStep, SecondStep, SignedInPerson } from './second-step.service.ts';
import type { Sessions } from './sessions.service.ts';
import { startSession } from './start-session.ts';

export type SignInForm = Caller & { email: string; password: string; keepSignedIn: boolean };

export type SignIn = {
  /**
   * Signs in with a password: a new session, and a sign of life. Where a second factor is turned on nothing of that
   * happens yet, and the browser is given what it needs for the second step.
   *
   * @throws AppError `UNAUTHENTICATED`, the same for an unknown address and a wrong password; `RATE_LIMITED` after
   * too many wrong ones in a row for one address, known or not.
   */
  signIn(form: SignInForm): Promise<SignedInPerson | OpenStep>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: Audit;
  passwords: Passwords;
  activity: ActivityLog;
  sessions: Sessions;
  throttling: LoginThrottling;
  devices: KnownDevices;
  secondStep: Pick<SecondStep, 'beginStep'>;
};

const tooMany = 'Too many wrong passwords in a row. Wait a little, then try again.';

export function createSignIn(deps: Dependencies): SignIn {
  const { db, clock, passwords, throttling, devices, secondStep } = deps;

  async function start(
    credentials: Credentials,
    form: SignInForm,
    throttlingKey: string,
  ): Promise<SignedInPerson | OpenStep> {
    return db.transaction(async (tx) => {
      const owner = await lockOwnerRow(tx, credentials.id);
      const current = await findCredentialsById(tx, credentials.id);
      // A reset that was completed while this password was being checked has the last word.
      if (!owner || current?.password !== credentials.password) throw refused();

      const at = await clock.now(tx);
      const { previousToken, device, origin, keepSignedIn: isKept } = form;
      await throttling.forget(tx, throttlingKey, at);
      const step = await secondStep.beginStep(tx, { userId: owner.id, method: 'password', isKept, at });
      if (step) return step;
      const start = { userId: owner.id, previousToken, origin, isKept, at };
      const token = await startSession(deps, tx, { ...start, method: 'password', secondFactor: null });
      const signedIn = await findOwner(tx, owner.id);
      if (!signedIn) throw refused();
      return { token, owner: signedIn, device: devices.remember(current, device), isKept };
    });
  }

  return {
    async signIn(form) {
      const credentials = await findCredentials(db, form.email);
      const { email, device } = form;
      const throttlingKey = devices.throttlingKey(credentials ?? { email, devicesForgottenAt: null }, device);
      await throttling.count(throttlingKey, tooMany);
      const stored = credentials?.password ?? null;
      const checked = await passwords.check(stored, form.password);
      if (!credentials || stored === null || checked === 'wrong') throw refused();

      const outcome = await start(credentials, form, throttlingKey);
      if (checked === 'outdated') {
        const renewed = await passwords.hash(form.password);
        await replaceHash(db, { userId: credentials.id, from: stored, to: renewed });
      }
      return outcome;
    },
  };
}

function refused(): AppError {
  return new AppError('UNAUTHENTICATED', 'That email address and password do not match. Check both.');
}
