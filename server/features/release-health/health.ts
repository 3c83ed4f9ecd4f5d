import { type App, perApp } from '#server/app.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { lowerHealthyTime } from '#server/features/contacts/confirmed-contacts.ts';
import { enqueueToOperator } from '#server/features/notifications/enqueue.ts';
import { unfreezeMail } from '#server/features/notifications/frozen-mail.ts';
import { mailTroubledSince } from '#server/features/notifications/mail-queue.ts';
import type { Mark } from '#server/features/release-core/model.rules.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { restartWindows } from './address-proposals.ts';
import { listCounted } from './brake.repository.ts';
import {
  countOwners,
  type HealthRow,
  healthOf,
  lockHealth,
  readHealth,
  restartBeat,
  wakeOpenReleases,
  writeBreaker,
  writeFreeze,
  writeHealth,
  writeResumed,
} from './health.repository.ts';
import {
  breakerLimit,
  healthyMsAtMost,
  isBeatOverdue,
  isClockBehind,
  isMailHealthy,
  nextHealth,
} from './health.rules.ts';
import { breakerEmail } from './operator.emails.ts';
import { readRestoreProgress, stopRestored } from './restore.repository.ts';
import { type Hindrance, hindranceOf, type Restore, type RestoreProgress } from './restore.rules.ts';
import { restoredReason, restoreOf } from './restore-reason.ts';

/** Returns the end of the last outage in which the site did not answer at its address. Null if none is known. */
type OutageReader = (executor: Executor, nowMs: number) => Promise<number | null>;

/** Functions of other features that know outages. Each heartbeat asks them. */
export const outageReadersOf = perApp((): OutageReader[] => []);

/** Wall and monotonic time of this process at its last heartbeat, both moved by the test clock. */
const lastBeatOf = perApp(() => ({ at: null as { wallMs: number; monotonicMs: number } | null }));

/** Time and health for one step of the release engine. */
export type Reading = {
  healthyMs: number;
  isFrozen: boolean;
  /** True if the breaker has stopped the steps that only an owner's silence causes. */
  isSilenceStopped: boolean;
  isClockBehind: boolean;
  isMailHealthy: boolean;
  /** End of the newest outage. Null if there was none. */
  outageEndedMs: number | null;
  /** Latest time at which the operator ended a stop. Null if there was none. */
  resumed: Mark | null;
  /** Restore that caused the stop of everything. Null for another reason. */
  restore: Restore | null;
  /** Start of a window that begins now, with the most healthy time possible, so that no window ends too early. */
  mark: Mark;
};

/** `hindrance`: reason why the operator can't resume yet. */
export type Restored = RestoreProgress & { backupAt: Date; hindrance: Hindrance | null };

export type CountedStep = {
  at: Date;
  isBySilence: boolean;
  /** Day (UTC) on which the breaker last counted this owner. */
  countedOnDay?: string | null;
  /** Owner of the step, for the operator. */
  email?: string;
  /** Writes the buffered rows of this transaction, so that they can be counted. */
  flush?: () => Promise<void>;
};

/** Records a heartbeat, from which healthy time is counted. Runs every minute. */
export async function recordHeartbeat(app: App): Promise<void> {
  const { db, clock, monotonicMs } = app;
  const last = lastBeatOf(app);
  await db.transaction(async (tx) => {
    await lowerAcceptances(app, tx);
    const row = await lockHealth(tx);
    const wallMs = (await clock.now(tx)).getTime();
    const livedMs = monotonicMs() + row.clockLivedMs;
    const jumpMs = last.at ? wallMs - last.at.wallMs - (livedMs - last.at.monotonicMs) : 0;
    const mailTroubledSinceMs = await findTroubledSinceMs(app, tx);
    let siteDownUntilMs: number | null = null;
    for (const read of outageReadersOf(app)) siteDownUntilMs = (await read(tx, wallMs)) ?? siteDownUntilMs;
    await writeHealth(tx, nextHealth(healthOf(row), { wallMs, jumpMs, mailTroubledSinceMs, siteDownUntilMs }));
    last.at = { wallMs, monotonicMs: livedMs };
  });
}

