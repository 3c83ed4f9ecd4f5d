import type { App } from '#server/app.ts';
import { findOwner, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { isDesignatedAccount } from '#server/features/accounts/accounts.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import { isBeingPaid, isPaidFor } from '#server/features/billing/subscription-offboarding.ts';
import { tellOfMistake, withholdInvitations } from '#server/features/contacts/invitation-mails.ts';
import { lockTrustees } from '#server/features/contacts/trustees.ts';
import { disown } from '#server/features/registration/closing.ts';
import { findHoldings, notMeHolder } from '#server/features/registration/confirmation-links.ts';
import { notMeLinkMs } from '#server/features/registration/registration.limits.ts';
import { requireNoRelease } from '#server/features/release/release-activity.ts';
import type { Call } from '#server/http/bind.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/not-me.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { deletionDayOf } from '#shared/rules/retention.ts';
import { veiledAddress } from '#shared/rules/veiled-address.ts';
import { requestDeletion } from './deletion.ts';
import { destroyAccount, removeErasedFiles } from './erasure.ts';
import { type Removal, removalOf } from './not-me.rules.ts';

// "This was not me" is the second link of the mail that asks its reader if an account is theirs. See decision 41.

/** Describes the account for the page. Changes nothing. @throws AppError `NOT_FOUND`, alike for every ended link. */
export async function getNotMe(
  app: App,
  { params }: Call<typeof contract.getNotMe>,
): Promise<RouteAnswer<typeof contract.getNotMe>> {
  const { db } = app;
  const at = await app.clock.now();
  const userId = await notMeHolder(app, db, params.token, at);
  const owner = userId === null ? null : await findOwner(db, userId);
  const holdings = isOpenTo(app, owner) ? await findHoldings(db, owner.id) : null;
  if (!isOpenTo(app, owner) || !holdings) throw deadLink();
  return {
    ...holdings,
    email: veiledAddress(owner.email),
    openedAt: owner.createdAt,
    isVerified: owner.emailVerified,
    removal: await removalFor(db, owner, at),
  };
}

/**
 * Removes the account, or closes it if it could be a real vault; see `removalOf`. The link then ends.
 *
 * @throws AppError `NOT_FOUND` as `getNotMe` does; `CONFLICT` if a release is in progress, and the owner is known to read the
 * mailbox or the account is old.
 */
export async function sayNotMe(app: App, { params, origin }: Call<typeof contract.sayNotMe>) {
  const { token } = params;
  const said = await app.db.transaction(async (tx) => {
    const userId = await notMeHolder(app, tx, token, await app.clock.now(tx));
    if (userId === null) throw deadLink();
    await lockTrustees(tx, userId);
    const owner = await lockOwnerRow(tx, userId);
    const at = await app.clock.now(tx);
    // Read again after the lock, since another press may have come first.
    if (!isOpenTo(app, owner) || (await notMeHolder(app, tx, token, at)) !== userId) throw deadLink();
    const removal = await removalFor(tx, owner, at);
    return removal === 'at-once' ? remove(app, tx, owner, { origin, at }) : close(app, tx, owner, { origin, at });
  });
  if (said.goesAt === null) await removeErasedFiles(app);
  return said;
}

type Act = { origin: RequestOrigin; at: Date };

async function remove(app: App, tx: Executor, owner: OwnerRow, act: Act) {
  await tellOfMistake(app, tx, owner, act.at);
  await destroyAccount(app, tx, owner, { ...act, because: 'not-me' });
  return { goesAt: null };
}

async function close(app: App, tx: Executor, owner: OwnerRow, { origin, at }: Act) {
  // An owner who has died can't restore the account, and a forwarded mail must not end their release.
  if (owner.mailboxProvenAt !== null || isOldAt(owner, at)) await requireNoneOpen(tx, owner.id);
  await requestDeletion(app, tx, { userId: owner.id, cause: 'not-me', origin });
  await withholdInvitations(app, tx, owner.id);
  await disown(tx, owner.id);
  return { goesAt: deletionDayOf(owner.deletionRequestedAt ?? at) };
}

async function removalFor(executor: Executor, owner: OwnerRow, at: Date): Promise<Removal> {
  const isPaid =
    owner.plan !== 'free' || (await isPaidFor(executor, owner)) || (await isBeingPaid(executor, owner, at));
  return removalOf({ ...owner, isPaidFor: isPaid, isOld: isOldAt(owner, at) });
}

/** Replaces the refusal's words for administrators by words for the reader of the mail. */
async function requireNoneOpen(tx: Executor, userId: string): Promise<void> {
  try {
    await requireNoRelease(tx, userId);
  } catch (error) {
    if (!(error instanceof AppError) || error.type !== 'CONFLICT') throw error;
    throw new AppError(
      'CONFLICT',
      'A release of this account is in progress, so we cannot close the account now. If the account is not yours, the emails about the release that came to this address have a button that stops it. Then come back here.',
    );
  }
}

/** False for the designated administrator, whom the service needs. */
function isOpenTo(app: App, owner: OwnerRow | null): owner is OwnerRow {
  return owner !== null && !isDesignatedAccount(app, owner);
}

/** True if the mail that asked the address after the registration has expired. A later link came with one for a new password. */
function isOldAt({ createdAt }: OwnerRow, at: Date): boolean {
  return at.getTime() - createdAt.getTime() > notMeLinkMs;
}

function deadLink() {
  return notFound('This link has been used already, or its 30 days are over.');
}
