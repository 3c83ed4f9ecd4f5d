import { findOwner, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { endResetLink } from '#server/features/accounts/credentials.repository.ts';
import {
  deleteIdentityNamed,
  findUserOfIdentity,
  hasIdentityOf,
  insertIdentity,
} from '#server/features/accounts/identities.repository.ts';
import { addressAtProvider, providerNameOf, providerWordOf } from '#server/features/accounts/provider-names.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { IdentityReturn } from '#server/features/sessions/external-sign-in.service.ts';
import type { Sessions } from '#server/features/sessions/sessions.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { type HashToken, newToken } from '#server/platform/crypto/token.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { Identity, NamedProvider } from '#server/platform/identity/identity-provider.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import type {
  getIdentityLink,
  getIdentityUnlink,
  linkIdentity,
  unlinkIdentity,
} from '#shared/contract/sign-in/ways-in.ts';
import { veiledAddress } from '#shared/rules/veiled-address.ts';
import {
  countAsks,
  endLinksOf,
  findByLink,
  findByNotMe,
  type IdentityLinkRow,
  insertIdentityLink,
  isRefused,
  refuseIdentity,
} from './identity-links.repository.ts';
import { identityLinkAskedEmail, identityLinkedEmail } from './ways-in.emails.ts';
import { identityAsksPerDay, identityAskWindowMs, identityLinkMs, identityNotMeMs } from './ways-in.limits.ts';

export type IdentityLinkDependencies = {
  db: Database;
  clock: Clock;
  hashToken: HashToken;
  audit: Pick<Audit, 'record'>;
  notifications: Pick<Notifications, 'enqueue'>;
  sessions: Pick<Sessions, 'endAll'>;
  /** Providers that people can sign in with here. */
  providers: readonly Pick<NamedProvider, 'slug' | 'name' | 'issuer'>[];
  baseUrl: string;
};

type Linking = {
  owner: OwnerRow;
  provider: Pick<NamedProvider, 'slug' | 'name'>;
  identity: Pick<Identity, 'issuer' | 'subject' | 'email'>;
  /** How the owner agreed. */
  by: 'mail' | 'session' | 'hand-over';
  origin: RequestOrigin;
  at: Date;
};

/** Mails the account whether a provider may open it. Links nothing. The owner's row is locked. */
export async function askForLink(
  deps: IdentityLinkDependencies,
  tx: Executor,
  owner: OwnerRow,
  { provider, identity, origin, at }: IdentityReturn,
): Promise<void> {
  const { issuer, subject } = identity;
  const email = addressAtProvider(identity);
  if (await isRefused(tx, { userId: owner.id, issuer, subject, at })) return;
  const asked = await countAsks(tx, owner.id, new Date(at.getTime() - identityAskWindowMs));
  if (asked >= identityAsksPerDay) return;
  const [linkToken, notMeToken] = [newToken(), newToken()];
  const linkHash = deps.hashToken(linkToken);
  await insertIdentityLink(tx, newRow(deps, { userId: owner.id, issuer, subject, email, at }, notMeToken, linkHash));
  await deps.notifications.enqueue(tx, {
    channel: 'email',
    kind: 'accounts.identity-asked',
    userId: owner.id,
    subjectId: null,
    dedupeKey: `accounts.identity-asked:${linkHash}`,
    at,
    to: { address: owner.email },
    mail: identityLinkAskedEmail({
      to: owner,
      provider: provider.name,
      linkUrl: `${deps.baseUrl}/link-sign-in/${linkToken}`,
      notMeUrl: notMeUrlOf(deps, notMeToken),
      baseUrl: deps.baseUrl,
    }),
  });
  const entry = { userId: owner.id, action: 'account.link_asked', resource: 'account', resourceId: owner.id };
  await deps.audit.record(tx, { ...entry, details: { provider: provider.slug }, origin, at });
}

/** Links an identity with an account, and reports it to the owner by mail. The owner's row is locked. */
export async function linkToAccount(
  deps: IdentityLinkDependencies,
  tx: Executor,
  { owner, provider, identity, by, origin, at }: Linking,
): Promise<void> {
  const { issuer, subject } = identity;
  const email = addressAtProvider(identity);
  const userId = owner.id;
  await insertIdentity(tx, { issuer, subject, email, userId, at });
  await endLinksOf(tx, { userId, issuer, subject });
  const token = newToken();
  await insertIdentityLink(tx, newRow(deps, { userId, issuer, subject, email, at }, token, null));
  await deps.notifications.enqueue(tx, {
    channel: 'email',
    kind: 'accounts.identity-linked',
    userId,
    subjectId: null,
    dedupeKey: `accounts.identity-linked:${userId}:${at.toISOString()}`,
    at,
    to: { address: owner.email },
    mail: identityLinkedEmail({
      to: owner,
      provider: provider.name,
      notMeUrl: notMeUrlOf(deps, token),
      baseUrl: deps.baseUrl,
    }),
  });
  const entry = { userId, action: 'account.link', resource: 'account', resourceId: userId };
  await deps.audit.record(tx, { ...entry, details: { provider: provider.slug, by }, origin, at });
}

/** Returns what the button of the mail would do. Changes nothing. @throws AppError `NOT_FOUND` for an ended link. */
export async function lookAtLink(
  deps: IdentityLinkDependencies,
  token: string,
): Promise<RouteAnswer<typeof getIdentityLink>> {
  const row = await findByLink(deps.db, deps.hashToken(token), await deps.clock.now());
  const owner = row && (await findOwner(deps.db, row.userId));
  if (!row || !isLinkable(owner)) throw deadLink();
  return { ...aboutMail(deps, row, owner), askedAt: row.createdAt };
}

