import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { SubscriptionOffboarding } from '#server/features/billing/subscription-offboarding.service.ts';
import type { Deletions } from '#server/features/deletion/deletion.service.ts';
import type { Erasures } from '#server/features/deletion/erasure.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { contentNoticeDays, type NoticeKind, unverifiedAccountDays } from '#shared/rules/retention.ts';
import { deliveredGoesAt, idleGoesAt, lapsedSince, undeliveredGoesAt } from '#shared/rules/retention-dates.ts';
import {
  deleteFiles,
  deleteMessages,
  deleteNotice,
  findSubscriptionEnd,
  findUnverifiedSince,
  hasWaitingLetters,
  listDelivered,
  listUndelivered,
  type NoticeRow,
  readStanding,
} from './retention.repository.ts';
import { couldBeReleased, isReleaseOpen, type KeptFile, surplus } from './retention.rules.ts';

/** One owner, under their lock. */
export type Visit = { tx: Executor; owner: OwnerRow; at: Date; notice: NoticeRow | null };

/** What is due for one of them, and when. */
export type Plan = {
  goesAtMs: number | null;
  isHeld: boolean;
  remove: () => Promise<void>;
};

/** How the log tells of what has gone. Of a message its files can go alone. */
const removals = {
  message: { action: 'message.expired', resource: 'message' },
  attachment: { action: 'attachment.expired', resource: 'message' },
  enclosure: { action: 'enclosure.expired', resource: 'message' },
  document: { action: 'document.expired', resource: 'document' },
} as const;

function removalOf({ id, messageId, of }: KeptFile): { id: string; what: keyof typeof removals } {
  return { id: messageId ?? id, what: of === 'message' ? 'attachment' : of };
}

export type RetentionPlansDependencies = {
  accounts: Pick<Accounts, 'isDesignated'>;
  deletions: Pick<Deletions, 'request'>;
  audit: Pick<Audit, 'recordAll'>;
  offboarding: Pick<SubscriptionOffboarding, 'isPaidFor'>;
  erasures: Pick<Erasures, 'destroy'>;
};

/** When what is kept for a time goes, what holds it, and what is done then. */
export function createRetentionPlans({
  accounts,
  deletions,
  audit,
  offboarding,
  erasures,
}: RetentionPlansDependencies): Record<NoticeKind, (visit: Visit) => Promise<Plan>> {
  function noteRemovals({ tx, owner, at }: Visit, gone: readonly { id: string; what: keyof typeof removals }[]) {
    return audit.recordAll(
      tx,
      gone.map(({ id: resourceId, what }) => ({ userId: owner.id, ...removals[what], resourceId, at })),
    );
  }

  /** An account nobody uses. One that is paid for, whose letters are still kept, or without which nobody runs this, stays. */
  async function planIdle({ tx, owner }: Visit): Promise<Plan> {
    const standing = await readStanding(tx, owner.id);
    const delivered = await listDelivered(tx, owner.id);
    const isWaiting = await hasWaitingLetters(tx, owner.id);
    const isNeeded = owner.plan !== 'free' || owner.releaseFrozenAt !== null || accounts.isDesignated(owner);
    return {
      goesAtMs: idleGoesAt(owner.lastCheckinAt).getTime(),
      isHeld: isNeeded || delivered.length > 0 || isWaiting || isReleaseOpen(standing, owner),
      remove: async () => void (await deletions.request(tx, { userId: owner.id, cause: 'inactivity' })),
    };
  }

  /** An account whose address nobody verified: it is nobody's, and may hold an address that is somebody else's. */
  async function planUnverified({ tx, owner, at }: Visit): Promise<Plan> {
    const since = await findUnverifiedSince(tx, owner.id);
    return {
      goesAtMs: since && since.getTime() + unverifiedAccountDays * dayMs,
      // What is paid for counts only once the address is verified; until then the plan does not show it.
      isHeld: owner.plan !== 'free' || (await offboarding.isPaidFor(tx, owner)),
      remove: async () => {
        await erasures.destroy(tx, owner, { because: 'unverified', at });
      },
    };
  }

  /**
   * What is more than the free plan holds, after a plan has lapsed. Somebody whose letters could still be released must
   * have shown life since they were told: else it may be their silence that nobody pays.
   */
  async function planUndelivered(visit: Visit): Promise<Plan> {
    const { tx, owner, at, notice } = visit;
    const lapsedAt = lapsedSince({ plan: owner.plan, subscriptionEnd: await findSubscriptionEnd(tx, owner.id) }, at);
    const kept = await listUndelivered(tx, owner.id);
    const going = surplus(kept.messages, kept.files);
    const isNothing = going.messages.length + going.files.length === 0;
    const standing = await readStanding(tx, owner.id);
    const hasSeen = notice?.endedAt != null && owner.lastCheckinAt > notice.endedAt;
    const mustWait = notice !== null && couldBeReleased(standing, owner) && !hasSeen;
    return {
      goesAtMs: lapsedAt === null || isNothing ? null : undeliveredGoesAt(lapsedAt).getTime(),
      isHeld: owner.releaseFrozenAt !== null || isReleaseOpen(standing, owner),
      remove: async () => {
        if (mustWait) return;
        await deleteMessages(tx, going.messages);
        await deleteFiles(tx, going.files);
        await noteRemovals(visit, [
          ...going.messages.map((id) => ({ id, what: 'message' as const })),
          ...going.files.map(removalOf),
        ]);
        await deleteNotice(tx, owner.id, 'undelivered');
      },
    };
  }

  /** Letters that were delivered. Only those that the notice was about go. */
  async function planDelivered(visit: Visit): Promise<Plan> {
    const { tx, owner, at, notice } = visit;
    const paying = { plan: owner.plan, subscriptionEnd: await findSubscriptionEnd(tx, owner.id) };
    const letters = (await listDelivered(tx, owner.id)).map(({ id, deliveredAt }) => ({
      id,
      goesAtMs: deliveredGoesAt(deliveredAt, paying).getTime(),
    }));
    const noticedUntilMs = (notice?.sentAt.getTime() ?? 0) + contentNoticeDays * dayMs;
    const due = letters.filter(({ goesAtMs }) => goesAtMs <= at.getTime() && goesAtMs <= noticedUntilMs);
    const { request } = await readStanding(tx, owner.id);
    return {
      goesAtMs: letters.length === 0 ? null : Math.min(...letters.map(({ goesAtMs }) => goesAtMs)),
      isHeld: request === 'releasing',
      remove: async () => {
        const ids = due.map(({ id }) => id);
        await deleteMessages(tx, ids);
        await noteRemovals(
          visit,
          ids.map((id) => ({ id, what: 'message' })),
        );
        await deleteNotice(tx, owner.id, 'delivered');
      },
    };
  }

  return { idle: planIdle, unverified: planUnverified, undelivered: planUndelivered, delivered: planDelivered };
}
