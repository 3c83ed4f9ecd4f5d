import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Administration, Administrator } from '#server/features/admin/administrator.service.ts';
import type { Subscriptions } from '#server/features/billing/subscriptions.service.ts';
import type { Deletions } from '#server/features/deletion/deletion.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import {
  type createAdminUser,
  type listAdminUsers,
  type updateAdminUser,
  usersPerPage,
} from '#shared/contract/admin.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer, RouteBody, RouteQuery } from '#shared/contract/route.ts';
import { deletionDayOf } from '#shared/rules/retention.ts';
import type { AccountChanges } from './account-changes.service.ts';
import { accountOpenedEmail } from './users.emails.ts';
import { findUser, findUsers, type ListedUser } from './users.repository.ts';

type ShownUser = RouteAnswer<typeof createAdminUser>;

export type AdminUsers = {
  /** A page of users. @throws AppError `NOT_FOUND` where the user it would begin behind is gone. */
  list(administrator: Administrator, query: RouteQuery<typeof listAdminUsers>): Promise<ShownUser[]>;
  /** Opens an account for somebody, who is told by mail. @throws AppError `VALIDATION`, or `CONFLICT` for a taken address. */
  create(administrator: Administrator, form: RouteBody<typeof createAdminUser>): Promise<ShownUser>;
  /**
   * @throws AppError `NOT_FOUND`, or `CONFLICT` where the designated administrator would lose the role, another plan
   * would be set than the one a subscription is paying for, or an open release would stand still.
   */
  update(administrator: Administrator, userId: string, form: RouteBody<typeof updateAdminUser>): Promise<ShownUser>;
  /** Counts the address as verified; harmless where it is. @throws AppError `NOT_FOUND`. */
  verify(administrator: Administrator, userId: string): Promise<ShownUser>;
  /**
   * Begins the deletion, as its owner would; again is harmless.
   *
   * @throws AppError `NOT_FOUND`, or `CONFLICT` for the designated administrator and while a release is open.
   */
  remove(administrator: Administrator, userId: string): Promise<void>;
};

export type AdminUsersDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner' | 'isDesignated'>;
  accountChanges: Pick<AccountChanges, 'hashFirstPassword' | 'openFor' | 'administer'>;
  notifications: Pick<Notifications, 'enqueue'>;
  deletions: Pick<Deletions, 'request'>;
  releases: Pick<Releases, 'requireNoRelease'>;
  subscriptions: Pick<Subscriptions, 'isSubscribed'>;
  administration: Administration;
  baseUrl: string;
};