/** Links the identity of a mail, once. @throws AppError `NOT_FOUND` for a link that is unknown, used or expired. */
export function pressLink(
  deps: IdentityLinkDependencies,
  token: string,
  origin: RequestOrigin,
): Promise<RouteAnswer<typeof linkIdentity>> {
  const linkHash = deps.hashToken(token);
  return deps.db.transaction(async (tx) => {
    const { row, owner, at } = await lockedBy(deps, tx, (executor, now) => findByLink(executor, linkHash, now));
    if (!isLinkable(owner)) throw deadLink();
    const isTaken = (await findUserOfIdentity(tx, row)) !== null || (await hasIdentityOf(tx, owner.id, row.issuer));
    if (isTaken) throw deadLink();
    const provider = { slug: providerWordOf(deps.providers, row.issuer), name: nameOf(deps, row) };
    await linkToAccount(deps, tx, { owner, provider, identity: row, by: 'mail', origin, at });
    return { provider: provider.name };
  });
}

/** Returns what "This was not me" would do. Changes nothing. @throws AppError `NOT_FOUND` for an ended link. */
export async function lookAtUnlink(
  deps: IdentityLinkDependencies,
  token: string,
): Promise<RouteAnswer<typeof getIdentityUnlink>> {
  const row = await findByNotMe(deps.db, deps.hashToken(token), await deps.clock.now());
  const owner = row && (await findOwner(deps.db, row.userId));
  if (!row || !owner) throw deadNotMe();
  return { ...aboutMail(deps, row, owner), isLinked: (await findUserOfIdentity(deps.db, row)) === owner.id };
}

/**
 * Refuses the identity of a mail. If it was linked, the link and every session go: nobody knows which of them it began.
 * @throws AppError `NOT_FOUND` for a link that is unknown, used or expired.
 */
export function pressUnlink(
  deps: IdentityLinkDependencies,
  token: string,
  origin: RequestOrigin,
): Promise<RouteAnswer<typeof unlinkIdentity>> {
  const notMeHash = deps.hashToken(token);
  return deps.db.transaction(async (tx) => {
    const { row, owner, at } = await lockedBy(deps, tx, (executor, now) => findByNotMe(executor, notMeHash, now));
    const { issuer, subject } = row;
    await refuseIdentity(tx, { userId: owner.id, issuer, subject, at });
    const gone = await deleteIdentityNamed(tx, { userId: owner.id, issuer, subject });
    if (gone) {
      await deps.sessions.endAll(tx, owner.id);
      await endResetLink(tx, owner.id, at);
    }
    const details = { provider: providerWordOf(deps.providers, issuer), by: 'not-me' };
    const action = gone ? 'account.unlink' : 'account.link_refused';
    await deps.audit.record(tx, {
      userId: owner.id,
      action,
      resource: 'account',
      resourceId: owner.id,
      details,
      origin,
      at,
    });
    return { provider: nameOf(deps, row), wasLinked: gone !== null };
  });
}

type Find = (executor: Executor, at: Date) => Promise<IdentityLinkRow | null>;

/** Locks the owner of a mailed link. Only behind the lock is it certain that no other press came first. */
async function lockedBy({ clock }: IdentityLinkDependencies, tx: Executor, find: Find) {
  const found = await find(tx, await clock.now(tx));
  const owner = found && (await lockOwnerRow(tx, found.userId));
  const at = await clock.now(tx);
  const row = owner && (await find(tx, at));
  if (!row || row.userId !== owner.id) throw deadLink();
  return { row, owner, at };
}

/** An account that is being deleted, or whose mailbox nobody proved, is opened by no further provider. */
function isLinkable(owner: OwnerRow | null): owner is OwnerRow {
  return owner !== null && owner.mailboxProvenAt !== null && owner.deletionRequestedAt === null;
}

type Named = Pick<IdentityLinkRow, 'userId' | 'issuer' | 'subject' | 'email'> & { at: Date };

function newRow(
  { hashToken }: IdentityLinkDependencies,
  { at, ...named }: Named,
  notMeToken: string,
  linkHash: string | null,
): IdentityLinkRow {
  return {
    ...named,
    notMeHash: hashToken(notMeToken),
    linkHash,
    createdAt: at,
    linkExpiresAt: new Date(at.getTime() + identityLinkMs),
    refusedAt: null,
    expiresAt: new Date(at.getTime() + identityNotMeMs),
  };
}

function aboutMail(deps: IdentityLinkDependencies, row: IdentityLinkRow, owner: OwnerRow) {
  return { provider: nameOf(deps, row), email: veiledAddress(row.email ?? owner.email) };
}

function nameOf({ providers }: IdentityLinkDependencies, { issuer }: Pick<IdentityLinkRow, 'issuer'>): string {
  return providerNameOf(providers, issuer);
}

function notMeUrlOf({ baseUrl }: IdentityLinkDependencies, token: string): string {
  return `${baseUrl}/unlink-sign-in/${token}`;
}

function deadLink() {
  return notFound('This link has been used already, or its hour is up. Sign in with the provider again for a new one.');
}

function deadNotMe() {
  return notFound('This link has been used already, or its 30 days are over.');
}
