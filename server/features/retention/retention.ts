import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import type { NotificationOutcome } from '#server/features/notifications/mail-reactions.ts';
import { renewConfirmationUrls, startNotMeDays } from '#server/features/registration/confirmation-links.ts';
import { takeReading } from '#server/features/release-health/health.ts';
import type { Executor } from '#server/platform/db/database.ts';
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
import { planOf, type Visit } from './retention.plans.ts';
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

const batch = 100;

/**
 * Visits each owner for whom data of this kind may be due, in a transaction of their own: notifies the owner, or removes the
 * data after the notice. Returns the number of owners with a step. @throws AggregateError of the owners that failed.
 */
export async function visitForRetention(app: App, kind: NoticeKind): Promise<number> {
  const horizons = horizonsAt(await app.clock.now());
  const failed: unknown[] = [];
  let steps = 0;
  for await (const id of eachCandidate(app.db, kind, { horizons, perPage: batch })) {
    // The failure of one owner does not affect the others.
    const isStep = await visitOwner(app, kind, id).catch((error: unknown) => void failed.push(error));
    if (isStep) steps += 1;
  }
  if (failed.length > 0) throw new AggregateError(failed, `${failed.length} owners could not be visited.`);
  return steps;
}

/** Records the end of a notice's mail. Runs in the transaction that records the outcome. */
export async function noteRetentionOutcome(app: App, tx: Executor, outcome: NotificationOutcome): Promise<void> {
  const { id, at } = outcome;
  if (outcome.outcome === 'dead') return endNotice(tx, id, null);
  const { mark } = await takeReading(app, tx, at);
  const ended = outcome.outcome === 'accepted' ? 'accepted' : 'refused';
  await endNotice(tx, id, { outcome: ended, endedAt: at, endedHealthyMs: mark.healthyMs });
}

/** Starts the days of the link "This is not me" as the notice leaves. The words of the mail stay as enqueued. */
export async function startRetentionLinks(
  app: App,
  executor: Executor,
  { given, at }: { given: Record<string, string>; at: Date },
): Promise<null> {
  if (given.notMeUrl) await startNotMeDays(app, executor, given.notMeUrl, at);
  return null;
}

function visitOwner(app: App, kind: NoticeKind, userId: string): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    if (!owner || owner.deletionRequestedAt) return false;
    const at = await app.clock.now(tx);
    const { healthyMs, isClockBehind } = await takeReading(app, tx, at);
    if (isClockBehind) return false;
    const visit = { tx, owner, at, notice: await findNotice(tx, userId, kind) };
    const plan = await planOf[kind](app, visit);
    const facts = { kind, goesAtMs: plan.goesAtMs, isBlocked: plan.isBlocked, notice: factsOf(visit.notice) };
    const step = retentionStep(facts, { atMs: at.getTime(), healthyMs });
    if (step === 'notify' && plan.goesAtMs !== null) await notify(app, visit, { kind, goesAtMs: plan.goesAtMs });
    if (step === 'withdraw') await deleteNotice(tx, userId, kind);
    if (step === 'remove') await plan.remove();
    return step !== 'none';
  });
}

async function notify(
  app: App,
  { tx, owner, at }: Visit,
  { kind, goesAtMs }: { kind: NoticeKind; goesAtMs: number },
): Promise<void> {
  // After an outage the removal may be overdue. The owner still gets all days of the notice.
  const goesAt = new Date(Math.max(goesAtMs, at.getTime() + noticeDaysOf[kind] * dayMs));
  const urls = kind === 'unverified' ? await renewConfirmationUrls(app, tx, { ...owner, at }) : undefined;
  const notificationId = await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'privacy.retention-notice',
    userId: owner.id,
    subjectId: owner.id,
    dedupeKey: `privacy.retention-notice:${kind}:${owner.id}:${at.toISOString()}`,
    at,
    to: { address: owner.email },
    mail: retentionEmail({ firstName: greetingName(owner), baseUrl: app.baseUrl, goesAt, kind, urls }),
    given: urls,
  });
  await insertNotice(tx, { userId: owner.id, kind, sentAt: at, notificationId });
  const entry = { userId: owner.id, action: 'retention.notified', resource: 'account', resourceId: owner.id };
  await recordAudit(app, tx, { ...entry, details: { about: kind }, at });
}

/** Data older than these times may be due for a notice. The rules decide. */
function horizonsAt(now: Date): Horizons {
  const noticed = new Date(now.getTime() + contentNoticeDays * dayMs);
  return {
    idleBefore: yearsAfter(now, -idleAccountYears),
    openedBefore: new Date(now.getTime() - (unverifiedAccountDays - unverifiedNoticeDays) * dayMs),
    lapsedBefore: monthsAfter(noticed, -undeliveredAfterPaymentMonths),
    deliveredBefore: monthsAfter(noticed, -deliveredContentFreeMonths),
  };
}

function factsOf(notice: NoticeRow | null) {
  if (!notice) return null;
  const { sentAt, endedAt, endedHealthyMs } = notice;
  const ended = endedAt && endedHealthyMs !== null ? { atMs: endedAt.getTime(), healthyMs: endedHealthyMs } : null;
  return { sentAtMs: sentAt.getTime(), ended };
}
