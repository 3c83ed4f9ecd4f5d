import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { NotificationOutcome, Notifications } from '#server/features/notifications/notifications.service.ts';
import type { ConfirmationLinks } from '#server/features/registration/confirmation-links.service.ts';
import type { Releases } from '#server/features/release/release.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
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
import { monthsAfter, yearsAfter } from '#shared/rules/retention-dates.ts';
import { retentionEmail } from './retention.emails.ts';
import { createRetentionPlans, type RetentionPlansDependencies, type Visit } from './retention.plans.ts';
import {
  deleteNotice,
  eachCandidate,
  endNotice,
  findNotice,
  type Horizons,
  insertNotice,
  type NoticeRow,
} from './retention.repository.ts';
import { noticeDaysOf, retentionStep } from './retention.rules.ts';

export type Retention = {
  /** Visits everybody of whom something of this kind may be due: tells them, or lets it go. Gives how many had a step. */
  visitAll(kind: NoticeKind): Promise<number>;
};

export type RetentionDependencies = RetentionPlansDependencies & {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner' | 'isDesignated'>;
  confirmationLinks: Pick<ConfirmationLinks, 'renew' | 'startNotMeDays'>;
  releases: Pick<Releases, 'health'>;
  notifications: Pick<Notifications, 'enqueue' | 'cancelFor' | 'onOutcome' | 'writeAtDeparture'>;
  audit: Pick<Audit, 'record'>;
  baseUrl: string;
};

const batch = 100;
const mailKind = 'privacy.retention-notice';

/** What is kept for a time and goes with notice. Each owner is visited in a transaction of their own. */
export function createRetention(deps: RetentionDependencies): Retention {
  const { db, clock, accounts, confirmationLinks, releases, notifications, audit, baseUrl } = deps;

  const plans = createRetentionPlans(deps);

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
      if (failed.length > 0) throw new AggregateError(failed, `${failed.length} owners could not be visited.`);
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
