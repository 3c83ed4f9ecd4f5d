import { findOwnerByEmail, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { SessionActor } from '#server/features/accounts/accounts.service.ts';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import { endResetLink, storeNoPassword } from '#server/features/accounts/credentials.repository.ts';
import {
  deleteIdentitiesOf,
  deleteIdentity,
  findUserOfIdentity,
  hasIdentityOf,
  identitiesOf,
} from '#server/features/accounts/identities.repository.ts';
import { providerNameOf, providerWordOf } from '#server/features/accounts/provider-names.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import { waysInOf } from '#server/features/second-factors/ways-in-of.ts';
import type { SessionIdentity } from '#server/features/sessions/external-sign-in.service.ts';
import type { FreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { IdentityError } from '#server/platform/identity/identity-provider.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { isOnlyWayIn, onlyWayInWords } from '#shared/rules/sign-in/ways-in.ts';
import { endAllLinksOf } from './identity-links.repository.ts';
import { type IdentityLinkDependencies, linkToAccount } from './identity-links.service.ts';
import { wayRemovedEmail } from './ways-in.emails.ts';

export type WaysInDependencies = IdentityLinkDependencies & {
  activity: Pick<ActivityLog, 'recordActivity'>;
  freshSignIns: Pick<FreshSignIns, 'requireFreshSession' | 'hasFreshOwnProof'>;
};

type Change = { tx: Executor; owner: OwnerRow; at: Date };

/**
 * Removes the link with a provider, and ends the other sessions: the provider may have begun any of them.
 * @throws AppError `REAUTHENTICATION_REQUIRED`, `NOT_FOUND`; `CONFLICT` for the only way in.
 */
export async function removeIdentity(deps: WaysInDependencies, actor: SessionActor, id: string): Promise<void> {
  await underLock(deps, actor, async (change) => {
    const { tx, owner } = change;
    const gone = await deleteIdentity(tx, owner.id, id);
    if (!gone) throw notFound();
    const isUsable = deps.providers.some(({ issuer }) => issuer === gone.issuer);
    // Counted after the removal: nothing may be left without a way in.
    const left = await waysInOf(tx, owner.id, deps.providers);
    if (isUsable && isOnlyWayIn({ ...left, providers: left.providers + 1 }, 'provider')) throw onlyWayIn();
    const name = providerNameOf(deps.providers, gone.issuer);
    await endAllLinksOf(tx, owner.id);
    const done = { action: 'account.unlink', details: { provider: providerWordOf(deps.providers, gone.issuer) } };
    await finishRemoval(deps, change, actor, { ...done, did: `${name} no longer opens your account.` });
  });
}

/**
 * Removes the password, and ends the other sessions.
 * @throws AppError `REAUTHENTICATION_REQUIRED`; `NOT_FOUND` if there is none; `CONFLICT` for the only way in.
 */
export async function removePassword(deps: WaysInDependencies, actor: SessionActor): Promise<void> {
  await underLock(deps, actor, async (change) => {
    const { tx, owner, at } = change;
    const ways = await waysInOf(tx, owner.id, deps.providers);
    if (!ways.hasPassword) throw notFound('Your account has no password.');
    if (isOnlyWayIn(ways, 'password')) throw onlyWayIn();
    await storeNoPassword(tx, owner.id, at);
    const did = 'The password of your account was removed. It no longer opens your account.';
    await finishRemoval(deps, change, actor, { action: 'account.password_remove', did });
  });
}

/** Checks that a session may link a provider. @throws AppError `REAUTHENTICATION_REQUIRED`, `CONFLICT`. */
export async function requireLinkable(deps: WaysInDependencies, actor: SessionActor): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, actor.userId);
    if (!owner) throw notFound();
    requireMailbox(owner);
    if (await deps.freshSignIns.hasFreshOwnProof(tx, actor)) return;
    const { hasPassword, passkeys } = await waysInOf(tx, owner.id, deps.providers);
    if (!hasPassword && passkeys === 0) throw new AppError('CONFLICT', 'Set a password or add a passkey first.');
    const message = 'Confirm with your password or a passkey that it is you, to link another way to sign in.';
    throw new AppError('REAUTHENTICATION_REQUIRED', message, { issues: [{ path: 'password', message }] });
  });
}

/** Links the identity that a session brought back from a provider. @throws IdentityError `refused`. */
export async function linkForSession(deps: WaysInDependencies, tx: Executor, returned: SessionIdentity): Promise<void> {
  const { owner, identity } = returned;
  // The owner may have requested the deletion while the browser was at the provider.
  if (owner.deletionRequestedAt !== null) throw new IdentityError('refused', 'account_closing');
  const holder = await findUserOfIdentity(tx, identity);
  if (holder === owner.id) return;
  if (holder !== null || (await hasIdentityOf(tx, owner.id, identity.issuer))) {
    throw new IdentityError('refused', 'link_taken');
  }
  if (owner.mailboxProvenAt === null) throw new IdentityError('refused', 'unproven_mailbox');
  await linkToAccount(deps, tx, { ...returned, by: 'session' });
}

