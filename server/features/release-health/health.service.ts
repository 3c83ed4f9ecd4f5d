import { performance } from 'node:perf_hooks';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Contacts } from '#server/features/contacts/contacts.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Mark } from '#server/features/release-core/model.rules.ts';
import { restartWindows } from '#server/features/release-health/address-proposals.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { listCounted } from './brake.repository.ts';
import {
  beginAgain,
  countOwners,
  type HealthRow,
  healthOf,
  lockHealth,
  readHealth,
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

export type HealthDependencies = {
  db: Database;
  clock: Clock;
  contacts: Pick<Contacts, 'takeBackHealthyTime'>;
  notifications: Pick<Notifications, 'mailTroubledSince' | 'enqueue' | 'letGo' | 'cancelFor'>;
  audit: Pick<Audit, 'record'>;
  baseUrl: string;
  adminEmail: string | null;
  /** This process's own clock, which nobody can set. Milliseconds from any beginning. */
  monotonicMs?: () => number;
  /** Until when the site is known not to have answered at its address; left out, nobody watches it. */
  siteDownUntilMs?: (executor: Executor, nowMs: number) => Promise<number | null>;
};

/** What one step of the release engine is told of time and health. */
export type Reading = {
  healthyMs: number;
  isFrozen: boolean;
  /** The breaker has stopped what silence alone would do. */
  isSilenceStopped: boolean;
  isClockBehind: boolean;
  isMailHealthy: boolean;
  /** When the newest outage was over; null where there was none. */
  outageEndedMs: number | null;
  /** When the operator last let things go on; null where they never had to. */
  resumed: Mark | null;
  /** What everything was stopped for, where that is a restore. */
  restore: Restore | null;
  /** A window that begins now begins here: never earlier than it really does. */
  mark: Mark;
};

export type Restored = RestoreProgress & { backupAt: Date; hindrance: Hindrance | null };

export type HealthKeeper = {
  beat(): Promise<void>;
  read(executor: Executor, at: Date): Promise<Reading>;
  /**
   * Asks for leave to move an owner to contacts or recipients. One whom silence alone moves is counted, once a day; more
   * than can be right stop all whom silence alone would move, and nobody else. To be called last before the step, since
   * it locks a row that all share.
   */
  allowStep(tx: Executor, step: CountedStep): Promise<{ isAllowed: boolean; day: string }>;
  freeze(reason: string): Promise<'done' | 'unchanged'>;
  /** `hindered`: a restore has stopped it, and owners have not had the time to answer yet. */
  resume(): Promise<'done' | 'unchanged' | 'hindered'>;
  /** What the operator is to know before they let things go on; `null` unless a restore has stopped them. */
  restored(): Promise<Restored | null>;
};

export type CountedStep = {
  at: Date;
  isBySilence: boolean;
  countedOnDay?: string | null;
  /** Whose step it is, for the operator. */
  email?: string;
  /** Writes what was counted in this transaction, so that it can be read. */
  flush?: () => Promise<void>;
};

/** The heartbeat, healthy time, and the breaker: what the installation knows about its own state. */
export function createHealthKeeper(deps: HealthDependencies): HealthKeeper {
  const {
    db,
    clock,
    contacts,
    notifications,
    audit,
    baseUrl,
    adminEmail,
    monotonicMs = () => performance.now(),
  } = deps;
  let previous: { wallMs: number; monotonicMs: number } | null = null;

  async function stopSilence(tx: Executor, { at, flush, email }: CountedStep, limit: number): Promise<void> {
    await flush?.();
    const day = dayOf(at);
    await writeBreaker(tx, { breakerDay: day, breakerCount: limit, silenceStoppedAt: at });
    await audit.record(tx, {
      userId: null,
      action: 'release.silence_stopped',
      resource: 'installation',
      details: { limit },
      at,
    });
    if (!adminEmail) return;
    const accounts = [...(await listCounted(tx, day)), ...(email ? [email] : [])];
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: 'operator.breaker',
      userId: null,
      subjectId: null,
      dedupeKey: `operator-breaker:${at.toISOString()}`,
      at,
      to: { address: adminEmail },
      mail: breakerEmail({ limit, accounts, baseUrl }),
    });
  }

  async function setFreeze(reason: string | null): Promise<'done' | 'unchanged'> {
    const at = await db.transaction(async (tx) => {
      const at = await clock.now(tx);
      // Proposals and messages are locked before the row of health, as everywhere.
      const before = reason ? null : await readHealth(tx);
      if (before?.frozenAt || before?.silenceStoppedAt) {
        await restartWindows(tx, notifications, { userId: null, at });
        await notifications.letGo(tx, { userId: null, at });
      }
      const locked = await lockHealth(tx);
      const { frozenAt, silenceStoppedAt } = locked;
      // What the breaker has stopped can be stopped altogether, and one word lets both go on.
      const isStopped = frozenAt !== null || (!reason && silenceStoppedAt !== null);
      if (isStopped === (reason !== null)) return null;
      await writeFreeze(tx, { frozenAt: reason ? at : null, frozenReason: reason });
      // Whoever lets it go on has looked: the day's count begins again.
      if (!reason) {
        await writeBreaker(tx, { breakerDay: dayOf(at), breakerCount: 0, silenceStoppedAt: null });
        await writeResumed(tx, readingOf(locked, at).mark);
      }
      const action = reason ? 'release.frozen' : 'release.resumed';
      await audit.record(tx, { userId: null, action, resource: 'installation', at });
      return at;
    });
    if (!at) return 'unchanged';
    // Afterwards and apart: owners are locked before the row of health, never after it.
    if (!reason) await wakeOpenReleases(db, at);
    return 'done';
  }

  /**
   * While no mail leaves, healthy time goes back to where it stood when that began, and so does the moment in which a
   * contact accepted since: it would lie ahead, and they would count early later than after 72 healthy hours. At each beat,
   * for whoever accepts meanwhile; before the row of health is locked, since contacts are locked before it everywhere.
   */
  async function takeBackTime(tx: Executor): Promise<void> {
    const wallMs = (await clock.now(tx)).getTime();
    const mailTroubledSinceMs = (await notifications.mailTroubledSince(tx))?.getTime() ?? null;
    if (isMailHealthy(mailTroubledSinceMs, wallMs)) return;
    const { healthyMs } = nextHealth(healthOf(await readHealth(tx)), { wallMs, jumpMs: 0, mailTroubledSinceMs });
    await contacts.takeBackHealthyTime(tx, healthyMs);
  }

  return {
    async beat() {
      await db.transaction(async (tx) => {
        await takeBackTime(tx);
        const row = await lockHealth(tx);
        const wallMs = (await clock.now(tx)).getTime();
        const livedMs = monotonicMs() + row.clockLivedMs;
        const jumpMs = previous ? wallMs - previous.wallMs - (livedMs - previous.monotonicMs) : 0;
        const since = await notifications.mailTroubledSince(tx);
        const mailTroubledSinceMs = since?.getTime() ?? null;
        const siteDownUntilMs = (await deps.siteDownUntilMs?.(tx, wallMs)) ?? null;
        await writeHealth(tx, nextHealth(healthOf(row), { wallMs, jumpMs, mailTroubledSinceMs, siteDownUntilMs }));
        previous = { wallMs, monotonicMs: livedMs };
      });
    },

    async read(executor, at) {
      const row = await readHealth(executor);
      const reading = readingOf(row, at);
      if (!reading.isClockBehind) return reading;
      // Another process may have beaten between the caller's look at the clock and this one.
      const { isClockBehind } = readingOf(row, await clock.now(executor));
      return { ...reading, isClockBehind };
    },

    async allowStep(tx, step) {
      const day = dayOf(step.at);
      const row = await lockHealth(tx);
      if (row.frozenAt) return { isAllowed: false, day };
      if (!step.isBySilence) return { isAllowed: true, day };
      if (row.silenceStoppedAt) return { isAllowed: false, day };
      if (step.countedOnDay === day) return { isAllowed: true, day };

      const count = (row.breakerDay === day ? row.breakerCount : 0) + 1;
      const limit = count > breakerLimit(0) ? breakerLimit(await countOwners(tx)) : count;
      if (count > limit) await stopSilence(tx, step, limit);
      else await writeBreaker(tx, { breakerDay: day, breakerCount: count, silenceStoppedAt: null });
      return { isAllowed: count <= limit, day };
    },

    freeze: (reason) => setFreeze(reason),
    async resume() {
      // Asked before, and without a lock: whoever has been told stays told.
      if ((await readRestored(db))?.hindrance) return 'hindered';
      return setFreeze(null);
    },
    restored: () => readRestored(db),
  };
}

