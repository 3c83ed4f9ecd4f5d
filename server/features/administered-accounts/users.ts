import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { isDesignatedAccount } from '#server/features/accounts/accounts.ts';
import {
  recordActOnAccount,
  requireAdministrator,
  requireFreshAdministrator,
} from '#server/features/admin/administrator.ts';
import { isSubscribed } from '#server/features/billing/subscriptions.ts';
import { requestDeletion } from '#server/features/deletion/deletion.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { requireNoRelease } from '#server/features/release/release-activity.ts';
import type { Call } from '#server/http/bind.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type * as contract from '#shared/contract/admin.ts';
import { usersPerPage } from '#shared/contract/admin.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer, RouteBody } from '#shared/contract/route.ts';
import { deletionDayOf } from '#shared/rules/retention.ts';
import { changeAccount, hashFirstPassword, openAccountFor } from './account-changes.ts';
import { accountOpenedEmail } from './users.emails.ts';
import { findUser, findUsers, type ListedUser } from './users.repository.ts';

type ShownUser = RouteAnswer<typeof contract.createAdminUser>;

/** Returns a page of users. @throws AppError `NOT_FOUND` if the user before the page is gone. */
export async function listAdminUsers(
  app: App,
  administrator: Call<typeof contract.listAdminUsers>,
): Promise<ShownUser[]> {
  const { search, sort, direction, after } = administrator.query;
  requireAdministrator(administrator);
  const words = search.split(/\s+/).filter(Boolean);
  const found = await findUsers(app.db, { words, sort, direction, after, limit: usersPerPage });
  if (!found) throw notFound('The list has changed. Begin again with the first page.');
  return found.map((user) => shown(app, user));
}

/** Opens an account for a person, and emails them. @throws AppError `VALIDATION`, or `CONFLICT` for a taken address. */
export async function createAdminUser(
  app: App,
  administrator: Call<typeof contract.createAdminUser>,
): Promise<ShownUser> {
  const form = administrator.body;
  await requireFreshAdministrator(app, administrator);
  const { email, password, firstName, lastName, plan, role } = form;
  const passwordHash = await hashFirstPassword(app, { email, password });
  return app.db.transaction(async (tx) => {
    const at = await app.clock.now(tx);
    const userId = await openAccountFor(app, tx, { email, passwordHash, firstName, lastName, plan, role, at });
    if (userId === null) throw addressTaken();
    await recordActOnAccount(app, tx, administrator, {
      action: 'admin.user_create',
      resourceId: userId,
      details: { plan, role },
      at,
    });
    await enqueueNotification(app, tx, {
      channel: 'email',
      kind: 'accounts.opened-for',
      userId,
      subjectId: null,
      dedupeKey: `accounts.opened-for:${userId}`,
      at,
      to: { address: email },
      mail: accountOpenedEmail({ firstName, baseUrl: app.baseUrl }),
    });
    return shownById(app, tx, userId);
  });
}

/**
 * Changes plan, role and verification of a user. @throws AppError `NOT_FOUND`, or `CONFLICT` if the designated administrator would
 * lose the role, a subscription pays for another plan, or an open release would pause.
 */
export async function updateAdminUser(
  app: App,
  administrator: Call<typeof contract.updateAdminUser>,
): Promise<ShownUser> {
  const { params, body: change } = administrator;
  const userId = params.id;
  await requireFreshAdministrator(app, administrator);
  return app.db.transaction(async (tx) => {
    const owner = await lock(tx, userId);
    const losesRole = change.role !== 'admin' || !change.isEmailVerified;
    if (isDesignatedAccount(app, owner) && losesRole) throw keepsRole();
    if (change.plan !== owner.plan && (await isSubscribed(tx, userId))) throw isPaidFor();
    // Pressing twice is one act.
    if (isAsItIs(owner, change)) return shownById(app, tx, userId);
    // A release does not continue without a verified address, and the owner would not be notified.
    if (owner.emailVerified && !change.isEmailVerified) await requireNoRelease(tx, userId);
    const at = await app.clock.now(tx);
    await changeAccount(app, tx, owner, change, at);
    await recordActOnAccount(app, tx, administrator, {
      action: 'admin.user_update',
      resourceId: userId,
      details: { from: { plan: owner.plan, role: owner.role, isEmailVerified: owner.emailVerified }, to: change },
      at,
    });
    return shownById(app, tx, userId);
  });
}

/** Counts the address as verified. Repeating it changes nothing. @throws AppError `NOT_FOUND`. */
export async function verifyAdminUser(
  app: App,
  administrator: Call<typeof contract.verifyAdminUser>,
): Promise<ShownUser> {
  const userId = administrator.params.id;
  await requireFreshAdministrator(app, administrator);
  return app.db.transaction(async (tx) => {
    const owner = await lock(tx, userId);
    if (!owner.emailVerified) {
      const at = await app.clock.now(tx);
      await changeAccount(app, tx, owner, { ...owner, isEmailVerified: true }, at);
      const act = { action: 'admin.user_verify', resourceId: userId, at };
      await recordActOnAccount(app, tx, administrator, act);
    }
    return shownById(app, tx, userId);
  });
}

/**
 * Starts the deletion of an account, as its owner would. Repeating it changes nothing.
 *
 * @throws AppError `NOT_FOUND`, or `CONFLICT` for the designated administrator and while a release is open.
 */
export async function deleteAdminUser(app: App, administrator: Call<typeof contract.deleteAdminUser>): Promise<void> {
  const userId = administrator.params.id;
  await requireFreshAdministrator(app, administrator);
  await app.db.transaction(async (tx) => {
    const owner = await lock(tx, userId);
    if (isDesignatedAccount(app, owner)) throw keepsRole();
    await requestDeletion(app, tx, { userId, cause: 'administrator' });
    if (owner.deletionRequestedAt) return;
    const act = { action: 'admin.user_delete', resourceId: userId, at: await app.clock.now(tx) };
    await recordActOnAccount(app, tx, administrator, act);
  });
}

function shown(app: App, { planGrantedAt, deletionRequestedAt, mailboxProvenAt, ...user }: ListedUser): ShownUser {
  const { email, isEmailVerified } = user;
  const isAdministrator = isDesignatedAccount(app, { email, emailVerified: isEmailVerified, mailboxProvenAt });
  // Access follows from the address, so the role in effect is shown.
  const role = isAdministrator ? 'admin' : user.role;
  const deletesAt = deletionRequestedAt && deletionDayOf(deletionRequestedAt);
  return { ...user, role, isAdministrator, isPlanGranted: planGrantedAt !== null, deletesAt };
}

async function shownById(app: App, tx: Executor, userId: string): Promise<ShownUser> {
  const user = await findUser(tx, userId);
  if (!user) throw notFound();
  return shown(app, user);
}

async function lock(tx: Executor, userId: string): Promise<OwnerRow> {
  const owner = await lockOwnerRow(tx, userId);
  if (!owner) throw notFound();
  return owner;
}

function isAsItIs(
  owner: OwnerRow,
  { plan, role, isEmailVerified }: RouteBody<typeof contract.updateAdminUser>,
): boolean {
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