/**
 * During a mail outage, lowers the healthy time at which contacts accepted to the time before the outage. Otherwise a
 * contact would count later than after 72 healthy hours. Runs before the health row is locked, as contacts are locked first.
 */
async function lowerAcceptances(app: App, tx: Executor): Promise<void> {
  const wallMs = (await app.clock.now(tx)).getTime();
  const mailTroubledSinceMs = await findTroubledSinceMs(app, tx);
  if (isMailHealthy(mailTroubledSinceMs, wallMs)) return;
  const { healthyMs } = nextHealth(healthOf(await readHealth(tx)), { wallMs, jumpMs: 0, mailTroubledSinceMs });
  await lowerHealthyTime(tx, healthyMs);
}

async function findTroubledSinceMs(app: App, tx: Executor): Promise<number | null> {
  return (await mailTroubledSince(app, tx))?.getTime() ?? null;
}

/** Reads time and health for a step at `at`. */
export async function takeReading({ clock }: App, executor: Executor, at: Date): Promise<Reading> {
  const row = await readHealth(executor);
  const reading = readingOf(row, at);
  if (!reading.isClockBehind) return reading;
  // Another process may have recorded a heartbeat since the caller read the clock.
  const { isClockBehind } = readingOf(row, await clock.now(executor));
  return { ...reading, isClockBehind };
}

/**
 * Checks if the breaker allows an owner's step to `asking` or `releasing`. It counts each owner moved by silence alone
 * once a day, and too many stop such steps. Call it last before the step, because it locks a row that all steps share.
 */
export async function allowStep(
  app: App,
  tx: Executor,
  step: CountedStep,
): Promise<{ isAllowed: boolean; day: string }> {
  const day = dayOf(step.at);
  const row = await lockHealth(tx);
  if (row.frozenAt) return { isAllowed: false, day };
  if (!step.isBySilence) return { isAllowed: true, day };
  if (row.silenceStoppedAt) return { isAllowed: false, day };
  if (step.countedOnDay === day) return { isAllowed: true, day };

  const count = (row.breakerDay === day ? row.breakerCount : 0) + 1;
  // Owners are counted only above the lowest limit, because counting reads every account.
  const limit = count > breakerLimit(0) ? breakerLimit(await countOwners(tx)) : count;
  if (count > limit) await stopSilence(app, tx, step, limit);
  else await writeBreaker(tx, { breakerDay: day, breakerCount: count, silenceStoppedAt: null });
  return { isAllowed: count <= limit, day };
}

async function stopSilence(app: App, tx: Executor, { at, flush, email }: CountedStep, limit: number): Promise<void> {
  await flush?.();
  const { baseUrl } = app;
  const day = dayOf(at);
  await writeBreaker(tx, { breakerDay: day, breakerCount: limit, silenceStoppedAt: at });
  const entry = { userId: null, action: 'release.silence_stopped', resource: 'installation' };
  await recordAudit(app, tx, { ...entry, details: { limit }, at });
  const accounts = [...(await listCounted(tx, day)), ...(email ? [email] : [])];
  await enqueueToOperator(app, tx, {
    kind: 'operator.breaker',
    dedupeKey: `operator-breaker:${at.toISOString()}`,
    at,
    mail: breakerEmail({ limit, accounts, baseUrl }),
  });
}

/**
 * Freezes the releases of all owners: no step moves forward, and no letter or question leaves. Reminders to owners
 * continue. Mails that are being sent may still arrive.
 */
export function freezeReleases(app: App, reason: string): Promise<'done' | 'unchanged'> {
  return setFreeze(app, reason);
}

