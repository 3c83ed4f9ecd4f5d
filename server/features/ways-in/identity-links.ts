import type { App } from '#server/app.ts';
import { findOwner, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { endResetLink } from '#server/features/accounts/credentials.repository.ts';
import {
  deleteIdentityNamed,
  findUserOfIdentity,
  hasIdentityOf,
  insertIdentity,
} from '#server/features/accounts/identities.repository.ts';
import { addressAtProvider, providerNameOf, providerWordOf } from '#server/features/accounts/provider-names.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { endAllSessions } from '#server/features/sessions/sessions.ts';
import type { Call } from '#server/http/bind.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { Identity } from '#server/platform/identity/identity-provider.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import type * as contract from '#shared/contract/sign-in/ways-in.ts';
import type { PlanName } from '#shared/rules/plans.ts';
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

/** Provider as mails and the log name it. */
type Provider = { slug: string; name: string };

/** A person who returned from a provider. `plan` is the one chosen for a new account. */
export type IdentityReturn = {
  provider: Provider;
  identity: Identity;
  plan: PlanName;
  origin: RequestOrigin;
  at: Date;
};

type Linking = {
  owner: OwnerRow;
  provider: Provider;
  identity: { issuer: string; subject: string; email: string | null };
  /** Agreement of the owner. */
  by: 'mail' | 'session' | 'hand-over';
  origin: RequestOrigin;
  at: Date;
};

/** Mails the account whether a provider may open it. Links nothing. The owner's row is locked. */
export async function askForLink(
  app: App,
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
  const linkHash = app.serviceKeys.hashToken(linkToken);
  await insertIdentityLink(tx, newRow(app, { userId: owner.id, issuer, subject, email, at }, notMeToken, linkHash));
  await enqueueNotification(app, tx, {
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
      linkUrl: `${app.baseUrl}/link-sign-in/${linkToken}`,
      notMeUrl: notMeUrlOf(app, notMeToken),
      baseUrl: app.baseUrl,
    }),
  });
  const entry = { userId: owner.id, action: 'account.link_asked', resource: 'account', resourceId: owner.id };
  await recordAudit(app, tx, { ...entry, details: { provider: provider.slug }, origin, at });
}

/**
 * Links an identity with an account, and reports it to the owner by mail. The owner's row is locked. Returns false if another
 * account got the identity at the same moment.
 */
export async function linkToAccount(
  app: App,
  tx: Executor,
  { owner, provider, identity, by, origin, at }: Linking,
): Promise<boolean> {
  const { issuer, subject } = identity;
  const email = addressAtProvider(identity);
  const userId = owner.id;
  if (!(await insertIdentity(tx, { issuer, subject, email, userId, at }))) return false;
  await endLinksOf(tx, { userId, issuer, subject });
  const token = newToken();
  await insertIdentityLink(tx, newRow(app, { userId, issuer, subject, email, at }, token, null));
  await enqueueNotification(app, tx, {
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
      notMeUrl: notMeUrlOf(app, token),
      baseUrl: app.baseUrl,
    }),
  });
  const entry = { userId, action: 'account.link', resource: 'account', resourceId: userId };
  await recordAudit(app, tx, { ...entry, details: { provider: provider.slug, by }, origin, at });
  return true;
}

/** Returns the effect of the mail's button. Changes nothing. @throws AppError `NOT_FOUND` for an ended link. */
export async function getIdentityLink(
  app: App,
  { params }: Call<typeof contract.getIdentityLink>,
): Promise<RouteAnswer<typeof contract.getIdentityLink>> {
  const { db, serviceKeys, clock } = app;
  const row = await findByLink(db, serviceKeys.hashToken(params.token), await clock.now());
  const owner = row && (await findOwner(db, row.userId));
  if (!row || !isLinkable(owner)) throw deadLink();
  return { ...aboutMail(app, row, owner), askedAt: row.createdAt };
}

/** Links the identity of a mail, once. @throws AppError `NOT_FOUND` for a link that is unknown, used or expired. */
export function linkIdentity(
  app: App,
  { params, origin }: Call<typeof contract.linkIdentity>,
): Promise<RouteAnswer<typeof contract.linkIdentity>> {
  const linkHash = app.serviceKeys.hashToken(params.token);
  return app.db.transaction(async (tx) => {
    const { row, owner, at } = await lockedBy(app, tx, (executor, now) => findByLink(executor, linkHash, now));
    if (!isLinkable(owner)) throw deadLink();
    const isTaken = (await findUserOfIdentity(tx, row)) !== null || (await hasIdentityOf(tx, owner.id, row.issuer));
    if (isTaken) throw deadLink();
    const provider = { slug: providerWordOf(app.identityProviders, row.issuer), name: nameOf(app, row.issuer) };
    const isLinked = await linkToAccount(app, tx, { owner, provider, identity: row, by: 'mail', origin, at });
    if (!isLinked) throw deadLink();
    return { provider: provider.name };
  });
}

