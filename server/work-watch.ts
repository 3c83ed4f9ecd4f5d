import { asTask } from '#server/platform/running-work/running-work.ts';
import { inSpan } from '#server/platform/tracing/tracing.ts';
import type { ReleaseWorkerOptions } from './features/release/release.jobs.ts';

/** A part of the round that came to no end in its time. */
export class WorkTooLongError extends Error {
  override readonly name = 'WorkTooLongError';
}

type Parts = Pick<ReleaseWorkerOptions, 'releases' | 'newAddresses' | 'notifications' | 'deliveries'> &
  Pick<Required<ReleaseWorkerOptions>, 'billing'> & { daily: () => Promise<unknown> };

export type WorkWatch = {
  /** The same parts, each with a limit, and a heartbeat that is heard only while the work gets done. */
  watched: Parts;
  /** What keeps the work from getting done, in a sentence; null while it goes on. */
  trouble(): string | null;
  /** Seconds since the work that nobody may wait for was last done: what is due was looked for, and sent. */
  idleSeconds(): number;
};

type Options = { log: { error(details: object, message: string): void }; nowMs?: () => number; limits?: Limits };
type Limits = { partMs: number; dailyMs: number };

/**
 * Well over what a part takes at its largest. One that takes longer hangs, whatever it hangs on: the round goes on without it,
 * and does not begin it again before it has ended.
 */
const usualLimits: Limits = { partMs: 10 * 60_000, dailyMs: 6 * 3_600_000 };

/** What has to succeed: a worker that can't do it is not at work, however loudly its heart beats. */
const essential: ReadonlySet<string> = new Set(['sweep', 'dispatch', 'send']);

type Part = { startedMs: number | null; doneMs: number; hasFailed: boolean };

/**
 * Watches whether rounds come to an end. Time that is counted towards people's answers is counted by the heartbeat; where
 * releases, reminders and letters stand still, it has to stand still too.
 */
export function watchWork(
  parts: Parts,
  { log, nowMs = () => performance.now(), limits = usualLimits }: Options,
): WorkWatch {
  const known = new Map<string, Part>();
  const limitOf = (name: string) => (name === 'daily' ? limits.dailyMs : limits.partMs);

  function limited<Result>(name: string, work: () => Promise<Result>): () => Promise<Result> {
    const part: Part = { startedMs: null, doneMs: nowMs(), hasFailed: false };
    known.set(name, part);
    return async () => {
      if (part.startedMs !== null) throw new WorkTooLongError(`${name} is still under way.`);
      part.startedMs = nowMs();
      return inSpan({ name: `round ${name}` }, () => {
        const working = asTask(`round ${name}`, work).then(
          (result) => {
            Object.assign(part, { startedMs: null, doneMs: nowMs(), hasFailed: false });
            return result;
          },
          (error: unknown) => {
            Object.assign(part, { startedMs: null, hasFailed: true });
            throw error;
          },
        );
        return withinTime(working, { name, ms: limitOf(name) });
      });
    };
  }

  const trouble = () => troubleOf(known, { now: nowMs(), limitOf });
  const { releases, newAddresses, notifications, deliveries, billing, daily } = parts;
  const dispatch = limited('dispatch', () => notifications.dispatchDue());
  let dueAt = new Date(0);
  const send = limited('send', () => deliveries.sendDue(dueAt));
  return {
    trouble,
    idleSeconds() {
      const done = [...known].flatMap(([name, { doneMs }]) => (essential.has(name) ? [doneMs] : []));
      return Math.max(0, nowMs() - Math.min(...done)) / 1_000;
    },
    watched: {
      releases: {
        sweep: limited('sweep', () => releases.sweep()),
        async beat() {
          const found = trouble();
          if (found === null) return releases.beat();
          log.error({ found }, 'the worker does not get its work done, so its heart does not beat');
        },
      },
      newAddresses: { sendWaited: limited('addresses', () => newAddresses.sendWaited()) },
      notifications: { dispatchDue: dispatch },
      deliveries: {
        sendDue(at) {
          dueAt = at;
          return send();
        },
      },
      billing: { workDue: limited('billing', () => billing.workDue()) },
      daily: limited('daily', daily),
    },
  };
}

function troubleOf(
  known: ReadonlyMap<string, Part>,
  { now, limitOf }: { now: number; limitOf: (name: string) => number },
): string | null {
  for (const [name, { startedMs, doneMs, hasFailed }] of known) {
    const limit = limitOf(name);
    const hangs = startedMs !== null && now - startedMs >= limit;
    if (hangs) return `“${name}” has come to no end for ${minutes(now - startedMs)}.`;
    const fails = essential.has(name) && hasFailed && now - doneMs >= limit;
    if (fails) return `“${name}” has failed for ${minutes(now - doneMs)}.`;
  }
  return null;
}

function withinTime<Result>(working: Promise<Result>, { name, ms }: { name: string; ms: number }): Promise<Result> {
  // Nobody waits for it any more, once it took too long; its failure then is no failure of the process.
  working.catch(() => undefined);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new WorkTooLongError(`${name} takes too long.`)), ms);
    working.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const minutes = (ms: number) => `${Math.round(ms / 60_000)} minutes`;
