import type { App } from '#server/app.ts';
import { findOwner, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { stoppedOf } from '#server/features/delivery/halts.ts';
import {
  type CheckInLinkRow,
  findCheckInLink,
  hasLettersOut,
} from '#server/features/release-state/checkin-links.repository.ts';
import { findLatestRequest } from '#server/features/release-state/release.repository.ts';
import { readWorld } from '#server/features/release-state/release.store.ts';
import type { Call } from '#server/http/bind.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/release/release.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { timelineAfterActivity } from './release-overview.rules.ts';
import { nowOf } from './release-overview.ts';
import { wasStoppedByLink } from './stops-by-link.repository.ts';
import { pointAnswer } from './timeline-answer.ts';

/**
 * Days after a Stop by link of a confirmed release in which each further Stop needs a sign-in. That includes requests
 * that too few contacts have confirmed. A person who holds a dead owner's mailbox can press such a link.
 */
const linkStopsAgainDays = 60;

/** Check-in, with the steps that would follow without further activity. */
type CheckedIn = RouteAnswer<typeof contract.checkInByLink>;

/**
 * Returns the owner of a check-in link. Changes nothing, because mail scanners open links too.
 * @throws AppError as `checkInByLink`, except `FORBIDDEN`.
 */
export async function getCheckInLink(
  { db, clock, serviceKeys }: App,
  { params }: Pick<Call<typeof contract.getCheckInLink>, 'params'>,
): Promise<{ firstName: string; lastCheckinAt: Date }> {
  const { userId } = await findLive(db, serviceKeys.hashToken(params.token), await clock.now());
  const owner = await findOwner(db, userId);
  if (!owner) throw notFound();
  return { firstName: owner.firstName ?? '', lastCheckinAt: owner.lastCheckinAt };
}

/**
 * Checks in by the button behind the link that is in each mail to an owner. It works once, so an old mail can't end a
 * later silence.
 * @throws AppError `NOT_FOUND` for an unknown or expired link, `CONFLICT` for a used one.
 * @throws AppError `FORBIDDEN` if a link stopped a confirmed release lately, so that this Stop needs a sign-in.
 */
export async function checkInByLink(
  app: App,
  { params, origin }: Pick<Call<typeof contract.checkInByLink>, 'params' | 'origin'>,
): Promise<CheckedIn> {
  const { db, clock, serviceKeys } = app;
  const tokenHash = serviceKeys.hashToken(params.token);
  const { userId } = await findLive(db, tokenHash, await clock.now());
  return db.transaction(async (tx) => {
    const found = await lockOwnerRow(tx, userId);
    if (!found) throw notFound();
    const at = await clock.now(tx);
    // Read again under the lock: two parallel presses are one check-in.
    await findLive(tx, tokenHash, at);
    await requireNoSecondStop(app, tx, found, at);
    const action = 'user.checked_in_by_email';
    await recordAudit(app, tx, { userId, action, resource: 'user', resourceId: userId, origin, at });
    await recordActivity(app, tx, { userId, type: 'email', at, origin, isStop: true });
    const owner = await findOwner(tx, userId);
    if (!owner) throw notFound();
    const loaded = await readWorld(app, tx, owner, at);
    const timeline = timelineAfterActivity(loaded.world, nowOf(loaded, at), owner.checkinIntervalDays);
    const halted = await haltedBy(tx, userId, at);
    return { ok: true as const, lastCheckinAt: at, timeline: timeline.map(pointAnswer), halted };
  });
}

async function findLive(executor: Executor, tokenHash: string, now: Date): Promise<CheckInLinkRow> {
  const link = await findCheckInLink(executor, tokenHash);
  if (!link || link.expiresAt <= now) throw notFound('This link is not one of ours, or it is too old.');
  if (link.usedAt) {
    throw new AppError('CONFLICT', 'This link is no longer needed. You have checked in since it was sent.');
  }
  return link;
}

/** Letters that had been sent before this activity stopped the release. Null if none was being delivered. */
async function haltedBy(tx: Executor, userId: string, at: Date): Promise<CheckedIn['halted']> {
  const latest = await findLatestRequest(tx, userId);
  if (latest?.outcome !== 'taken_back' || latest.closedAt?.getTime() !== at.getTime()) return null;
  return stoppedOf(tx, latest.id);
}

async function requireNoSecondStop(app: App, tx: Executor, owner: OwnerRow, at: Date): Promise<void> {
  const since = new Date(at.getTime() - linkStopsAgainDays * dayMs);
  if (!(await wasStoppedByLink(tx, { userId: owner.id, since }))) return;
  // Once letters are out, every moment counts.
  if (await hasLettersOut(tx, owner.id)) return;
  const { request, release } = (await readWorld(app, tx, owner, at)).world;
  if (!request && !release) return;
  throw new AppError(
    'FORBIDDEN',
    'Your trusted contacts had confirmed a release, and a link stopped it less than 60 days ago. To stop this one too, please sign in.',
  );
}
