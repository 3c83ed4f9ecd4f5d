import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import { findOwnerByEmail, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { openAccount } from '#server/features/accounts/accounts.ts';
import { markVerified } from '#server/features/accounts/activity.ts';
import { findCredentialsById } from '#server/features/accounts/credentials.repository.ts';
import {
  findUserOfIdentity,
  hasIdentityOf,
  insertIdentity,
  storeIdentityUse,
} from '#server/features/accounts/identities.repository.ts';
import { addressAtProvider } from '#server/features/accounts/provider-names.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { askForLink, type IdentityReturn, linkToAccount } from '#server/features/ways-in/identity-links.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { IdentityError } from '#server/platform/identity/identity-provider.ts';
import { handOver, wasNeverProven } from './hand-over.ts';
import { decideNewIdentity, namesOf, type Refusal, vouchedEmail } from './identities.rules.ts';
import { recordMailboxProof } from './mailbox-proof.ts';
import { identityRefusedEmail } from './registration.emails.ts';

/** `isHandedOver`: the mailbox had never been proven, so the vault that was there is gone. */
type IdentityAccount = { userId: string; isHandedOver?: boolean };
type Found = IdentityAccount | { refused: Refusal };

/** Returns the locked account of an identity: known, newly linked or newly opened. Or the reason why there is none. */
export async function accountForIdentity(app: App, tx: Executor, returned: IdentityReturn): Promise<Found> {
  const met = await findUserOfIdentity(tx, returned.identity);
  const known = met === null ? null : await lockOwnerRow(tx, met);
  if (known) {
    const entered = await enter(app, tx, known.id, returned);
    if (entered && 'userId' in entered) await proveByVouching(app, tx, known, returned);
    if (entered) return entered;
  }
  // If the address was taken meanwhile, the second try finds its holder.
  const found = (await findOrOpen(app, tx, returned)) ?? (await findOrOpen(app, tx, returned));
  if (found === null) throw new Error('An address was taken and had no holder, twice.');
  return found;
}

async function findOrOpen(app: App, tx: Executor, returned: IdentityReturn): Promise<Found | null> {
  const { identity, at } = returned;
  const email = vouchedEmail(identity);
  const known = email === null ? null : await findOwnerByEmail(tx, email);
  const holder = known && (await lockOwnerRow(tx, known.id));
  // Read after the lock, since another return of the same person may have come first.
  const met = await findUserOfIdentity(tx, identity);
  const entered = met !== null && (await lockOwnerRow(tx, met)) ? await enter(app, tx, met, returned) : null;
  if (entered) return entered;

  const isOfSameProvider = holder !== null && (await hasIdentityOf(tx, holder.id, identity.issuer));
  const decision = decideNewIdentity(
    email,
    holder && {
      isProven: holder.mailboxProvenAt !== null,
      // An operator vouched for an account that is in use. A return from a provider warns no one, so it empties no such account.
      wasNeverProven: wasNeverProven(holder) && holder.vouchedAt === null,
      isOfSameProvider,
    },
  );
  if (decision.does === 'open') {
    const userId = await open(app, tx, decision.email, returned);
    return userId === null ? null : { userId };
  }
  if (decision.does === 'refuse') {
    if (holder) await tellHolder(app, tx, holder, returned);
    return { refused: decision.why };
  }
  if (holder === null) throw new Error('There is nobody to link.');
  if (decision.does === 'ask') {
    if (holder.deletionRequestedAt === null) await askForLink(app, tx, holder, returned);
    return { refused: 'asked' };
  }
  const { origin } = returned;
  const { id: userId } = await handOver(app, tx, holder, { names: namesOf(identity), origin, at });
  const isLinked = await linkToAccount(app, tx, { ...returned, owner: { ...holder, id: userId }, by: 'hand-over' });
  if (!isLinked) throw new IdentityError('refused', 'link_taken');
  await storeIdentityUse(tx, { ...identity, email, at });
  await recordMailboxProof(app, tx, { userId, by: 'identity-provider', origin, at });
  await markVerified(app, tx, userId, at);
  return { userId, isHandedOver: true };
}

/** Opens an account. Null if the address was taken at the same moment. */
async function open(app: App, tx: Executor, email: string, returned: IdentityReturn): Promise<string | null> {
  const { provider, identity, plan, origin, at } = returned;
  const userId = await openAccount(app, tx, {
    id: randomUUID(),
    email,
    passwordHash: null,
    ...namesOf(identity),
    intendedPlan: plan === 'free' ? null : plan,
    at,
  });
  if (userId === null) return null;
  const { issuer, subject } = identity;
  if (!(await insertIdentity(tx, { issuer, subject, email, userId, at })))
    throw new IdentityError('refused', 'link_taken');
  await storeIdentityUse(tx, { issuer, subject, email, at });
  const entry = { userId, action: 'account.register', resource: 'account', resourceId: userId };
  await recordAudit(app, tx, { ...entry, details: { provider: provider.slug }, origin, at });
  await recordMailboxProof(app, tx, { userId, by: 'identity-provider', origin, at });
  await markVerified(app, tx, userId, at);
  return userId;
}

/**
 * Enters with a known identity. Null if its link was removed before the owner's row was locked. A provider that denies the
 * address of a person vouches for no one.
 */
async function enter(
  app: App,
  tx: Executor,
  userId: string,
  { provider, identity, origin, at }: IdentityReturn,
): Promise<Found | null> {
  if ((await findUserOfIdentity(tx, identity)) !== userId) return null;
  if (identity.isEmailDenied) {
    const details = { provider: provider.slug, by: 'provider' };
    const entry = { userId, action: 'account.link_refused', resource: 'account', resourceId: userId, details };
    await recordAudit(app, tx, { ...entry, origin, at });
    return { refused: 'unverified-there' };
  }
  const { issuer, subject } = identity;
  await storeIdentityUse(tx, { issuer, subject, email: addressAtProvider(identity), at });
  return { userId };
}

/** Proves the mailbox if the provider vouches for its address, and no password opens the account. */
async function proveByVouching(
  app: App,
  tx: Executor,
  owner: OwnerRow,
  { identity, origin, at }: IdentityReturn,
): Promise<void> {
  if (owner.mailboxProvenAt || !owner.emailVerified || vouchedEmail(identity) !== owner.email) return;
  const credentials = await findCredentialsById(tx, owner.id);
  if (credentials?.password !== null) return;
  await recordMailboxProof(app, tx, { userId: owner.id, by: 'identity-provider', origin, at });
}

/** Mails the reason to the address, since the page would reveal to a stranger that there is an account. */
async function tellHolder(app: App, tx: Executor, owner: OwnerRow, { provider, at }: IdentityReturn): Promise<void> {
  const hour = at.toISOString().slice(0, 13);
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'accounts.identity-refused',
    userId: owner.id,
    subjectId: null,
    dedupeKey: `accounts.identity-refused:${owner.id}:${provider.slug}:${hour}`,
    at,
    to: { address: owner.email },
    mail: identityRefusedEmail({ to: owner, provider: provider.name, baseUrl: app.baseUrl }),
  });
}