/**
 * Removes every link with a provider, and every mailed link that would make one. Part of a new password by mail. Returns the
 * names of the providers. The owner's row is locked.
 */
export async function removeEveryIdentity(
  deps: IdentityLinkDependencies,
  tx: Executor,
  { userId, origin, at }: { userId: string; origin: RequestOrigin; at: Date },
): Promise<string[]> {
  await endAllLinksOf(tx, userId);
  const gone = await deleteIdentitiesOf(tx, userId);
  for (const { issuer } of gone) {
    const details = { provider: providerWordOf(deps.providers, issuer), by: 'reset' };
    const entry = { userId, action: 'account.unlink', resource: 'account', resourceId: userId, details };
    await deps.audit.record(tx, { ...entry, origin, at });
  }
  return gone.map(({ issuer }) => providerNameOf(deps.providers, issuer)).toSorted();
}

export type OperatorsIdentity = {
  provider: string;
  name: string;
  email: string | null;
  linkedAt: Date;
  lastUsedAt: Date | null;
};

/** Links of an account, for the operator; null if no account has the address. */
export async function identitiesForOperator(
  { db, providers }: IdentityLinkDependencies,
  email: string,
): Promise<OperatorsIdentity[] | null> {
  const owner = await findOwnerByEmail(db, email);
  if (!owner) return null;
  return (await identitiesOf(db, owner.id)).map((row) => ({
    provider: providerWordOf(providers, row.issuer),
    name: providerNameOf(providers, row.issuer),
    email: row.email,
    linkedAt: row.createdAt,
    lastUsedAt: row.lastUsedAt,
  }));
}

/** Removes a link by the operator's word and ends every session. The mailed reset stays a way in, so the last link may go. */
export function removeIdentityByOperator(
  deps: IdentityLinkDependencies,
  { email, provider }: { email: string; provider: string },
): Promise<'removed' | 'not-linked' | 'unknown'> {
  return deps.db.transaction(async (tx) => {
    const found = await findOwnerByEmail(tx, email);
    const owner = found && (await lockOwnerRow(tx, found.id));
    if (!owner) return 'unknown';
    const linked = await identitiesOf(tx, owner.id);
    const row = linked.find(({ issuer }) => providerWordOf(deps.providers, issuer) === provider);
    if (!row || !(await deleteIdentity(tx, owner.id, row.id))) return 'not-linked';
    const at = await deps.clock.now(tx);
    await deps.sessions.endAll(tx, owner.id);
    await endResetLink(tx, owner.id, at);
    await endAllLinksOf(tx, owner.id);
    const did = `${providerNameOf(deps.providers, row.issuer)} no longer opens your account. Whoever runs this service removed it.`;
    await mailRemoval(deps, { tx, owner, at }, 'account.unlink', did);
    const entry = { userId: owner.id, action: 'account.unlink', resource: 'account', resourceId: owner.id };
    await deps.audit.record(tx, { ...entry, details: { provider, by: 'operator' }, at });
    return 'removed';
  });
}

async function underLock(
  deps: WaysInDependencies,
  actor: SessionActor,
  work: (change: Change) => Promise<void>,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, actor.userId);
    if (!owner) throw notFound();
    await deps.freshSignIns.requireFreshSession(tx, actor);
    await work({ tx, owner, at: await deps.clock.now(tx) });
  });
}

type Removal = { action: string; details?: Record<string, string>; did: string };

async function finishRemoval(
  deps: WaysInDependencies,
  change: Change,
  { userId, sessionId, origin }: SessionActor,
  { action, details, did }: Removal,
): Promise<void> {
  const { tx, at } = change;
  await deps.sessions.endAll(tx, userId, sessionId);
  await endResetLink(tx, userId, at);
  await mailRemoval(deps, change, action, did);
  const entry = { userId, action, resource: 'account', resourceId: userId, ...(details ? { details } : {}) };
  await deps.audit.record(tx, { ...entry, origin, at });
  await deps.activity.recordActivity(tx, { userId, type: 'change', at, origin });
}

async function mailRemoval(
  { notifications, baseUrl }: IdentityLinkDependencies,
  { tx, owner, at }: Change,
  action: string,
  did: string,
): Promise<void> {
  await notifications.enqueue(tx, {
    channel: 'email',
    kind: 'accounts.way-removed',
    userId: owner.id,
    subjectId: null,
    dedupeKey: `accounts.way-removed:${owner.id}:${action}:${at.toISOString()}`,
    at,
    to: { address: owner.email },
    mail: wayRemovedEmail({ to: owner, did, baseUrl }),
  });
}

function requireMailbox({ mailboxProvenAt }: OwnerRow): void {
  if (mailboxProvenAt !== null) return;
  throw new AppError('CONFLICT', 'First show that the mailbox of your account is yours, on this page.');
}

function onlyWayIn(): AppError {
  return new AppError('CONFLICT', onlyWayInWords);
}