/** The accounts, as the administrator sees and changes them. Nothing here reads a vault. */
export function createAdminUsers(deps: AdminUsersDependencies): AdminUsers {
  const {
    db,
    clock,
    accounts,
    accountChanges,
    notifications,
    deletions,
    releases,
    subscriptions,
    administration,
    baseUrl,
  } = deps;

  function shown({ planGrantedAt, deletionRequestedAt, mailboxProvenAt, ...user }: ListedUser): ShownUser {
    const { email, isEmailVerified } = user;
    const isAdministrator = accounts.isDesignated({ email, emailVerified: isEmailVerified, mailboxProvenAt });
    // Access follows from the address; the label is shown as what it amounts to.
    const role = isAdministrator ? 'admin' : user.role;
    const deletesAt = deletionRequestedAt && deletionDayOf(deletionRequestedAt);
    return { ...user, role, isAdministrator, isPlanGranted: planGrantedAt !== null, deletesAt };
  }

  async function shownById(tx: Executor, userId: string): Promise<ShownUser> {
    const user = await findUser(tx, userId);
    if (!user) throw notFound();
    return shown(user);
  }

  async function lock(tx: Executor, userId: string): Promise<OwnerRow> {
    const owner = await accounts.lockOwner(tx, userId);
    if (!owner) throw notFound();
    return owner;
  }

  return {
    async list(administrator, { search, sort, direction, after }) {
      administration.requireAdministrator(administrator);
      const words = search.split(/\s+/).filter(Boolean);
      const found = await findUsers(db, { words, sort, direction, after, limit: usersPerPage });
      if (!found) throw notFound('The list has changed. Begin again with the first page.');
      return found.map(shown);
    },

    async create(administrator, form) {
      await administration.requireFresh(administrator);
      const { email, password, firstName, lastName, plan, role } = form;
      const passwordHash = await accountChanges.hashFirstPassword({ email, password });
      return db.transaction(async (tx) => {
        const at = await clock.now(tx);
        const userId = await accountChanges.openFor(tx, { email, passwordHash, firstName, lastName, plan, role, at });
        if (userId === null) throw addressTaken();
        await administration.recordActOnAccount(tx, administrator, {
          action: 'admin.user_create',
          resourceId: userId,
          details: { plan, role },
          at,
        });
        await notifications.enqueue(tx, {
          channel: 'email',
          kind: 'accounts.opened-for',
          userId,
          subjectId: null,
          dedupeKey: `accounts.opened-for:${userId}`,
          at,
          to: { address: email },
          mail: accountOpenedEmail({ firstName, baseUrl }),
        });
        return shownById(tx, userId);
      });
    },

    async update(administrator, userId, change) {
      await administration.requireFresh(administrator);
      return db.transaction(async (tx) => {
        const owner = await lock(tx, userId);
        const losesRole = change.role !== 'admin' || !change.isEmailVerified;
        if (accounts.isDesignated(owner) && losesRole) throw keepsRole();
        if (change.plan !== owner.plan && (await subscriptions.isSubscribed(tx, userId))) throw isPaidFor();
        // The same press twice is one act.
        if (isAsItIs(owner, change)) return shownById(tx, userId);
        // Nothing of a release moves on without a verified address, and no owner is told that it stands still.
        if (owner.emailVerified && !change.isEmailVerified) await releases.requireNoRelease(tx, userId);
        const at = await clock.now(tx);
        await accountChanges.administer(tx, owner, change, at);
        await administration.recordActOnAccount(tx, administrator, {
          action: 'admin.user_update',
          resourceId: userId,
          details: { from: { plan: owner.plan, role: owner.role, isEmailVerified: owner.emailVerified }, to: change },
          at,
        });
        return shownById(tx, userId);
      });
    },

    async verify(administrator, userId) {
      await administration.requireFresh(administrator);
      return db.transaction(async (tx) => {
        const owner = await lock(tx, userId);
        if (!owner.emailVerified) {
          const at = await clock.now(tx);
          await accountChanges.administer(tx, owner, { ...owner, isEmailVerified: true }, at);
          const act = { action: 'admin.user_verify', resourceId: userId, at };
          await administration.recordActOnAccount(tx, administrator, act);
        }
        return shownById(tx, userId);
      });
    },

    async remove(administrator, userId) {
      await administration.requireFresh(administrator);
      await db.transaction(async (tx) => {
        const owner = await lock(tx, userId);
        if (accounts.isDesignated(owner)) throw keepsRole();
        await deletions.request(tx, { userId, cause: 'administrator' });
        if (owner.deletionRequestedAt) return;
        const act = { action: 'admin.user_delete', resourceId: userId, at: await clock.now(tx) };
        await administration.recordActOnAccount(tx, administrator, act);
      });
    },
  };
}

function isAsItIs(owner: OwnerRow, { plan, role, isEmailVerified }: RouteBody<typeof updateAdminUser>): boolean {
  return plan === owner.plan && role === owner.role && isEmailVerified === owner.emailVerified;
}

function addressTaken(): AppError {
  const message = 'There is already an account with this address.';
  return new AppError('CONFLICT', message, { issues: [{ path: 'email', message }] });
}

function isPaidFor(): AppError {
  const message =
    'This person’s plan comes from a subscription. Once the subscription has ended, the plan can be changed here.';
  return new AppError('CONFLICT', message, { issues: [{ path: 'plan', message }] });
}

function keepsRole(): AppError {
  return new AppError(
    'CONFLICT',
    'This account is the designated administrator. It keeps its role and its verified address, and can’t be deleted.',
  );
}
