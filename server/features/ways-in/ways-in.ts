import type { App } from '#server/app.ts';
import { findOwnerByEmail, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { endResetLink, storeNoPassword } from '#server/features/accounts/credentials.repository.ts';
import {
  deleteIdentitiesOf,
  deleteIdentity,
  findUserOfIdentity,
  hasIdentityOf,
  identitiesOf,
} from '#server/features/accounts/identities.repository.ts';
import { providerNameOf, providerWordOf } from '#server/features/accounts/provider-names.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { beginAtProvider } from '#server/features/sessions/external-sign-in.ts';
import { hasFreshOwnProof, requireFreshSession } from '#server/features/sessions/fresh-sign-in.ts';
import { waysInOf } from '#server/features/sessions/second-factors/ways-in-of.ts';
import { endAllSessions } from '#server/features/sessions/sessions.ts';
import type { Call, HttpCall } from '#server/http/bind.ts';
import type { Principal } from '#server/http/principal.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type Identity, IdentityError } from '#server/platform/identity/identity-provider.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/sign-in/ways-in.ts';
import { isOnlyWayIn, onlyWayInWords } from '#shared/rules/sign-in/ways-in.ts';
import { endAllLinksOf } from './identity-links.repository.ts';
import { linkToAccount } from './identity-links.ts';
import { wayRemovedEmail } from './ways-in.emails.ts';

/** A change in progress: the owner's row is locked. */
type Change = { tx: Executor; owner: OwnerRow; at: Date };

/** Call of an owner who is signed in. */
type OwnersCall = { principal: Principal; origin: RequestOrigin };

/** Sends a session to a provider that it wants to link. @throws AppError `REAUTHENTICATION_REQUIRED`, `CONFLICT`. */
export async function startIdentityLink(app: App, call: HttpCall<typeof contract.startIdentityLink>) {
  const { body, principal, reply } = call;
  await requireLinkable(app, principal);
  try {
    return { url: await beginAtProvider(app, reply, body.provider, { links: principal.sessionId }) };
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error;
    throw new AppError('UNAVAILABLE', 'The provider does not answer. Try again later.');
  }
}

/**
 * Removes the link with a provider, and ends the other sessions, since the provider may have begun any of them.
 * @throws AppError `REAUTHENTICATION_REQUIRED`, `NOT_FOUND`; `CONFLICT` for the only way in.
 */
export async function removeIdentity(app: App, call: Call<typeof contract.removeIdentity>): Promise<void> {
  const { identityProviders } = app;
  await underLock(app, call, async (change) => {
    const { tx, owner } = change;
    const gone = await deleteIdentity(tx, owner.id, call.params.id);
    if (!gone) throw notFound();
    const isUsable = identityProviders.some(({ issuer }) => issuer === gone.issuer);
    // Counted after the removal, since every account must keep a way in.
    const left = await waysInOf(tx, owner.id, identityProviders);
    if (isUsable && isOnlyWayIn({ ...left, providers: left.providers + 1 }, 'provider')) throw onlyWayIn();
    const name = providerNameOf(identityProviders, gone.issuer);
    await endAllLinksOf(tx, owner.id);
    const details = { provider: providerWordOf(identityProviders, gone.issuer) };
    const did = `${name} no longer opens your account.`;
    await finishRemoval(app, change, call, { action: 'account.unlink', details, did });
  });
}

/**
 * Removes the password, and ends the other sessions.
 * @throws AppError `REAUTHENTICATION_REQUIRED`; `NOT_FOUND` if there is none; `CONFLICT` for the only way in.
 */
export async function removePassword(app: App, call: Call<typeof contract.removePassword>): Promise<void> {
  await underLock(app, call, async (change) => {
    const { tx, owner, at } = change;
    const ways = await waysInOf(tx, owner.id, app.identityProviders);
    if (!ways.hasPassword) throw notFound('Your account has no password.');
    if (isOnlyWayIn(ways, 'password')) throw onlyWayIn();
    await storeNoPassword(tx, owner.id, at);
    const did = 'The password of your account was removed. It no longer opens your account.';
    await finishRemoval(app, change, call, { action: 'account.password_remove', did });
  });
}

type SessionIdentity = {
  owner: OwnerRow;
  provider: { slug: string; name: string };
  identity: Identity;
  origin: RequestOrigin;
  at: Date;
};

/** Links the identity that a session brought back from a provider. The owner's row is locked. @throws IdentityError `refused`. */
export async function linkForSession(app: App, tx: Executor, returned: SessionIdentity): Promise<void> {
  const { owner, identity } = returned;
  // The owner may have requested the deletion while the browser was at the provider.
  if (owner.deletionRequestedAt !== null) throw new IdentityError('refused', 'account_closing');
  const holder = await findUserOfIdentity(tx, identity);
  if (holder === owner.id) return;
  if (holder !== null || (await hasIdentityOf(tx, owner.id, identity.issuer))) {
    throw new IdentityError('refused', 'link_taken');
  }
  if (owner.mailboxProvenAt === null) throw new IdentityError('refused', 'unproven_mailbox');
  if (!(await linkToAccount(app, tx, { ...returned, by: 'session' }))) throw new IdentityError('refused', 'link_taken');
}

/**
 * Removes every link with a provider, and every mailed link that would make one. Part of a new password by mail. Returns the
 * names of the providers. The owner's row is locked.
 */
export async function removeEveryIdentity(
  app: App,
  tx: Executor,
  { userId, origin, at }: { userId: string; origin: RequestOrigin; at: Date },
): Promise<string[]> {
  await endAllLinksOf(tx, userId);
  const gone = await deleteIdentitiesOf(tx, userId);
  for (const { issuer } of gone) {
    const details = { provider: providerWordOf(app.identityProviders, issuer), by: 'reset' };
    const entry = { userId, action: 'account.unlink', resource: 'account', resourceId: userId, details };
    await recordAudit(app, tx, { ...entry, origin, at });
  }
  return gone.map(({ issuer }) => providerNameOf(app.identityProviders, issuer)).toSorted();
}

type OperatorsIdentity = {
  provider: string;
  name: string;
  email: string | null;
  linkedAt: Date;
  lastUsedAt: Date | null;
};

/** Links of an account, for the operator; null if no account has the address. */
export async function identitiesForOperator(
  { db, identityProviders }: App,
  email: string,
): Promise<OperatorsIdentity[] | null> {
  const owner = await findOwnerByEmail(db, email);
  if (!owner) return null;
  return (await identitiesOf(db, owner.id)).map((row) => ({
    provider: providerWordOf(identityProviders, row.issuer),
    name: providerNameOf(identityProviders, row.issuer),
    email: row.email,
    linkedAt: row.createdAt,
    lastUsedAt: row.lastUsedAt,
  }));
}

/** Removes a link for the operator and ends every session. The mailed reset stays a way in, so the last link may go. */
export function removeIdentityByOperator(
  app: App,
  { email, provider }: { email: string; provider: string },
): Promise<'removed' | 'not-linked' | 'unknown'> {
  const { identityProviders } = app;
  return app.db.transaction(async (tx) => {
    const found = await findOwnerByEmail(tx, email);
    const owner = found && (await lockOwnerRow(tx, found.id));
    if (!owner) return 'unknown';
    const linked = await identitiesOf(tx, owner.id);
    const row = linked.find(({ issuer }) => providerWordOf(identityProviders, issuer) === provider);
    if (!row || !(await deleteIdentity(tx, owner.id, row.id))) return 'not-linked';
    const at = await app.clock.now(tx);
    await endAllSessions(tx, owner.id);
    await endResetLink(tx, owner.id, at);
    await endAllLinksOf(tx, owner.id);
    const did = `${providerNameOf(identityProviders, row.issuer)} no longer opens your account. The people who run this service removed it.`;
    await mailRemoval(app, { tx, owner, at }, 'account.unlink', did);
    const entry = { userId: owner.id, action: 'account.unlink', resource: 'account', resourceId: owner.id };
    await recordAudit(app, tx, { ...entry, details: { provider, by: 'operator' }, at });
    return 'removed';
  });
}

/** Checks that a session may link a provider. @throws AppError `REAUTHENTICATION_REQUIRED`, `CONFLICT`. */
async function requireLinkable(app: App, principal: Principal): Promise<void> {
  await app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, principal.userId);
    if (!owner) throw notFound();
    requireMailbox(owner);
    if (await hasFreshOwnProof(app, tx, principal)) return;
    const { hasPassword, passkeys } = await waysInOf(tx, owner.id, app.identityProviders);
    if (!hasPassword && passkeys === 0) throw new AppError('CONFLICT', 'Set a password or add a passkey first.');
    const message = 'Confirm with your password or a passkey that it is you, to link another way to sign in.';
    throw new AppError('REAUTHENTICATION_REQUIRED', message, { issues: [{ path: 'password', message }] });
  });
}

