import { randomUUID } from 'node:crypto';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { unlessBroken, type Vault, type Vaults, type WrappedKey } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import type {
  addPasskey,
  getSecondFactors,
  NewPasskeyAnswer,
  startAuthenticator,
} from '#shared/contract/second-factors.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { confirmCodeBudget, freshSignInMs, passkeysMax, type SpendBudget } from './accounts.limits.ts';
import { findOwner, lockOwnerRow, type OwnerRow } from './accounts.repository.ts';
import type { ActivityLog } from './activity.service.ts';
import { authenticatorUri, newAuthenticatorSecret, stepOfCode } from './authenticator.ts';
import { findCredentialsById } from './credentials.repository.ts';
import type { FreshSignIns } from './fresh-sign-in.ts';
import { hasIdentities } from './identities.repository.ts';
import { requireProvenMailbox } from './mailbox-proof.ts';
import type { PasskeyCeremonies, PasskeyQuestion } from './passkey-ceremonies.ts';
import { deletePasskey, insertPasskey, type PasskeyRow, passkeysOf } from './passkeys.repository.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { type FactorChange, factorChangedEmail } from './second-factors.emails.ts';
import {
  confirmAuthenticatorRow,
  countFactors,
  deleteAuthenticator,
  findAuthenticator,
  markSecondFactor,
  recoveryCodesOf,
  replaceRecoveryCodes,
  storeNewAuthenticator,
  takeStep,
  unmarkSecondFactor,
} from './second-factors.repository.ts';
import { offeredFactors } from './second-factors.rules.ts';
import { openPasskeyName, openSecret, sealPasskeyName, sealSecret } from './second-factors.sealing.ts';
import { findProved } from './sessions.repository.ts';
import type { SessionActor, SessionKeeper } from './sessions.service.ts';

/** Somebody signed in who changes what protects their sign-in. */
export type FactorActor = SessionActor & { authenticatedAt: Date; vaultKey: WrappedKey };

export type SecondFactors = {
  secondFactorsOf(actor: Omit<FactorActor, 'origin'>): Promise<RouteAnswer<typeof getSecondFactors>>;
  /** @throws AppError `REAUTHENTICATION_REQUIRED`; `CONFLICT` where an app is set up already. */
  startAuthenticator(actor: FactorActor): Promise<RouteAnswer<typeof startAuthenticator>>;
  /**
   * Gives ten recovery codes where the owner has none yet. @throws AppError `VALIDATION` for a wrong code; `CONFLICT`
   * where none was begun; `REAUTHENTICATION_REQUIRED`.
   */
  confirmAuthenticator(actor: FactorActor, code: string): Promise<string[] | null>;
  /** @throws AppError `REAUTHENTICATION_REQUIRED`, `NOT_FOUND`. */
  removeAuthenticator(actor: FactorActor): Promise<void>;
  /** @throws AppError `REAUTHENTICATION_REQUIRED`; `CONFLICT` where no second factor is on. */
  renewRecoveryCodes(actor: FactorActor): Promise<string[]>;
  /** @throws AppError `REAUTHENTICATION_REQUIRED`; `CONFLICT` where there are very many already. */
  askNewPasskey(actor: FactorActor): Promise<PasskeyQuestion>;
  /** @throws AppError `VALIDATION` for an answer that proves nothing; `CONFLICT` for a key that is known; `REAUTHENTICATION_REQUIRED`. */
  addPasskey(actor: FactorActor, answer: NewPasskeyAnswer): Promise<RouteAnswer<typeof addPasskey>>;
  /** @throws AppError `REAUTHENTICATION_REQUIRED`, `NOT_FOUND`. */
  removePasskey(actor: FactorActor, id: string): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  vaults: Vaults;
  serviceKeys: Pick<ServiceKeys, 'derive'>;
  audit: Audit;
  notifications: Notifications;
  activity: ActivityLog;
  spendBudget: SpendBudget;
  ceremonies: PasskeyCeremonies;
  requireFreshSignIn: FreshSignIns['requireFreshSignIn'];
  sessions: Pick<SessionKeeper, 'endAll'>;
  /** Whether people can sign in with Google here. */
  knowsGoogle: boolean;
  baseUrl: string;
  /** Real time, which telephones count in; no test clock moves it. */
  nowMs: () => number;
};

type Context = { tx: Executor; owner: OwnerRow; at: Date };