/** Ends a freeze and a stop by the breaker. `hindered`: after a restore, owners have not had their time to answer yet. */
export async function unfreezeReleases(app: App): Promise<'done' | 'unchanged' | 'hindered'> {
  // Checked without a lock, because a notice that has been tried stays tried.
  if ((await readRestored(app.db))?.hindrance) return 'hindered';
  return setFreeze(app, null);
}

async function setFreeze(app: App, reason: string | null): Promise<'done' | 'unchanged'> {
  const { db, clock } = app;
  const at = await db.transaction(async (tx) => {
    const at = await clock.now(tx);
    // Proposals and notifications are locked before the health row everywhere, so that transactions can't deadlock.
    const before = reason ? null : await readHealth(tx);
    if (before?.frozenAt || before?.silenceStoppedAt) {
      await restartWindows(app, tx, { userId: null, at });
      await unfreezeMail(tx, { userId: null, at });
    }
    const locked = await lockHealth(tx);
    const { frozenAt, silenceStoppedAt } = locked;
    // A freeze can follow a stop by the breaker, and `release resume` ends both.
    const isStopped = frozenAt !== null || (!reason && silenceStoppedAt !== null);
    if (isStopped === (reason !== null)) return null;
    await writeFreeze(tx, { frozenAt: reason ? at : null, frozenReason: reason });
    // The operator has checked, so the daily count restarts.
    if (!reason) {
      await writeBreaker(tx, { breakerDay: dayOf(at), breakerCount: 0, silenceStoppedAt: null });
      await writeResumed(tx, readingOf(locked, at).mark);
    }
    const action = reason ? 'release.frozen' : 'release.resumed';
    await recordAudit(app, tx, { userId: null, action, resource: 'installation', at });
    return at;
  });
  if (!at) return 'unchanged';
  // In its own statement: owners are locked before the health row, never after it.
  if (!reason) await wakeOpenReleases(db, at);
  return 'done';
}

/** Reads the state after a restore, which the operator checks before releases resume. Null unless a restore stopped them. */
export async function readRestored(executor: Executor): Promise<Restored | null> {
  const row = await readHealth(executor);
  const restore = restoreOf(row);
  if (!restore) return null;
  const progress = await readRestoreProgress(executor, restore.atMs);
  return { ...progress, backupAt: new Date(restore.backupAtMs), hindrance: hindranceOf(progress, row.healthyMs) };
}

/**
 * Freezes everything after a restore until the operator has checked. The time since the backup does not count as
 * healthy, because its events are unknown. Use no column here that the tables of an old backup lack.
 */
export async function markRestored(tx: Executor, { backupAt }: { backupAt: Date }): Promise<void> {
  await restartBeat(tx);
  await stopRestored(tx, (before) => restoredReason({ backupAt, before }));
}

/** Reads healthy time in milliseconds: `countedMs` at the last heartbeat, and `atMostMs` as the most possible at `at`. */
export async function readHealthyTime(executor: Executor, at: Date): Promise<{ countedMs: number; atMostMs: number }> {
  const health = healthOf(await readHealth(executor));
  return { countedMs: health.healthyMs, atMostMs: healthyMsAtMost(health, at.getTime()) };
}

function readingOf(row: HealthRow, at: Date): Reading {
  const health = healthOf(row);
  const atMs = at.getTime();
  return {
    healthyMs: health.healthyMs,
    isFrozen: row.frozenAt !== null,
    isSilenceStopped: row.silenceStoppedAt !== null,
    isClockBehind: isClockBehind(health, atMs),
    isMailHealthy: isMailHealthy(health.mailTroubledSinceMs, atMs),
    // An outage lasts until the first beat after it.
    outageEndedMs: isBeatOverdue(health, atMs) ? atMs : (health.outageEndedMs ?? null),
    resumed: row.resumedAt && { atMs: row.resumedAt.getTime(), healthyMs: row.resumedHealthyMs ?? 0 },
    restore: restoreOf(row),
    mark: { atMs, healthyMs: healthyMsAtMost(health, atMs) },
  };
}

/** Returns the day (UTC) by which the breaker counts. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
