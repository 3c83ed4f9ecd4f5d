import { findOwner, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import { findCredentialsById } from '#server/features/accounts/credentials.repository.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { FactorChecks } from '#server/features/second-factors/factor-checks.service.ts';
import { offeredFactorsOf } from '#server/features/second-factors/offered-factors.ts';
import type { PasskeyQuestion } from '#server/features/second-factors/passkey-challenges.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { type HashToken, newToken } from '#server/platform/crypto/token.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { SecondFactor } from '#shared/contract/accounts.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { PasskeyAnswer, SecondStepProof } from '#shared/contract/second-factors.ts';
import type { KnownDevices } from './known-devices.ts';
import type { LoginThrottling } from './login-throttling.service.ts';
import { signInStepMs } from './sessions.limits.ts';
import type { Sessions } from './sessions.service.ts';
import type { FirstStepMethod } from './sign-in-methods.ts';
import {
  deleteOldSignInSteps,
  deleteSignInStep,
  findSignInStep,
  insertSignInStep,
} from './sign-in-steps.repository.ts';
import { startSession } from './start-session.ts';

/** What a browser holds between the two steps, and what it may choose from. */
export type OpenStep = { stepToken: string; secondFactor: SecondFactor[] };

export type SignedInPerson = {
  token: string;
  owner: OwnerRow;
  /** What the browser remembers of this sign-in; see `KnownDevices`. */
  device: string;
  /** Whether they chose to stay signed in. */
  isKept: boolean;
};

/** What every finished sign-in is given of the browser. */
export type Caller = { previousToken: string | null; device: string | null; origin: RequestOrigin };

export type SecondStep = {
  /** The second factors that a sign-in begun with this token may end with; none where it is unknown or too old. */
  secondFactorsOfStep(stepToken: string | null): Promise<SecondFactor[]>;
  /** @throws AppError `UNAUTHENTICATED` where no sign-in was begun. */
  askStepPasskey(stepToken: string | null): Promise<PasskeyQuestion>;
  /**
   * Ends a sign-in. @throws AppError `UNAUTHENTICATED` for a wrong proof, or where no sign-in was begun;
   * `RATE_LIMITED` after several wrong codes in a row for one account.
   */
  finishStep(stepToken: string | null, proof: SecondStepProof, caller: Caller): Promise<SignedInPerson>;
  askLoginPasskey(): Promise<PasskeyQuestion>;
  /** Signs in with a passkey alone: it is something one has, opened by something one is or knows. */
  signInWithPasskey(answer: PasskeyAnswer, caller: Caller, isKept: boolean): Promise<SignedInPerson>;
  /** Makes a sign-in wait where the owner has turned a second factor on; null where they have not. */
  beginStep(
    tx: Executor,
    begun: { userId: string; method: FirstStepMethod; isKept: boolean; at: Date },
  ): Promise<OpenStep | null>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  hashToken: HashToken;
  audit: Audit;
  activity: ActivityLog;
  sessions: Sessions;
  throttling: LoginThrottling;
  devices: KnownDevices;
  factorChecks: FactorChecks;
};

export function createSecondStep(deps: Dependencies): SecondStep {
  const { db, clock, hashToken, audit, throttling, devices, factorChecks } = deps;

  async function openStepOf(stepToken: string | null) {
    const tokenHash = hashToken(stepToken ?? '');
    const step = stepToken === null ? null : await findSignInStep(db, tokenHash, await clock.now());
    if (!step) throw noStep();
    return { ...step, tokenHash };
  }

  /** A wrong second factor after a right password is something the owner should be able to see. */
  async function noteRefusal(userId: string, factor: SecondFactor, { origin }: Caller): Promise<void> {
    await db.transaction(async (tx) => {
      if (!(await lockOwnerRow(tx, userId))) return;
      const entry = { userId, action: 'session.factor_refused', resource: 'session', details: { factor } };
      await audit.record(tx, { ...entry, origin, at: await clock.now(tx) });
    });
  }

  async function open(
    tx: Executor,
    { userId, method, secondFactor, isKept, caller, at }: Opening,
  ): Promise<SignedInPerson> {
    const { previousToken, origin } = caller;
    const token = await startSession(deps, tx, { userId, method, secondFactor, isKept, previousToken, origin, at });
    const [owner, credentials] = [await findOwner(tx, userId), await findCredentialsById(tx, userId)];
    if (!owner || !credentials) throw noStep();
    return { token, owner, device: devices.remember(credentials, caller.device), isKept };
  }

  return {
    async beginStep(tx, { userId, method, isKept, at }) {
      const secondFactor = await offeredFactorsOf(tx, userId);
      if (secondFactor.length === 0) return null;
      const stepToken = newToken();
      await deleteOldSignInSteps(tx, at);
      const expiresAt = new Date(at.getTime() + signInStepMs);
      await insertSignInStep(tx, { tokenHash: hashToken(stepToken), userId, method, isKept, expiresAt });
      return { stepToken, secondFactor };
    },

    async secondFactorsOfStep(stepToken) {
      if (stepToken === null) return [];
      const step = await findSignInStep(db, hashToken(stepToken), await clock.now());
      return step ? await offeredFactorsOf(db, step.userId) : [];
    },

    async askStepPasskey(stepToken) {
      const { userId } = await openStepOf(stepToken);
      return factorChecks.askPasskey({ purpose: 'second-factor', userId });
    },

    async finishStep(stepToken, proof, caller) {
      const { userId, method, isKept, tokenHash } = await openStepOf(stepToken);
      const known = await findCredentialsById(db, userId);
      if (!known) throw noStep();
      const throttlingKey = `second factor ${devices.throttlingKey(known, caller.device)}`;
      // Nobody guesses a passkey, so only codes are slowed down.
      if (proof.factor !== 'passkey')
        await throttling.count(throttlingKey, 'Too many wrong codes. Wait a little, then try again.');
      const used =
        proof.factor === 'passkey' ? await factorChecks.readPasskey(proof, { purpose: 'second-factor', userId }) : null;

      return db
        .transaction(async (tx) => {
          const owner = await lockOwnerRow(tx, userId);
          if (!owner || !(await deleteSignInStep(tx, tokenHash))) throw noStep();
          const at = await clock.now(tx);
          const isProved = await (used
            ? factorChecks.recordPasskeyUse(tx, used, at)
            : proof.factor === 'recovery'
              ? factorChecks.redeemRecoveryCode(tx, { owner, code: proof.code, origin: caller.origin, at })
              : proof.factor === 'authenticator' && factorChecks.redeemAuthenticatorCode(tx, userId, proof.code));
          // Thrown, so that the sign-in goes on waiting.
          if (!isProved) throw wrongProof(proof.factor);
          await throttling.forget(tx, throttlingKey, at);
          return open(tx, { userId, method, secondFactor: proof.factor, isKept, caller, at });
        })
        .catch(async (error) => {
          if (error instanceof WrongProof) await noteRefusal(userId, proof.factor, caller);
          throw error;
        });
    },

    askLoginPasskey: () => factorChecks.askPasskey({ purpose: 'sign-in', userId: null }),

    async signInWithPasskey(answer, caller, isKept) {
      const used = await factorChecks.readPasskey(answer, { purpose: 'sign-in', userId: null });
      const { userId } = used.row;
      return db.transaction(async (tx) => {
        const at = await clock.now(tx);
        if (!(await lockOwnerRow(tx, userId)) || !(await factorChecks.recordPasskeyUse(tx, used, at)))
          throw wrongProof('passkey');
        return open(tx, { userId, method: 'passkey', secondFactor: 'passkey', isKept, caller, at });
      });
    },
  };
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