/** What an owner turns on and off. Each change is in the log, told by mail, and a sign of life. */
export function createSecondFactors(deps: Dependencies): SecondFactors {
  const { db, clock, vaults, audit, notifications, activity, spendBudget, ceremonies, sessions } = deps;
  const { requireFreshSignIn, serviceKeys } = deps;

  /** Looks at the session itself, since another may have turned a factor on, and ended this one, a moment ago. */
  async function requireProof(executor: Executor, actor: FactorActor): Promise<void> {
    const proved = await findProved(executor, actor);
    if (!proved) throw new AppError('UNAUTHENTICATED', 'Sign in to continue.');
    await requireFreshSignIn(proved, executor);
  }

  async function underLock<Result>(actor: FactorActor, work: (context: Context) => Promise<Result>): Promise<Result> {
    return db.transaction(async (tx) => {
      const owner = await lockOwnerRow(tx, actor.userId);
      if (!owner) throw notFound();
      await requireProof(tx, actor);
      return work({ tx, owner, at: await clock.now(tx) });
    });
  }

  async function note({ tx, owner, at }: Context, { origin }: FactorActor, change: FactorChange): Promise<void> {
    const userId = owner.id;
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: 'accounts.second-factor',
      userId,
      subjectId: null,
      dedupeKey: `accounts.second-factor:${userId}:${change}:${at.toISOString()}`,
      at,
      to: { address: owner.email },
      mail: factorChangedEmail({ to: owner, change, baseUrl: deps.baseUrl }),
    });
    const { action, details } = recorded[change];
    await audit.record(tx, { userId, action, resource: 'account', resourceId: userId, details, origin, at });
    await activity.recordActivity(tx, { userId, type: 'change', at, origin });
  }

  async function putNewCodes(tx: Executor, userId: string, at: Date): Promise<string[]> {
    const codes = newRecoveryCodes();
    await replaceRecoveryCodes(tx, {
      userId,
      hashes: codes.map((code) => hashRecoveryCode(serviceKeys, userId, code)),
      at,
    });
    return codes;
  }

  /**
   * What follows a factor that was added: this session has just shown it, no other one has shown the first, and somebody
   * with a factor has codes.
   */
  async function added(context: Context, actor: FactorActor, change: FactorChange): Promise<string[] | null> {
    const { tx, owner, at } = context;
    await markSecondFactor(tx, actor.sessionId, at);
    const { hasAuthenticator, passkeys } = await countFactors(tx, owner.id);
    if (Number(hasAuthenticator) + passkeys === 1) await sessions.endAll(tx, owner.id, actor.sessionId);
    await note(context, actor, change);
    const hasCodes = (await recoveryCodesOf(tx, owner.id)) !== null;
    return hasCodes ? null : putNewCodes(tx, owner.id, at);
  }

  /** What follows a factor that was removed: codes that stand in for nothing go with the last one. */
  async function removed(context: Context, actor: FactorActor, change: FactorChange): Promise<void> {
    const { tx, owner, at } = context;
    if (offeredFactors(await countFactors(tx, owner.id)).length === 0) {
      await replaceRecoveryCodes(tx, { userId: owner.id, hashes: [], at });
      await unmarkSecondFactor(tx, owner.id);
    }
    await note(context, actor, change);
  }

  return {
    async secondFactorsOf({ userId, authenticatedAt, vaultKey }) {
      const [credentials, app, keys, codes, hasIdentity] = await Promise.all([
        findCredentialsById(db, userId),
        findAuthenticator(db, userId),
        passkeysOf(db, userId),
        recoveryCodesOf(db, userId),
        hasIdentities(db, userId),
      ]);
      const vault = vaults.open(userId, vaultKey);
      return {
        hasPassword: (credentials?.password ?? null) !== null,
        hasGoogle: deps.knowsGoogle && hasIdentity,
        authenticator: app?.confirmedAt ? { confirmedAt: app.confirmedAt } : null,
        passkeys: keys.map((row) => described(vault, row)),
        recoveryCodes: codes,
        freshUntil: new Date(authenticatedAt.getTime() + freshSignInMs),
      };
    },

    async startAuthenticator(actor) {
      const secret = newAuthenticatorSecret();
      const sealed = sealSecret(vaults.open(actor.userId, actor.vaultKey), actor.userId, secret);
      return underLock(actor, async ({ tx, owner, at }) => {
        requireProvenMailbox(owner);
        if ((await findAuthenticator(tx, owner.id))?.confirmedAt) throw appIsThere();
        await storeNewAuthenticator(tx, { userId: owner.id, secret: sealed, at });
        const grouped = secret.match(/.{1,4}/g)?.join(' ') ?? secret;
        return { secret: grouped, uri: authenticatorUri(secret, owner.email) };
      });
    },

    async confirmAuthenticator(actor, code) {
      await spendBudget(`authenticator confirmation ${actor.userId}`, confirmCodeBudget);
      return underLock(actor, async (context) => {
        const { tx, owner, at } = context;
        requireProvenMailbox(owner);
        const app = await findAuthenticator(tx, owner.id);
        if (app?.confirmedAt) throw appIsThere();
        if (!app) throw new AppError('CONFLICT', 'Begin once more: there is no app waiting for its first code.');
        const secret = openSecret(vaults.open(owner.id, actor.vaultKey), owner.id, app.secret);
        const step = stepOfCode(secret, code, deps.nowMs());
        if (step === null || !(await takeStep(tx, owner.id, step))) throw wrongCode();
        await confirmAuthenticatorRow(tx, owner.id, at);
        return added(context, actor, 'authenticator-added');
      });
    },

    async removeAuthenticator(actor) {
      await underLock(actor, async (context) => {
        if (!(await deleteAuthenticator(context.tx, context.owner.id))) throw notFound();
        await removed(context, actor, 'authenticator-removed');
      });
    },

    async renewRecoveryCodes(actor) {
      return underLock(actor, async (context) => {
        const { tx, owner, at } = context;
        if (offeredFactors(await countFactors(tx, owner.id)).length === 0) {
          throw new AppError('CONFLICT', 'Recovery codes come with an authenticator app or a passkey. Add one first.');
        }
        await note(context, actor, 'codes-renewed');
        return putNewCodes(tx, owner.id, at);
      });
    },

    async askNewPasskey(actor) {
      await requireProof(db, actor);
      const [owner, known] = await Promise.all([findOwner(db, actor.userId), passkeysOf(db, actor.userId)]);
      if (!owner) throw notFound();
      requireProvenMailbox(owner);
      requireRoom(known.length);
      const name = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
      return ceremonies.askNew({ id: owner.id, email: owner.email, name }, known);
    },

    async addPasskey(actor, answer) {
      // Before the answer is used up, so that the page can send it once more.
      await requireProof(db, actor);
      const made = await ceremonies.readNew(answer, actor.userId);
      const id = randomUUID();
      const vault = vaults.open(actor.userId, actor.vaultKey);
      return underLock(actor, async (context) => {
        const { tx, owner, at } = context;
        requireProvenMailbox(owner);
        requireRoom((await countFactors(tx, owner.id)).passkeys);
        const name = sealPasskeyName(vault, id, answer.name);
        const row = { id, userId: owner.id, ...made, name, createdAt: at, lastUsedAt: null };
        const isNew = await insertPasskey(tx, row);
        if (!isNew) throw new AppError('CONFLICT', 'This passkey is in use here already.');
        return { passkey: described(vault, row), recoveryCodes: await added(context, actor, 'passkey-added') };
      });
    },

    async removePasskey(actor, id) {
      await underLock(actor, async (context) => {
        if (!(await deletePasskey(context.tx, context.owner.id, id))) throw notFound();
        await removed(context, actor, 'passkey-removed');
      });
    },
  };
}

