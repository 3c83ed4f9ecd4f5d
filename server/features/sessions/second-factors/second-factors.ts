import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import { freshSignInMs } from '#server/features/accounts/accounts.limits.ts';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { findCredentialsById } from '#server/features/accounts/credentials.repository.ts';
import { identitiesOf } from '#server/features/accounts/identities.repository.ts';
import { requireProvenMailbox } from '#server/features/accounts/proven-mailbox.ts';
import { describeIdentity } from '#server/features/accounts/provider-names.ts';
import { requireFreshSession } from '#server/features/sessions/fresh-sign-in.ts';
import { endAllSessions } from '#server/features/sessions/sessions.ts';
import type { Call } from '#server/http/bind.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import type * as contract from '#shared/contract/second-factors.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { isOnlyWayIn, onlyWayInWords } from '#shared/rules/sign-in/ways-in.ts';
import { authenticatorUri, newAuthenticatorSecret, stepOfCode } from './authenticator.ts';
import {
  changeFactors,
  type FactorCall,
  finishAddition,
  finishRemoval,
  noteFactorChange,
  renewCodes,
} from './factor-changes.ts';
import { newPasskeyQuestion, type PasskeyQuestion, readNewPasskey } from './passkey-challenges.ts';
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

// Every change of an owner's factors is in the audit log, is mailed to the owner, and is a sign of life. Each of them throws
// `REAUTHENTICATION_REQUIRED` if the session is not fresh.

export async function getSecondFactors(
  { db, vaults, identityProviders }: App,
  { principal }: Call<typeof contract.getSecondFactors>,
): Promise<RouteAnswer<typeof contract.getSecondFactors>> {
  const { userId, authenticatedAt, vaultKey } = principal;
  const [credentials, authenticator, keys, codes, identities] = await Promise.all([
    findCredentialsById(db, userId),
    findAuthenticator(db, userId),
    passkeysOf(db, userId),
    recoveryCodesOf(db, userId),
    identitiesOf(db, userId),
  ]);
  const vault = vaults.open(userId, vaultKey);
  return {
    hasPassword: (credentials?.password ?? null) !== null,
    providers: identityProviders
      .filter(({ issuer }) => identities.some((identity) => identity.issuer === issuer))
      .map(({ slug, name }) => ({ slug, name })),
    identities: identities.map((identity) => describeIdentity(identityProviders, identity)),
    authenticator: authenticator?.confirmedAt ? { confirmedAt: authenticator.confirmedAt } : null,
    passkeys: keys.map((row) => described(vault, row)),
    recoveryCodes: codes,
    freshUntil: new Date(authenticatedAt.getTime() + freshSignInMs),
  };
}

/** @throws AppError `CONFLICT` if an app is set up already. */
export async function startAuthenticator(
  app: App,
  call: FactorCall,
): Promise<RouteAnswer<typeof contract.startAuthenticator>> {
  const { userId, vaultKey } = call.principal;
  const secret = newAuthenticatorSecret();
  const sealed = sealSecret(app.vaults.open(userId, vaultKey), userId, secret);
  return changeFactors(app, call, async ({ tx, owner, at }) => {
    requireProvenMailbox(owner);
    if ((await findAuthenticator(tx, owner.id))?.confirmedAt) throw appIsThere();
    await storeNewAuthenticator(tx, { userId: owner.id, secret: sealed, at });
    const grouped = secret.match(/.{1,4}/g)?.join(' ') ?? secret;
    return { secret: grouped, uri: authenticatorUri(secret, owner.email) };
  });
}

/**
 * Returns ten recovery codes if the owner has none yet. @throws AppError `VALIDATION` for a wrong code; `CONFLICT` if no app was
 * begun.
 */
