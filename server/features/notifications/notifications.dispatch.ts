import pLimit from 'p-limit';
import { type App, perApp } from '#server/app.ts';
import { listLostDepartures } from './attempts.repository.ts';
import { attemptMessage } from './notifications.attempt.ts';
import { createClaims, leaseMs } from './notifications.claims.ts';
import { recordOutcome } from './notifications.record.ts';
import type { NotificationRow } from './notifications.repository.ts';
import { retryUntil, stoppingSignal } from './notifications.retry-until.ts';

/** Default number of messages that one call of `dispatchDue` sends. */
const dispatchLimit = 1_000;
/**
 * Number of messages that this process sends in parallel, over all calls. It is the number of connections to the mail
 * server, so that no claimed message waits for one. A killed process sends at most these twice: the same mails, with the
 * same Message-ID and the same links.
 */
const lanesMax = 6;
/** Number of lost departures that are recorded in one round. */
const lostMax = 100;
/**
 * Time in which the database is retried for the next message and for the permission to leave, before that counts as a
 * failure.
 */
const askAgainMs = 10_000;

/** Messages that this process is sending. */
const underWayOf = perApp((app) => ({
  claims: createClaims(app),
  lanes: pLimit(lanesMax),
  stopping: stoppingSignal(),
}));

/**
 * Stops retries before the process ends. An acceptance that can't be recorded yet is left to its lease, and the message
 * is sent again.
 */
export function stopRetrying(app: App): void {
  underWayOf(app).stopping.abort();
}

/**
 * Sends due messages, a few in parallel, each alone. A claim commits attempt and lease. Sending has no transaction open.
 * The record writes the outcome with all its consequences. A crash between two of these loses nothing: the lease ends and
 * the same message, with the same Message-ID, is tried again. Returns the number of tried ones, at most `limit`. Parallel
 * calls share the same lanes.
 */
export async function dispatchDue(app: App, limit = dispatchLimit): Promise<number> {
  const { lanes } = underWayOf(app);
  let tried = 0;
  const failures: unknown[] = [];
  const open = new Set<Promise<void>>();

  /** Waits for a free lane before it claims. A lane that has found a message opens the next one. */
  const openLane = (): void => {
    const lane = lanes(async () => {
      if (tried === limit || failures.length > 0) return;
      const claimed = await claimNext(app);
      if (!claimed) return;
      tried += 1;
      openLane();
      await send(app, claimed);
    })
      .catch((error: unknown) => void failures.push(error))
      .finally(() => open.delete(lane));
    open.add(lane);
  };

  // Again, because the end of a message can queue another one.
  for (let before = -1; tried > before && failures.length === 0; ) {
    before = tried;
    openLane();
    while (open.size > 0) await Promise.all(open);
  }
  if (failures.length > 0) throw failures[0];
  // Each of them can have queued a correction, which the next round sends.
  return tried + (await recordLost(app));
}

function claimNext(app: App): Promise<NotificationRow | null> {
  return askAgain(app, async () => underWayOf(app).claims.take(await app.clock.now()));
}

/** Sends a claimed message. If its outcome can't be recorded, no worker claims it before every retry has failed. */
async function send(app: App, claimed: NotificationRow): Promise<void> {
  const { claims, stopping } = underWayOf(app);
  const { id, acceptedAt, providerId } = claimed;
  const retries = { untilMs: claims.untilMs(id), stopping: stopping.signal };
  try {
    const answer = acceptedAt
      ? ({ outcome: 'accepted', providerId } as const)
      : await attemptMessage(app, claimed, (ask) => askAgain(app, ask));
    claims.handedOver(id);
    const at = acceptedAt ?? (await retryUntil(() => app.clock.now(), retries));
    await retryUntil(() => recordOutcome(app, claimed, { ...answer, at }), retries);
  } finally {
    claims.end(id);
  }
}

/**
 * Records messages that were withdrawn while being sent by a worker that has ended since: they may have arrived.
 * Returns their number.
 */
async function recordLost(app: App): Promise<number> {
  const at = await app.clock.now();
  const found = await listLostDepartures(app.db, { before: new Date(at.getTime() - leaseMs), limit: lostMax });
  const lost = found.filter(({ id }) => !underWayOf(app).claims.has(id));
  const tried = { outcome: 'temporary', replyCode: null, mayHaveArrived: true, at } as const;
  for (const claimed of lost) await recordOutcome(app, claimed, tried);
  return lost.length;
}

/** Retries a question to the database for a while. */
function askAgain<Result>(app: App, ask: () => Promise<Result>): Promise<Result> {
  return retryUntil(ask, {
    untilMs: performance.now() + askAgainMs,
    stopping: underWayOf(app).stopping.signal,
  });
}
