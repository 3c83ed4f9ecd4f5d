import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import {
  type CheckInLinkRow,
  findCheckInLink,
  hasLettersOut,
} from '#server/features/release-state/checkin-links.repository.ts';
import { findLatestRequest } from '#server/features/release-state/release.repository.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { checkInByLink } from '#shared/contract/release/release.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { timelineAfterActivity } from './release-overview.rules.ts';
import { nowOf } from './release-overview.service.ts';
import { wasStoppedByLink } from './stops-by-link.repository.ts';
import { pointAnswer } from './timeline-answer.ts';

/**
 * A person who holds a dead owner's mailbox can stop by link a release that contacts confirmed. For so many days after that,
 * each further Stop needs a sign-in, also of a request that too few contacts have confirmed yet.
 */
const linkStopsAgainDays = 60;

/** The check-in, and what would happen after it if it were the last. */
type CheckedIn = Omit<RouteAnswer<typeof checkInByLink>, 'ok'>;

export type CheckInLinks = {
  /** Whose link it is. Mail scanners open links too, so this changes nothing. */
  checkInLink(token: string): Promise<{ firstName: string; lastCheckinAt: Date }>;
  /** The press of the button behind the link. */
  checkInByLink(token: string, origin: RequestOrigin): Promise<CheckedIn>;
};

/**
 * The link in each mail to an owner. It works once: whoever finds an old mail cannot keep a silence from being
 * noticed. @throws AppError NOT_FOUND for an unknown link or one that is too old, CONFLICT for one that has been
 * used, FORBIDDEN if a link stopped a confirmed release lately, so that this Stop needs a sign-in.
 */
export function createCheckInLinks(deps: ReleaseDependencies, { look }: Pick<Releases, 'look'>): CheckInLinks {
  const { db, clock, hashToken, accounts, deliveries, audit } = deps;

  async function liveLink(executor: Executor, token: string, now: Date): Promise<CheckInLinkRow> {
    const link = await findCheckInLink(executor, hashToken(token));
    if (!link || link.expiresAt <= now) throw notFound('This link is not one of ours, or it is too old.');
    if (link.usedAt) {
      throw new AppError('CONFLICT', 'This link has done its work already. You checked in since it was sent.');
    }
    return link;
  }

  /** What had been sent before this very sign of life stopped it; null where nothing was being delivered. */
  async function haltedBy(tx: Executor, userId: string, at: Date): Promise<CheckedIn['halted']> {
    const latest = await findLatestRequest(tx, userId);
    if (latest?.outcome !== 'taken_back' || latest.closedAt?.getTime() !== at.getTime()) return null;
    return deliveries.stoppedOf(tx, latest.id);
  }

  async function requireNoSecondStop(tx: Executor, owner: OwnerRow, at: Date): Promise<void> {
    const since = new Date(at.getTime() - linkStopsAgainDays * dayMs);
    if (!(await wasStoppedByLink(tx, { userId: owner.id, since }))) return;
    // Once letters are out, every moment counts.
    if (await hasLettersOut(tx, owner.id)) return;
    const situation = await look(tx, owner, at);
    const { request, release } = situation.world;
    if (!request && !release) return;
    throw new AppError(
      'FORBIDDEN',
      'Your trusted contacts had confirmed a release, and a link stopped it less than 60 days ago. To stop this one too, please sign in.',
    );
  }

  return {
    async checkInLink(token) {
      const { userId } = await liveLink(db, token, await clock.now());
      const owner = await accounts.ownerOf(db, userId);
      if (!owner) throw notFound();
      return { firstName: owner.firstName ?? '', lastCheckinAt: owner.lastCheckinAt };
    },

    async checkInByLink(token, origin) {
      const { userId } = await liveLink(db, token, await clock.now());
      return db.transaction(async (tx) => {
        const found = await accounts.lockOwner(tx, userId);
        if (!found) throw notFound();
        const at = await clock.now(tx);
        // Read again under the lock: two presses at once are one check-in.
        await liveLink(tx, token, at);
        await requireNoSecondStop(tx, found, at);
        await audit.record(tx, {
          userId,
          action: 'user.checked_in_by_email',
          resource: 'user',
          resourceId: userId,
          origin,
          at,
        });
        await accounts.recordActivity(tx, { userId, type: 'email', at, origin, isStop: true });
        const owner = await accounts.ownerOf(tx, userId);
        if (!owner) throw notFound();
        const situation = await look(tx, owner, at);
        const line = timelineAfterActivity(situation.world, nowOf(situation, at), owner.checkinIntervalDays);
        return { lastCheckinAt: at, timeline: line.map(pointAnswer), halted: await haltedBy(tx, userId, at) };
      });
    },
  };
}