export async function confirmAuthenticator(app: App, call: Call<typeof contract.confirmAuthenticator>) {
  const { userId, vaultKey } = call.principal;
  await app.limits.spend(`authenticator confirmation ${userId}`, confirmCodeBudget);
  const recoveryCodes = await changeFactors(app, call, async (context) => {
    const { tx, owner, at } = context;
    requireProvenMailbox(owner);
    const authenticator = await findAuthenticator(tx, owner.id);
    if (authenticator?.confirmedAt) throw appIsThere();
    if (!authenticator) throw new AppError('CONFLICT', 'Please start again. No app is waiting for its first code.');
    const secret = openSecret(app.vaults.open(owner.id, vaultKey), owner.id, authenticator.secret);
    const step = stepOfCode(secret, call.body.code, app.realNowMs());
    if (step === null || !(await takeStep(tx, owner.id, step))) throw wrongCode();
    await confirmAuthenticatorRow(tx, owner.id, at);
    return finishAddition(app, context, call, 'authenticator-added');
  });
  return { recoveryCodes };
}

/** @throws AppError `NOT_FOUND`. */
export async function removeAuthenticator(app: App, call: FactorCall): Promise<void> {
  await changeFactors(app, call, async (context) => {
    if (!(await deleteAuthenticator(context.tx, context.owner.id))) throw notFound();
    await finishRemoval(app, context, call, 'authenticator-removed');
  });
}

/** @throws AppError `CONFLICT` if no second factor is on. */
export async function renewRecoveryCodes(app: App, call: FactorCall) {
  const recoveryCodes = await changeFactors(app, call, async (context) => {
    const { tx, owner, at } = context;
    if (offeredFactors(await countFactors(tx, owner.id)).length === 0) {
      throw new AppError('CONFLICT', 'Recovery codes come with an authenticator app or a passkey. Add one first.');
    }
    await noteFactorChange(app, context, call, 'codes-renewed');
    return renewCodes(app, tx, owner.id, at);
  });
  return { recoveryCodes };
}

/** @throws AppError `CONFLICT` if the owner has the most passkeys already. */
export async function askNewPasskey(app: App, { principal }: FactorCall): Promise<PasskeyQuestion> {
  const { db } = app;
  await requireFreshSession(app, db, principal);
  const [owner, known] = await Promise.all([findOwner(db, principal.userId), passkeysOf(db, principal.userId)]);
  if (!owner) throw notFound();
  requireProvenMailbox(owner);
  requireRoom(known.length);
  const name = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
  return newPasskeyQuestion(app, { id: owner.id, email: owner.email, name }, known);
}

/** @throws AppError `VALIDATION` for an answer that proves nothing; `CONFLICT` for a key that is known. */
export async function addPasskey(
  app: App,
  call: Call<typeof contract.addPasskey>,
): Promise<RouteAnswer<typeof contract.addPasskey>> {
  const { principal, body } = call;
  // Checked before the answer is used up, so that the page can send it again.
  await requireFreshSession(app, app.db, principal);
  const made = await readNewPasskey(app, body, principal.userId);
  const id = randomUUID();
  const vault = app.vaults.open(principal.userId, principal.vaultKey);
  return changeFactors(app, call, async (context) => {
    const { tx, owner, at } = context;
    requireProvenMailbox(owner);
    requireRoom((await countFactors(tx, owner.id)).passkeys);
    const name = sealPasskeyName(vault, id, body.name);
    const row = { id, userId: owner.id, ...made, name, createdAt: at, lastUsedAt: null };
    const isNew = await insertPasskey(tx, row);
    if (!isNew) throw new AppError('CONFLICT', 'This passkey is in use here already.');
    const recoveryCodes = await finishAddition(app, context, call, 'passkey-added');
    return { passkey: described(vault, row), recoveryCodes };
  });
}

/** Ends the other sessions too. @throws AppError `NOT_FOUND`; `CONFLICT` for the only way in. */
export async function removePasskey(app: App, call: Call<typeof contract.removePasskey>): Promise<void> {
  await changeFactors(app, call, async (context) => {
    const { tx, owner } = context;
    const ways = await waysInOf(tx, owner.id, app.identityProviders);
    if (!(await deletePasskey(tx, owner.id, call.params.id))) throw notFound();
    if (isOnlyWayIn(ways, 'passkey')) throw new AppError('CONFLICT', onlyWayInWords);
    // The passkey may have begun any of the other sessions.
    await endAllSessions(tx, owner.id, call.principal.sessionId);
    await finishRemoval(app, context, call, 'passkey-removed');
  });
}

function described(vault: Vault, row: PasskeyRow) {
  const { id, createdAt, lastUsedAt, isBackedUp } = row;
  // A passkey whose name is damaged still works.
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
