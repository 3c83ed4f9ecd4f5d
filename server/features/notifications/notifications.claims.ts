import type { Database } from '#server/platform/db/database.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import { releaseClaims } from './attempts.repository.ts';
import { claimDue } from './claims.repository.ts';
import { createHoldSweep } from './held-notifications.service.ts';
import type { NotificationRow } from './notifications.repository.ts';

/** After so long a message under way is taken for lost with its worker. Longer than any driver may take. */
export const leaseMs = 5 * 60_000;

export type ClaimsOptions = {
  db: Database;
  /** Kinds that stay while what they are about is frozen. More may be named later. */
  held: readonly string[];
  mailer: Pick<Mailer, 'room' | 'isPaced'>;
};

/** What this process has taken to hand over. Times are of `performance.now()`: a moved clock makes nothing of it lost. */
export type Claims = {
  /** Takes up to `wanting` of what is due, one call after the other. */
  take(at: { now: Date; wanting: number }): Promise<NotificationRow[]>;
  /** Its mail server has it, or will not get it now: what needed room there needs none any more. */
  handedOver(id: string): void;
  /** What became of it is written, or can't be. */
  end(id: string): void;
  has(id: string): boolean;
  /** Until when nobody else takes it; 0 where it is not ours. */
  untilMs(id: string): number;
};

export function createClaims({ db, held, mailer }: ClaimsOptions): Claims {
  const sweepHolds = createHoldSweep({ db, held });
  const underWay = new Map<string, number>();
  /** Mails that were taken and that the mail server has not been given yet: they need room there, too. */
  const unsent = new Set<string>();
  /**
   * The ends of the leases of claims whose answer never came, as when their connection went silent, and until when they are
   * looked for. Their messages were taken, and nobody knows of it.
   */
  const unanswered = new Map<string, number>();
  const turns = countTurns();

  const releaseUnanswered = async (now: Date, nowMs: number): Promise<void> => {
    for (const [lease, untilMs] of unanswered) if (untilMs < nowMs) unanswered.delete(lease);
    const leases = [...unanswered.keys()];
    if (leases.length > 0) await releaseClaims(db, { leases, at: now, except: [...underWay.keys()] });
  };

  return {
    async take({ now, wanting }) {
      const nowMs = performance.now();
      await releaseUnanswered(now, nowMs);
      await sweepHolds(now);
      const leaseUntil = new Date(now.getTime() + leaseMs);
      const lease = leaseUntil.toISOString();
      const { isPaced, ...room } = roomOf(mailer, { unsent: unsent.size, wanting });
      const served = isPaced ? turns.lately(nowMs) : null;
      unanswered.set(lease, nowMs + leaseMs);
      const rows = await claimDue(db, { now, leaseUntil, except: [...underWay.keys()], held, served, ...room });
      unanswered.delete(lease);
      for (const { id, channel, userId, policy } of rows) {
        underWay.set(id, nowMs + leaseMs);
        if (isPaced && policy !== 'owner-reminder') turns.had(userId, nowMs);
        if (channel === 'email') unsent.add(id);
      }
      return rows;
    },
    handedOver: (id) => void unsent.delete(id),
    end: (id) => void underWay.delete(id),
    has: (id) => underWay.has(id),
    untilMs: (id) => underWay.get(id) ?? 0,
  };
}

/** Longer than a burst of one owner's letters takes, where each second has room for a few. */
const turnsKeptMs = 10 * 60_000;

/** How many each owner has had lately; all that belong to nobody are one more owner's. */
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

/** How many may be taken; where the mail server takes no more, texts alone. */
function roomOf(
  { room, isPaced }: Pick<Mailer, 'room' | 'isPaced'>,
  { unsent, wanting }: { unsent: number; wanting: number },
) {
  const free = (room?.() ?? Number.POSITIVE_INFINITY) - unsent;
  return { hasMailRoom: free > 0, isPaced: isPaced?.() ?? false, limit: free > 0 ? Math.min(free, wanting) : wanting };
}