const recorded: Record<FactorChange, { action: string; details?: Record<string, string> }> = {
  'authenticator-added': { action: 'factor.add', details: { factor: 'authenticator' } },
  'authenticator-removed': { action: 'factor.remove', details: { factor: 'authenticator' } },
  'passkey-added': { action: 'factor.add', details: { factor: 'passkey' } },
  'passkey-removed': { action: 'factor.remove', details: { factor: 'passkey' } },
  'codes-renewed': { action: 'factor.codes_renewed' },
};

function described(vault: Vault, row: PasskeyRow) {
  const { id, createdAt, lastUsedAt, isBackedUp } = row;
  // A key works without its name.
  const name = unlessBroken(() => openPasskeyName(vault, id, row.name)) ?? damagedTitle;
  return { id, name, createdAt, lastUsedAt, isBackedUp };
}

function requireRoom(present: number): void {
  if (present < passkeysMax) return;
  throw new AppError('CONFLICT', `You have ${passkeysMax} passkeys already. Remove one that you no longer use first.`);
}

function appIsThere(): AppError {
  return new AppError('CONFLICT', 'An authenticator app is set up already. Remove it first.');
}

function wrongCode(): AppError {
  const message = 'That code is not right. Check that the time on your phone is set automatically, then type the next.';
  return new AppError('VALIDATION', message, { issues: [{ path: 'code', message }] });
}
