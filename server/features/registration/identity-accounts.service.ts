import { randomUUID } from 'node:crypto';
import { findOwnerByEmail, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import { findCredentialsById } from '#server/features/accounts/credentials.repository.ts';
import {
  findUserOfIdentity,
  hasIdentityOf,
  insertIdentity,
  storeIdentityUse,
} from '#server/features/accounts/identities.repository.ts';
import { addressAtProvider } from '#server/features/accounts/provider-names.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type {
  AccountForIdentity,
  IdentityAccount,
  IdentityReturn,
} from '#server/features/sessions/external-sign-in.service.ts';
import {
  askForLink,
  type IdentityLinkDependencies,
  linkToAccount,
} from '#server/features/ways-in/identity-links.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type HandOvers, wasNeverProven } from './hand-over.service.ts';
import { decideNewIdentity, namesOf, type Refusal, vouchedEmail } from './identities.rules.ts';
import { recordMailboxProof } from './mailbox-proof.ts';
import { identityRefusedEmail } from './registration.emails.ts';

type Dependencies = {
  audit: Audit;
  accounts: Pick<Accounts, 'openAccount'>;
  notifications: Notifications;
  activity: ActivityLog;
  handOvers: Pick<HandOvers, 'handOver'>;
  identityLinks: IdentityLinkDependencies;
  baseUrl: string;
};

/** Which account belongs to somebody whom a provider vouches for. */
export function createAccountForIdentity(deps: Dependencies): AccountForIdentity {
  const { accounts, audit, notifications, activity, baseUrl } = deps;

  /** The page can't say why without telling a stranger about an account, so the address itself is told. */
  async function tellHolder(tx: Executor, owner: OwnerRow, { provider, at }: IdentityReturn): Promise<void> {
    const hour = at.toISOString().slice(0, 13);
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: 'accounts.identity-refused',
      userId: owner.id,
      subjectId: null,
      dedupeKey: `accounts.identity-refused:${owner.id}:${provider.slug}:${hour}`,
      at,
      to: { address: owner.email },
      mail: identityRefusedEmail({ to: owner, provider: provider.name, baseUrl }),
    });
  }

  /** Gives null where the address was taken in this very moment. */
  async function open(tx: Executor, email: string, returned: IdentityReturn): Promise<string | null> {
    const { provider, identity, plan, origin, at } = returned;
    const userId = await accounts.openAccount(tx, {
      id: randomUUID(),
      email,
      passwordHash: null,
      ...namesOf(identity),
      intendedPlan: plan === 'free' ? null : plan,
      at,
    });
    if (userId === null) return null;
    const { issuer, subject } = identity;
    await insertIdentity(tx, { issuer, subject, email, userId, at });
    await storeIdentityUse(tx, { issuer, subject, email, at });
    const entry = { userId, action: 'account.register', resource: 'account', resourceId: userId };
    await audit.record(tx, { ...entry, details: { provider: provider.slug }, origin, at });
    await recordMailboxProof(deps, tx, { userId, by: 'identity-provider', origin, at });
    await activity.markVerified(tx, userId, at);
    return userId;
  }

  /** Whom the provider vouches for reads the mailbox, and where there is no password nobody else comes in. */
  async function proveByVouching(
    tx: Executor,
    owner: OwnerRow,
    { identity, origin, at }: IdentityReturn,
  ): Promise<void> {
    if (owner.mailboxProvenAt || !owner.emailVerified || vouchedEmail(identity) !== owner.email) return;
    const credentials = await findCredentialsById(tx, owner.id);
    if (credentials?.password !== null) return;
    await recordMailboxProof(deps, tx, { userId: owner.id, by: 'identity-provider', origin, at });
  }

  /**
   * Enters with a known identity; null if its link was removed before the owner's row was locked. A provider that denies the
   * address of a person vouches for nobody.
   */
  async function enter(
    tx: Executor,
    userId: string,
    { provider, identity, origin, at }: IdentityReturn,
  ): Promise<IdentityAccount | { refused: Refusal } | null> {
    if ((await findUserOfIdentity(tx, identity)) !== userId) return null;
    if (identity.isEmailDenied) {
      const details = { provider: provider.slug, by: 'provider' };
      const entry = { userId, action: 'account.link_refused', resource: 'account', resourceId: userId, details };
      await audit.record(tx, { ...entry, origin, at });
      return { refused: 'unverified-there' };
    }
    const { issuer, subject } = identity;
    await storeIdentityUse(tx, { issuer, subject, email: addressAtProvider(identity), at });
    return { userId };
  }

  async function findOrOpen(
    tx: Executor,
    returned: IdentityReturn,
  ): Promise<IdentityAccount | { refused: Refusal } | null> {
    const { identity, at } = returned;
    const email = vouchedEmail(identity);
    const known = email === null ? null : await findOwnerByEmail(tx, email);
    const holder = known && (await lockOwnerRow(tx, known.id));
    // Only behind the lock is it certain that no other return of the same person came first.
    const met = await findUserOfIdentity(tx, identity);
    const entered = met !== null && (await lockOwnerRow(tx, met)) ? await enter(tx, met, returned) : null;
    if (entered) return entered;

    const isOfSameProvider = holder !== null && (await hasIdentityOf(tx, holder.id, identity.issuer));
    const decision = decideNewIdentity(
      email,
      holder && {
        isProven: holder.mailboxProvenAt !== null,
        // One that is in use by an operator's word is not emptied by a press that warns nobody; the mailbox is told the way.
        wasNeverProven: wasNeverProven(holder) && holder.vouchedAt === null,
        isOfSameProvider,
      },
    );
    if (decision.does === 'open') {
      const userId = await open(tx, decision.email, returned);
      return userId === null ? null : { userId };
    }
    if (decision.does === 'refuse') {
      if (holder) await tellHolder(tx, holder, returned);
      return { refused: decision.why };
    }
    if (holder === null) throw new Error('There is nobody to link.');
    if (decision.does === 'ask') {
      if (holder.deletionRequestedAt === null) await askForLink(deps.identityLinks, tx, holder, returned);
      return { refused: 'asked' };
    }
    const { origin } = returned;
    const { id: userId } = await deps.handOvers.handOver(tx, holder, { names: namesOf(identity), origin, at });
    await linkToAccount(deps.identityLinks, tx, { ...returned, owner: { ...holder, id: userId }, by: 'hand-over' });
    await storeIdentityUse(tx, { ...identity, email, at });
    await recordMailboxProof(deps, tx, { userId, by: 'identity-provider', origin, at });
    await activity.markVerified(tx, userId, at);
    return { userId, isHandedOver: true };
  }

  return async (tx, returned) => {
    const met = await findUserOfIdentity(tx, returned.identity);
    const known = met === null ? null : await lockOwnerRow(tx, met);
    if (known) {
      const entered = await enter(tx, known.id, returned);
      if (entered && 'userId' in entered) await proveByVouching(tx, known, returned);
      if (entered) return entered;
    }
    // Where the address was taken in between, its holder is there to be met the second time.
    const found = (await findOrOpen(tx, returned)) ?? (await findOrOpen(tx, returned));
    if (found === null) throw new Error('An address was taken and had no holder, twice.');
    return found;
  };
}
