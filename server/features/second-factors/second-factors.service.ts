import { randomUUID } from 'node:crypto';
import { freshSignInMs, type SpendBudget } from '#server/features/accounts/accounts.limits.ts';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { findCredentialsById } from '#server/features/accounts/credentials.repository.ts';
import { identitiesOf } from '#server/features/accounts/identities.repository.ts';
import { requireProvenMailbox } from '#server/features/accounts/proven-mailbox.ts';
import { describeIdentity } from '#server/features/accounts/provider-names.ts';
import { unlessBroken, type Vault, type Vaults } from '#server/platform/crypto/vault.ts';
import type { NamedProvider } from '#server/platform/identity/identity-provider.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import type {
  addPasskey,
  getSecondFactors,
  NewPasskeyAnswer,
  startAuthenticator,
} from '#shared/contract/second-factors.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { isOnlyWayIn, onlyWayInWords } from '#shared/rules/sign-in/ways-in.ts';
import { authenticatorUri, newAuthenticatorSecret, stepOfCode } from './authenticator.ts';
import { createFactorChanges, type FactorActor, type FactorChangesDependencies } from './factor-changes.service.ts';
import type { PasskeyChallenges, PasskeyQuestion } from './passkey-challenges.ts';
import { deletePasskey, insertPasskey, type PasskeyRow, passkeysOf } from './passkeys.repository.ts';
import { confirmCodeBudget, passkeysMax } from './second-factors.limits.ts';
import {
  confirmAuthenticatorRow,
  countFactors,
  deleteAuthenticator,
  findAuthenticator,
  recoveryCodesOf,
  storeNewAuthenticator,
  takeStep,
} from './second-factors.repository.ts';
import { offeredFactors } from './second-factors.rules.ts';
import { openPasskeyName, openSecret, sealPasskeyName, sealSecret } from './second-factors.sealing.ts';
import { waysInOf } from './ways-in-of.ts';

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
  /** Ends the other sessions too. @throws AppError `REAUTHENTICATION_REQUIRED`, `NOT_FOUND`; `CONFLICT` for the only way in. */
  removePasskey(actor: FactorActor, id: string): Promise<void>;
};

type Dependencies = FactorChangesDependencies & {
  vaults: Vaults;
  spendBudget: SpendBudget;
  passkeyChallenges: PasskeyChallenges;
  /** Whom people can sign in with here. */
  providers: readonly Pick<NamedProvider, 'slug' | 'name' | 'issuer'>[];
  /** Real time, which telephones count in; no test clock moves it. */
  nowMs: () => number;
};

/** What an owner turns on and off. Each change is in the log, told by mail, and a sign of life. */
export function createSecondFactors(deps: Dependencies): SecondFactors {
  const { db, vaults, spendBudget, passkeyChallenges, sessions } = deps;

  const { underLock, note, putNewCodes, added, removed } = createFactorChanges(deps);

  return {
    async secondFactorsOf({ userId, authenticatedAt, vaultKey }) {
      const [credentials, app, keys, codes, identities] = await Promise.all([
        findCredentialsById(db, userId),
        findAuthenticator(db, userId),
        passkeysOf(db, userId),
        recoveryCodesOf(db, userId),
        identitiesOf(db, userId),
      ]);
      const vault = vaults.open(userId, vaultKey);
      return {
        hasPassword: (credentials?.password ?? null) !== null,
        providers: deps.providers
          .filter(({ issuer }) => identities.some((identity) => identity.issuer === issuer))
          .map(({ slug, name }) => ({ slug, name })),
        identities: identities.map((identity) => describeIdentity(deps.providers, identity)),
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
        if (!app) throw new AppError('CONFLICT', 'Please start again. No app is waiting for its first code.');
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
      await sessions.requireFreshSession(db, actor);
      const [owner, known] = await Promise.all([findOwner(db, actor.userId), passkeysOf(db, actor.userId)]);
      if (!owner) throw notFound();
      requireProvenMailbox(owner);
      requireRoom(known.length);
      const name = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
      return passkeyChallenges.askNew({ id: owner.id, email: owner.email, name }, known);
    },

    async addPasskey(actor, answer) {
      // Before the answer is used up, so that the page can send it once more.
      await sessions.requireFreshSession(db, actor);
      const made = await passkeyChallenges.readNew(answer, actor.userId);
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
        const { tx, owner } = context;
        const ways = await waysInOf(tx, owner.id, deps.providers);
        if (!(await deletePasskey(tx, owner.id, id))) throw notFound();
        if (isOnlyWayIn(ways, 'passkey')) throw new AppError('CONFLICT', onlyWayInWords);
        // Any of the other sessions may have begun with the passkey.
        await sessions.endAll(tx, owner.id, actor.sessionId);
        await removed(context, actor, 'passkey-removed');
      });
    },
  };
}

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