async function underLock(app: App, { principal }: OwnersCall, work: (change: Change) => Promise<void>): Promise<void> {
  await app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, principal.userId);
    if (!owner) throw notFound();
    await requireFreshSession(app, tx, principal);
    await work({ tx, owner, at: await app.clock.now(tx) });
  });
}

type Removal = { action: string; details?: Record<string, string>; did: string };

async function finishRemoval(
  app: App,
  change: Change,
  { principal: { userId, sessionId }, origin }: OwnersCall,
  { action, details, did }: Removal,
): Promise<void> {
  const { tx, at } = change;
  await endAllSessions(tx, userId, sessionId);
  await endResetLink(tx, userId, at);
  await mailRemoval(app, change, action, did);
  const entry = { userId, action, resource: 'account', resourceId: userId, ...(details ? { details } : {}) };
  await recordAudit(app, tx, { ...entry, origin, at });
  await recordActivity(app, tx, { userId, type: 'change', at, origin });
}

async function mailRemoval(app: App, { tx, owner, at }: Change, action: string, did: string): Promise<void> {
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'accounts.way-removed',
    userId: owner.id,
    subjectId: null,
    dedupeKey: `accounts.way-removed:${owner.id}:${action}:${at.toISOString()}`,
    at,
    to: { address: owner.email },
    mail: wayRemovedEmail({ to: owner, did, baseUrl: app.baseUrl }),
  });
}

function requireMailbox({ mailboxProvenAt }: OwnerRow): void {
  if (mailboxProvenAt !== null) return;
  throw new AppError('CONFLICT', 'First show that the mailbox of your account is yours, on this page.');
}

function onlyWayIn(): AppError {
  return new AppError('CONFLICT', onlyWayInWords);
}
