import pLimit from 'p-limit';
import type { App } from '#server/app.ts';
import { releaseClaims } from './attempts.repository.ts';
import { claimDue } from './claims.repository.ts';
import { sweepFrozenMail } from './frozen-mail.ts';
import type { NotificationRow } from './notifications.repository.ts';

/**
 * Lease of a claim. After it a message that is being sent counts as lost with its worker. Longer than any driver may
 * need.
 */
export const leaseMs = 5 * 60_000;

/**
 * Number of pushes and calls of the webhook that are sent in parallel. A host that never answers holds its lane for ten
 * seconds, and anyone may name such hosts. Mails keep the other lanes.
 */
const companionLanesMax = 2;

/** Messages that this process has claimed. Times are of `performance.now()`, so a moved clock loses none. */
export type Claims = {
  /** Claims the due message that has waited longest. Null if none is due. Calls run one after the other. */
  take(now: Date): Promise<NotificationRow | null>;
  /** The mail server has the message, or will not get it now, so its room is free. */
  handedOver(id: string): void;
  /** Ends a claim: its outcome is recorded, or can't be. */
  end(id: string): void;
  has(id: string): boolean;
  /** End of the lease. 0 if the claim is not ours. */
  untilMs(id: string): number;
};

export function createClaims(app: App): Claims {
  const { db, mailer } = app;
  const underWay = new Map<string, number>();
  /** Mails that were taken and that the mail server has not been given yet: they need room there, too. */
  const unsent = new Set<string>();
  const companions = new Set<string>();
  /**
   * Lease ends of claims whose answer was lost, for example with a silent connection, and the time until which they are
   * searched for. Their messages are claimed without a worker.
   */
  const unanswered = new Map<string, number>();
  const turns = countTurns();

  const releaseUnanswered = async (now: Date, nowMs: number): Promise<void> => {
    for (const [lease, untilMs] of unanswered) if (untilMs < nowMs) unanswered.delete(lease);
    const leases = [...unanswered.keys()];
    if (leases.length > 0) await releaseClaims(db, { leases, at: now, except: [...underWay.keys()] });
  };

  const take = async (now: Date): Promise<NotificationRow | null> => {
    const nowMs = performance.now();
    await releaseUnanswered(now, nowMs);
    await sweepFrozenMail(app, now);
    const leaseUntil = new Date(now.getTime() + leaseMs);
    const lease = leaseUntil.toISOString();
    const isPaced = mailer.isPaced?.() ?? false;
    const hasMailRoom = (mailer.room?.() ?? Number.POSITIVE_INFINITY) > unsent.size;
    const served = isPaced ? turns.lately(nowMs) : null;
    unanswered.set(lease, nowMs + leaseMs);
    const hasCompanionRoom = companions.size < companionLanesMax;
    const room = { hasMailRoom, hasCompanionRoom };
    const row = await claimDue(db, { now, leaseUntil, except: [...underWay.keys()], served, ...room });
    unanswered.delete(lease);
    if (!row) return null;
    underWay.set(row.id, nowMs + leaseMs);
    if (isPaced && row.policy !== 'owner-reminder') turns.had(row.userId, nowMs);
    if (row.channel === 'email') unsent.add(row.id);
    else if (row.channel !== 'sms') companions.add(row.id);
    return row;
  };
  const oneByOne = pLimit(1);

  return {
    take: (now) => oneByOne(() => take(now)),
    handedOver: (id) => void unsent.delete(id),
    end(id) {
      unsent.delete(id);
      companions.delete(id);
      underWay.delete(id);
    },
    has: (id) => underWay.has(id),
    untilMs: (id) => underWay.get(id) ?? 0,
  };
}

/** Longer than a burst of one owner's letters, at a few per second. */
const turnsKeptMs = 10 * 60_000;

/** Recent number of claims per owner. All messages without an owner count as one more owner. */
function countTurns() {
  const taken: { userId: string | null; atMs: number }[] = [];
  return {
    had: (userId: string | null, atMs: number) => void taken.push({ userId, atMs }),
    lately(nowMs: number): ReadonlyMap<string | null, number> {
      while (taken[0] && taken[0].atMs < nowMs - turnsKeptMs) taken.shift();
      const counts = new Map<string | null, number>();
      for (const { userId } of taken) counts.set(userId, (counts.get(userId) ?? 0) + 1);
      return counts;
    },
  };
}
