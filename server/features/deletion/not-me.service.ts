import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { SubscriptionOffboarding } from '#server/features/billing/subscription-offboarding.service.ts';
import type { Contacts } from '#server/features/contacts/contacts.service.ts';
import type { Closings } from '#server/features/registration/closing.service.ts';
import type { ConfirmationLinks } from '#server/features/registration/confirmation-links.service.ts';
import type { HoldingsOf } from '#server/features/registration/holdings.ts';
import { notMeLinkMs } from '#server/features/registration/registration.limits.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { getNotMe } from '#shared/contract/not-me.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { deletionDayOf } from '#shared/rules/retention.ts';
import { veiledAddress } from '#shared/rules/veiled-address.ts';
import type { Deletions } from './deletion.service.ts';
import type { Erasures } from './erasure.service.ts';
import { type Removal, removalOf } from './not-me.rules.ts';

export type NotMes = {
  /** What the page shows. Reads, and changes nothing. @throws AppError `NOT_FOUND` for every dead link alike. */
  look(token: string): Promise<RouteAnswer<typeof getNotMe>>;
  /**
   * Removes the account, or closes it where it could be somebody's real vault; see `removalOf`. Once: the link is dead then.
   *
   * @throws AppError `NOT_FOUND` as `look`; `CONFLICT` where a release is under way of an owner who is known to read the
   * mailbox, or whose account is old.
   */
  say(token: string, origin: RequestOrigin): Promise<{ goesAt: Date | null }>;
};

export type NotMeDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner' | 'ownerOf' | 'isDesignated'>;
  confirmationLinks: Pick<ConfirmationLinks, 'notMeHolder'>;
  closings: Pick<Closings, 'disown'>;
  contacts: Pick<Contacts, 'lockTrustees' | 'tellOfMistake' | 'withholdInvitations'>;
  releases: Pick<Releases, 'requireNoRelease'>;
  offboarding: Pick<SubscriptionOffboarding, 'isPaidFor' | 'isBeingPaid'>;
  deletions: Pick<Deletions, 'request'>;
  erasures: Pick<Erasures, 'destroy' | 'removeFiles'>;
  holdingsOf: HoldingsOf;
};

/** "This was not me": the second link of the mail that asks whether an account is its reader's. See decision 41. */
export function createNotMes(deps: NotMeDependencies): NotMes {
  const {
    db,
    clock,
    accounts,
    confirmationLinks,
    closings,
    contacts,
    releases,
    offboarding,
    deletions,
    erasures,
    holdingsOf,
  } = deps;

  async function removalFor(executor: Executor, owner: OwnerRow, at: Date): Promise<Removal> {
    const isPaidFor =
      owner.plan !== 'free' ||
      (await offboarding.isPaidFor(executor, owner)) ||
      (await offboarding.isBeingPaid(executor, owner, at));
    return removalOf({ ...owner, isPaidFor, isOld: isOldAt(owner, at) });
  }

  /** Whoever is asked about an account that is not theirs needs other words than an administrator. */
  async function requireNoRelease(tx: Executor, userId: string): Promise<void> {
    try {
      await releases.requireNoRelease(tx, userId);
    } catch (error) {
      if (!(error instanceof AppError) || error.type !== 'CONFLICT') throw error;
      throw new AppError(
        'CONFLICT',
        'A release of this account is under way, so it is not closed now. If the account is not yours, the emails about the release that came to this address have a button that stops it. Then come back here.',
      );
    }
  }

  /** Without the designated administrator nobody could run the service. */
  const isOpenTo = (owner: OwnerRow | null): owner is OwnerRow => owner !== null && !accounts.isDesignated(owner);

  async function removeAtOnce(tx: Executor, owner: OwnerRow, act: { origin: RequestOrigin; at: Date }) {
    await contacts.tellOfMistake(tx, owner, act.at);
    await erasures.destroy(tx, owner, { ...act, because: 'not-me' });
    return { goesAt: null };
  }

  async function close(tx: Executor, owner: OwnerRow, { origin, at }: { origin: RequestOrigin; at: Date }) {
    // Of somebody who has died nobody would take it back, and a forwarded mail must not end their release.
    if (owner.mailboxProvenAt !== null || isOldAt(owner, at)) await requireNoRelease(tx, owner.id);
    await deletions.request(tx, { userId: owner.id, cause: 'not-me', origin });
    await contacts.withholdInvitations(tx, owner.id);
    await closings.disown(tx, owner.id);
    return { goesAt: deletionDayOf(owner.deletionRequestedAt ?? at) };
  }

  return {
    async look(token) {
      const at = await clock.now();
      const userId = await confirmationLinks.notMeHolder(db, token, at);
      const owner = userId === null ? null : await accounts.ownerOf(db, userId);
      const holdings = isOpenTo(owner) ? await holdingsOf(db, owner.id) : null;
      if (!isOpenTo(owner) || !holdings) throw deadLink();
      return {
        ...holdings,
        email: veiledAddress(owner.email),
        openedAt: owner.createdAt,
        isVerified: owner.emailVerified,
        removal: await removalFor(db, owner, at),
      };
    },

    async say(token, origin) {
      const said = await db.transaction(async (tx) => {
        const userId = await confirmationLinks.notMeHolder(tx, token, await clock.now(tx));
        if (userId === null) throw deadLink();
        await contacts.lockTrustees(tx, userId);
        const owner = await accounts.lockOwner(tx, userId);
        const at = await clock.now(tx);
        // Only now, behind the lock, is it certain that no other press came first.
        if (!isOpenTo(owner) || (await confirmationLinks.notMeHolder(tx, token, at)) !== userId) throw deadLink();
        const removal = await removalFor(tx, owner, at);
        return removal === 'at-once' ? removeAtOnce(tx, owner, { origin, at }) : close(tx, owner, { origin, at });
      });
      if (said.goesAt === null) await erasures.removeFiles();
      return said;
    },
  };
}

/** Whether the mail that asked the address after the registration is over. A later link came with one for a new password. */
function isOldAt({ createdAt }: OwnerRow, at: Date): boolean {
  return at.getTime() - createdAt.getTime() > notMeLinkMs;
}

function deadLink() {
  return notFound('This link has been used already, or its 30 days are over.');
}