async function readRestored(executor: Executor): Promise<Restored | null> {
  const row = await readHealth(executor);
  const restore = restoreOf(row);
  if (!restore) return null;
  const progress = await readRestoreProgress(executor, restore.atMs);
  return { ...progress, backupAt: new Date(restore.backupAtMs), hindrance: hindranceOf(progress, row.healthyMs) };
}

/**
 * After a restore: the time since the backup was made, and everything that happened in it, is unknown, so it counts as
 * an outage. Healthy time goes on from now, where it stood in the backup. Until somebody has looked everything is stopped,
 * and the worker tells the owners. The tables are those of the backup's version, which may be the first.
 */
export async function markRestored(tx: Executor, { backupAt }: { backupAt: Date }): Promise<void> {
  await beginAgain(tx);
  await stopRestored(tx, (before) => restoredReason({ backupAt, before }));
}

/** Wall time less outages, in milliseconds: what is counted so far, and the most there can have been at `at`. */
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
    // Until the first beat after an outage it goes on.
    outageEndedMs: isBeatOverdue(health, atMs) ? atMs : (health.outageEndedMs ?? null),
    resumed: row.resumedAt && { atMs: row.resumedAt.getTime(), healthyMs: row.resumedHealthyMs ?? 0 },
    restore: restoreOf(row),
    mark: { atMs, healthyMs: healthyMsAtMost(health, atMs) },
  };
}

/** The day (UTC) that the breaker counts by. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
