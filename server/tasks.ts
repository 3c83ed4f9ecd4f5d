import { bulkRoundMs } from '#server/features/admin/bulk-pace.rules.ts';
import { sendSomeNews } from '#server/features/admin/bulk-sender.ts';
import type { BackupPlace } from '#server/features/backup/backup-places.ts';
import { makeDueBackup } from '#server/features/backup/nightly-backup.ts';
import { nextBillingAt, processDueBilling, tidyBilling } from '#server/features/billing/billing.ts';
import { readReturnedMails } from '#server/features/bounces/bounce-mailbox.ts';
import { eraseDueAccounts } from '#server/features/deletion/erasure.ts';
import { sendDueLetters } from '#server/features/delivery/delivery.ts';
import { nextReminderAt } from '#server/features/delivery/reminders.ts';
import { removeNamelessFiles, removeUnfinishedUploads, removeUnusedFiles } from '#server/features/files/upkeep.ts';
import { anchorToday } from '#server/features/integrity/anchors.ts';
import { checkSome } from '#server/features/integrity/integrity-check.ts';
import { readRecipients } from '#server/features/messages/addresses.ts';
import { nextDueAt, purgeEndedMessages } from '#server/features/notifications/mail-queue.ts';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { sendDueReadyChanges } from '#server/features/ready-changes/ready-changes.ts';
import { nextProposalAt, sendWaitedProposals } from '#server/features/redelivery/waiting-proposals.ts';
import { sendRepairedLetters } from '#server/features/release/damaged-letters.ts';
import { sweepReleases } from '#server/features/release/release-sweep.ts';
import { recordHeartbeat } from '#server/features/release-health/health.ts';
import { findNextStepAt } from '#server/features/release-state/release-owners.repository.ts';
import { expiringKinds, removeExpired, removeExpiredAudit } from '#server/features/retention/expiry.ts';
import { visitForRetention } from '#server/features/retention/retention.ts';
import { noteLook } from '#server/features/service-health/alerts.ts';
import { watchClock } from '#server/features/service-health/clock-watch.ts';
import { askEveryMs } from '#server/features/service-health/site-watch.rules.ts';
import { watchSite } from '#server/features/service-health/site-watch.ts';
import { watchWorker } from '#server/features/service-health/worker-watch.ts';
import { sendDueWritingQuestions } from '#server/features/writing-questions/writing-questions.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { noticeKinds } from '#shared/rules/retention.ts';
import type { App } from './app.ts';
import type { Task } from './platform/tasks/task.ts';

/** Parts that all tasks work with. */
export type TaskApp = App & {
  /** Null if the settings name none, and for a process that doesn't run its task. */
  bounceMailboxUrl: string | null;
  backupPlace: BackupPlace | null;
};

/** A task with the role of the processes that run it: workers, if it says nothing. */
type Listed<Parts> = Task<Parts> & { role?: 'site' | 'both' };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A daily or hourly task continues the next time after this time, so that it can't delay the others. */
const sliceMs = 15 * minuteMs;

const ofRound = { everyMs: minuteMs, oncePer: 'process', limitMs: 10 * minuteMs, inRound: true } as const;
const watching = { everyMs: askEveryMs, oncePer: 'process', limitMs: 10 * minuteMs, essential: false } as const;
const hourly = { everyMs: hourMs, oncePer: 'installation', limitMs: hourMs, essential: false } as const;
const daily = { everyMs: dayMs, oncePer: 'installation', limitMs: 6 * hourMs, essential: false } as const;

/** Owners whose time has come, and their mails. The interval is TICK_SECONDS. */
export const roundTasks: readonly Listed<App>[] = [
  {
    name: 'heartbeat',
    ...{ everyMs: minuteMs, oncePer: 'process', limitMs: 10 * minuteMs, essential: false, beforeRound: true },
    async run(app, { trouble }) {
      const found = trouble();
      if (found === null) await recordHeartbeat(app);
      else app.log.error({ found }, 'A task hangs or fails, so the worker records no heartbeat.');
    },
  },
  {
    name: 'sweep',
    ...{ ...ofRound, essential: true },
    run: (app) => sweepReleases(app),
    nextDueAt: ({ db }) => findNextStepAt(db),
  },
  {
    name: 'proposed addresses',
    ...{ ...ofRound, essential: false },
    run: (app) => sendWaitedProposals(app),
    async nextDueAt(app, now) {
      // A paused proposal is due every hour. For the test clock once a day is enough.
      const dayLater = new Date(now.getTime() + dayMs);
      const at = await nextProposalAt(app);
      return at && (at > dayLater ? at : dayLater);
    },
  },
  {
    name: 'payments',
    ...{ ...ofRound, essential: false },
    run: processDueBilling,
    nextDueAt: nextBillingAt,
  },
  {
    name: 'outbox',
    ...{ ...ofRound, essential: true },
    run: (app) => dispatchDue(app),
    nextDueAt: nextDueAt,
  },
  {
    name: 'letters',
    ...{ ...ofRound, essential: true },
    run: async (app) => sendDueLetters(app, await app.clock.now()),
    nextDueAt: nextReminderAt,
  },
];