/** Returns the effect of "This was not me". Changes nothing. @throws AppError `NOT_FOUND` for an ended link. */
export async function getIdentityUnlink(
  app: App,
  { params }: Call<typeof contract.getIdentityUnlink>,
): Promise<RouteAnswer<typeof contract.getIdentityUnlink>> {
  const { db, serviceKeys, clock } = app;
  const row = await findByNotMe(db, serviceKeys.hashToken(params.token), await clock.now());
  const owner = row && (await findOwner(db, row.userId));
  if (!row || !owner) throw deadNotMe();
  return { ...aboutMail(app, row, owner), isLinked: (await findUserOfIdentity(db, row)) === owner.id };
}

/**
 * Refuses the identity of a mail. If it was linked, the link and every session end, since the identity may have begun any of
 * them. @throws AppError `NOT_FOUND` for a link that is unknown, used or expired.
 */
export function unlinkIdentity(
  app: App,
  { params, origin }: Call<typeof contract.unlinkIdentity>,
): Promise<RouteAnswer<typeof contract.unlinkIdentity>> {
  const notMeHash = app.serviceKeys.hashToken(params.token);
  return app.db.transaction(async (tx) => {
    const { row, owner, at } = await lockedBy(app, tx, (executor, now) => findByNotMe(executor, notMeHash, now));
    const { issuer, subject } = row;
    const userId = owner.id;
    await refuseIdentity(tx, { userId, issuer, subject, at });
    const gone = await deleteIdentityNamed(tx, { userId, issuer, subject });
    if (gone) {
      await endAllSessions(tx, userId);
      await endResetLink(tx, userId, at);
    }
    const details = { provider: providerWordOf(app.identityProviders, issuer), by: 'not-me' };
    const action = gone ? 'account.unlink' : 'account.link_refused';
    await recordAudit(app, tx, { userId, action, resource: 'account', resourceId: userId, details, origin, at });
    return { provider: nameOf(app, issuer), wasLinked: gone !== null };
  });
}

type Find = (executor: Executor, at: Date) => Promise<IdentityLinkRow | null>;

/** Locks the owner of a mailed link. The second read shows if another press came first. */
async function lockedBy({ clock }: App, tx: Executor, find: Find) {
  const found = await find(tx, await clock.now(tx));
  const owner = found && (await lockOwnerRow(tx, found.userId));
  const at = await clock.now(tx);
  const row = owner && (await find(tx, at));
  if (!row || row.userId !== owner.id) throw deadLink();
  return { row, owner, at };
}

/** False for an account that is being deleted, or whose mailbox is not proven. */
function isLinkable(owner: OwnerRow | null): owner is OwnerRow {
  return owner !== null && owner.mailboxProvenAt !== null && owner.deletionRequestedAt === null;
}

type Named = { userId: string; issuer: string; subject: string; email: string | null; at: Date };

function newRow(
  { serviceKeys }: App,
  { at, ...named }: Named,
  notMeToken: string,
  linkHash: string | null,
): IdentityLinkRow {
  return {
    ...named,
    notMeHash: serviceKeys.hashToken(notMeToken),
    linkHash,
    createdAt: at,
    linkExpiresAt: new Date(at.getTime() + identityLinkMs),
    refusedAt: null,
    expiresAt: new Date(at.getTime() + identityNotMeMs),
  };
}

function aboutMail(app: App, row: IdentityLinkRow, owner: OwnerRow) {
  return { provider: nameOf(app, row.issuer), email: veiledAddress(row.email ?? owner.email) };
}

function nameOf({ identityProviders }: App, issuer: string): string {
  return providerNameOf(identityProviders, issuer);
}

function notMeUrlOf({ baseUrl }: App, token: string): string {
  return `${baseUrl}/unlink-sign-in/${token}`;
}

function deadLink() {
  return notFound(
    'This link has been used already, or is more than an hour old. Sign in with the provider again for a new one.',
  );
}

function deadNotMe() {
  return notFound('This link has been used already, or its 30 days are over.');
}
