import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { SubscriptionOffboarding } from '#server/features/billing/subscription-offboarding.service.ts';
import type { Deletions } from '#server/features/deletion/deletion.service.ts';
import type { Erasures } from '#server/features/deletion/erasure.service.ts';
import type { NotificationOutcome, Notifications } from '#server/features/notifications/notifications.service.ts';
import type { ConfirmationLinks } from '#server/features/registration/confirmation-links.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { greetingName } from '#shared/rules/names.ts';
import {
  contentNoticeDays,
  deliveredContentFreeMonths,
  idleAccountYears,
  type NoticeKind,
  undeliveredAfterPaymentMonths,
  unverifiedAccountDays,
  unverifiedNoticeDays,
} from '#shared/rules/retention.ts';
import {
  deliveredGoesAt,
  idleGoesAt,
  lapsedSince,
  monthsAfter,
  undeliveredGoesAt,
  yearsAfter,
} from '#shared/rules/retention-dates.ts';
import { retentionEmail } from './retention.emails.ts';
import {
  deleteFiles,
  deleteMessages,
  deleteNotice,
  eachCandidate,
  endNotice,
  findNotice,
  findSubscriptionEnd,
  findUnverifiedSince,
  type Horizons,
  hasWaitingLetters,
  insertNotice,
  listDelivered,
  listUndelivered,
  type NoticeRow,
  readStanding,
} from './retention.repository.ts';
import {
  couldBeReleased,
  isReleaseOpen,
  type KeptFile,
  noticeDaysOf,
  retentionStep,
  surplus,
} from './retention.rules.ts';

export type Retention = {
  /** Visits everybody of whom something of this kind may be due: tells them, or lets it go. Gives how many had a step. */
  visitAll(kind: NoticeKind): Promise<number>;
};

export type RetentionDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner' | 'isDesignated'>;
  confirmationLinks: Pick<ConfirmationLinks, 'renew' | 'startNotMeDays'>;
  releases: Pick<Releases, 'health'>;
  notifications: Pick<Notifications, 'enqueue' | 'cancelFor' | 'onOutcome' | 'writeAtDeparture'>;
  deletions: Pick<Deletions, 'request'>;
  audit: Pick<Audit, 'record' | 'recordAll'>;
  offboarding: Pick<SubscriptionOffboarding, 'isPaidFor'>;
  erasures: Pick<Erasures, 'destroy'>;
  baseUrl: string;
};

/** One owner, under their lock. */
type Visit = { tx: Executor; owner: OwnerRow; at: Date; notice: NoticeRow | null };

type Plan = {
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

const batch = 100;
const mailKind = 'privacy.retention-notice';

/** What is kept for a time and goes with notice. Each owner is visited in a transaction of their own. */
export function createRetention(deps: RetentionDependencies): Retention {
  const {
    db,
    clock,
    accounts,
    confirmationLinks,
    releases,
    notifications,
    deletions,
    audit,
    offboarding,
    erasures,
    baseUrl,
  } = deps;

  notifications.onOutcome(mailKind, async (tx, { id, outcome, at }: NotificationOutcome) => {
    if (outcome === 'dead') return endNotice(tx, id, null);
    const { mark } = await releases.health(tx, at);
    const ended = outcome === 'accepted' ? 'accepted' : 'refused';
    await endNotice(tx, id, { outcome: ended, endedAt: at, endedHealthyMs: mark.healthyMs });
  });

  notifications.writeAtDeparture(mailKind, async (executor, { given, at }) => {
    if (given.notMeUrl) await confirmationLinks.startNotMeDays(executor, given.notMeUrl, at);
    return null;
  });

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

  const plans: Record<NoticeKind, (visit: Visit) => Promise<Plan>> = {
    idle: planIdle,
    unverified: planUnverified,
    undelivered: planUndelivered,
    delivered: planDelivered,
  };

  async function notify({ tx, owner, at }: Visit, kind: NoticeKind, goesAtMs: number): Promise<void> {
    // It may be late already, after an outage; the days are given all the same.
    const goesAt = new Date(Math.max(goesAtMs, at.getTime() + noticeDaysOf[kind] * dayMs));
    const urls = kind === 'unverified' ? await confirmationLinks.renew(tx, { ...owner, at }) : undefined;
    const notificationId = await notifications.enqueue(tx, {
      channel: 'email',
      kind: mailKind,
      userId: owner.id,
      subjectId: owner.id,
      dedupeKey: `${mailKind}:${kind}:${owner.id}:${at.toISOString()}`,
      policy: 'owner-reminder',
      at,
      to: { address: owner.email },
      mail: retentionEmail({ firstName: greetingName(owner), baseUrl, goesAt, kind, urls }),
      given: urls,
    });
    await insertNotice(tx, { userId: owner.id, kind, sentAt: at, notificationId });
    const entry = { userId: owner.id, action: 'retention.notified', resource: 'account', resourceId: owner.id };
    await audit.record(tx, { ...entry, details: { about: kind }, at });
  }

  async function visitOwner(kind: NoticeKind, userId: string): Promise<boolean> {
    return db.transaction(async (tx) => {
      const owner = await accounts.lockOwner(tx, userId);
      if (!owner || owner.deletionRequestedAt) return false;
      const at = await clock.now(tx);
      const { healthyMs, isClockBehind } = await releases.health(tx, at);
      if (isClockBehind) return false;
      const visit = { tx, owner, at, notice: await findNotice(tx, userId, kind) };
      const plan = await plans[kind](visit);
      const facts = { kind, goesAtMs: plan.goesAtMs, isHeld: plan.isHeld, notice: factsOf(visit.notice) };
      const step = retentionStep(facts, { atMs: at.getTime(), healthyMs });
      if (step === 'notify' && plan.goesAtMs !== null) await notify(visit, kind, plan.goesAtMs);
      if (step === 'withdraw') await deleteNotice(tx, userId, kind);
      if (step === 'remove') await plan.remove();
      return step !== 'none';
    });
  }

  return {
    async visitAll(kind) {
      const horizons = horizonsAt(await clock.now());
      const failed: unknown[] = [];
      let steps = 0;
      for await (const id of eachCandidate(db, kind, { horizons, perPage: batch })) {
        // One owner's failure stops nobody else's turn.
        const isStep = await visitOwner(kind, id).catch((error: unknown) => void failed.push(error));
        if (isStep) steps += 1;
      }
      if (failed.length > 0) throw failed[0];
      return steps;
    },
  };
}

/** What lies before these moments may be due for its notice; the rules decide. */
function horizonsAt(now: Date): Horizons {
  const noticed = new Date(now.getTime() + contentNoticeDays * dayMs);
  return {
    idleSince: yearsAfter(now, -idleAccountYears),
    openedUntil: new Date(now.getTime() - (unverifiedAccountDays - unverifiedNoticeDays) * dayMs),
    lapsedUntil: monthsAfter(noticed, -undeliveredAfterPaymentMonths),
    deliveredUntil: monthsAfter(noticed, -deliveredContentFreeMonths),
  };
}

function factsOf(notice: NoticeRow | null) {
  if (!notice) return null;
  const { sentAt, endedAt, endedHealthyMs } = notice;
  const ended = endedAt && endedHealthyMs !== null ? { atMs: endedAt.getTime(), healthyMs: endedHealthyMs } : null;
  return { sentAtMs: sentAt.getTime(), ended };
}