/** The two halves of the service watch each other: the site watches the workers, a worker the site and the clock. */
export const watchTasks: readonly Listed<App>[] = [
  { name: 'site watch', ...watching, run: watchSite },
  { name: 'clock watch', ...watching, run: watchClock },
  { name: 'worker watch', ...watching, role: 'site', run: watchWorker },
];

/** Everything that happens without a request. */
const tasks: readonly Listed<TaskApp>[] = [
  ...roundTasks,
  ...watchTasks,
  { name: 'task times', ...watching, role: 'both', run: (_app, { saveRuns }) => saveRuns() },
  {
    name: 'news',
    ...{ everyMs: bulkRoundMs, oncePer: 'process', limitMs: 10 * minuteMs, essential: false },
    run: sendSomeNews,
  },
  {
    name: 'returned mails',
    ...{ everyMs: 5 * minuteMs, oncePer: 'installation', limitMs: hourMs, essential: false },
    async run(app) {
      const look = app.bounceMailboxUrl && (await readReturnedMails(app, app.bounceMailboxUrl));
      if (look) await noteLook(app, 'bounces', look);
    },
  },
  {
    name: 'backup',
    // One worker makes the backup of a night. The others report it to the operator if it is late.
    ...{ everyMs: 5 * minuteMs, oncePer: 'process', limitMs: dayMs, essential: false },
    run: async (app) => app.backupPlace && noteLook(app, 'backups', await makeDueBackup(app, app.backupPlace)),
  },
  {
    name: 'seal check',
    ...{ everyMs: minuteMs, oncePer: 'installation', limitMs: hourMs, essential: false },
    run: async (app, { stop }) => checkSome(app, { stop }),
  },
  { name: 'ended mails', ...hourly, run: untilNone((app) => purgeEndedMessages(app)) },
  { name: 'unused files', ...hourly, run: untilNone(removeUnusedFiles) },
  { name: 'payment records', ...hourly, run: tidyBilling },
  { name: 'unfinished uploads', ...hourly, run: removeUnfinishedUploads },

  // First, so that its line includes the rows that go today.
  { name: 'audit anchor', ...daily, run: anchorToday },
  { name: 'repaired letters', ...daily, run: untilNone(sendRepairedLetters) },
  // Before tasks that may take long: an owner must soon learn of a stranger at an open session.
  {
    name: 'ready changes',
    ...daily,
    run: untilNone((app) => sendDueReadyChanges(app, readRecipients)),
  },
  { name: 'erasures', ...daily, run: untilNone((app) => eraseDueAccounts(app)) },
  ...expiringKinds.map(
    (kind): Listed<TaskApp> => ({
      name: `expired ${kind}`,
      ...daily,
      run: untilNone((app) => removeExpired(app, kind)),
    }),
  ),
  { name: 'expired audit log', ...daily, run: untilNone(removeExpiredAudit) },
  { name: 'nameless files', ...daily, run: removeNamelessFiles },
  { name: 'writing questions', ...daily, run: untilNone((app) => sendDueWritingQuestions(app)) },
  ...noticeKinds.map(
    (kind): Listed<TaskApp> => ({
      name: `notices of ${kind}`,
      ...daily,
      run: (app) => visitForRetention(app, kind),
    }),
  ),
];

type Role = 'all' | 'web' | 'worker';

/** Tasks of the processes with a role, with the interval that the settings give to a round. */
export function tasksOf({ role, tickSeconds }: { role: Role; tickSeconds: number }): Task<TaskApp>[] {
  return forRole(tasks, role).map((task) => (task.inRound ? { ...task, everyMs: tickSeconds * 1_000 } : task));
}

export function forRole<Parts>(listed: readonly Listed<Parts>[], role: Role): Task<Parts>[] {
  return listed.filter((task) => role === 'all' || task.role === 'both' || (task.role === 'site') === (role === 'web'));
}

/** Repeats a step until it does nothing. It ends early for the others after `sliceMs`, and throws if the process is about to end. */
function untilNone(step: (app: TaskApp) => Promise<number>): Listed<TaskApp>['run'] {
  return async (app, { stop }) => {
    const untilMs = performance.now() + sliceMs;
    while ((await step(app)) > 0 && performance.now() < untilMs) stop.throwIfAborted();
  };
}
