import { createHash } from 'node:crypto';
import { lt, lte, sql } from 'drizzle-orm';
import type { Database } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import { bytesPerMegabyte, type PlanName, plans } from '#shared/rules/plans.ts';
import { writtenBytesPerDay } from './limits/written-bytes.ts';
import { rateLimits } from './limits.tables.ts';
import { addressBucket, networkBucket, retryAfterSeconds } from './rate-limits.rules.ts';

/** Number of calls that fit into a window. */
export type Budget = { limit: number; windowMs: number };

export type RateLimits = {
  /** Counts one call by this client under `name`. @throws AppError `RATE_LIMITED` when its budget is spent. */
  spendOfAddress(name: string, address: string, budget: Budget): Promise<void>;
  /** Spends for the whole network of the address. @throws AppError `RATE_LIMITED`. */
  spendOfNetwork(name: string, address: string, budget: Budget): Promise<void>;
  /** Counts one use of anything else that has a name, such as a mail address. @throws AppError `RATE_LIMITED`. */
  spend(name: string, budget: Budget): Promise<void>;
  /** Counts one call of any kind by this client. @throws AppError `RATE_LIMITED`. */
  spendGeneral(address: string): Promise<void>;
  /** Counts one call by which an account changes something, from wherever. @throws AppError `RATE_LIMITED`. */
  spendChange(userId: string): Promise<void>;
  /**
   * Counts bytes of text that an account writes anywhere. A refusal is not counted, so that a smaller text may still
   * fit.
   *
   * @throws AppError `RATE_LIMITED` with the time after which the account can write again.
   */
  spendWritten(account: { userId: string; plan: PlanName }, bytes: number, act?: WritingAct): Promise<void>;
};

/** Action of the account; a refusal names its next step. */
export type WritingAct = 'save' | 'restore';

/** Calls of any kind by one client in a minute. A page makes about ten; a family shares an address. */
export const generalLimitPerMinute = 1_200;
const generalWindowMs = 60_000;
/**
 * Changes by one account per day. Each leaves rows, such as log entries, for two years. Without a limit, one account
 * with many addresses could fill the disk. Manual use stays far below.
 */
export const changesLimitPerDay = 10_000;
const changesWindowMs = 86_400_000;
/** A process writes counts of calls to the database after this many, not after each: other processes see them late. */
const countStride = 25;
/**
 * Bytes are counted in strides as well: with several processes, an account can write this much more for each of them.
 */
const bytesStride = bytesPerMegabyte;
/** Clients and accounts whose counts a process keeps in mind. */
const countsMax = 10_000;
/** Windows that have ended are removed after this many counts, and so many at once. */
const pruneEvery = 500;
const pruneBatch = 1_000;

/** `inFlight`: taken from `pending`, and on the way to the database. */
type LooseCount = { windowEndsAtMs: number; shared: number; pending: number; inFlight: number };
type Loosely = { amount: number; stride: number; refusalOf: typeof refusal };

/**
 * Counters in fixed windows in the database, shared by all web processes. Keys are hashed, since they hold addresses.
 * The time is this machine's and not the product's, because the limit is in real seconds.
 */
export function createRateLimits({
  db,
  generalLimit = generalLimitPerMinute,
  nowMs = Date.now,
}: {
  db: Database;
  generalLimit?: number;
  nowMs?: () => number;
}): RateLimits {
  const loose = new Map<string, LooseCount>();
  let counted = 0;

  const add = async (key: string, amount: number, windowMs: number) => {
    const now = nowMs();
    counted += 1;
    if (counted % pruneEvery === 0) await prune(db, new Date(now));
    const { count, windowEndsAt } = await addTo(db, {
      key,
      amount,
      now: new Date(now),
      windowEndsAt: new Date(now + windowMs),
    });
    return { count, windowEndsAtMs: windowEndsAt.getTime() };
  };

  const spend = async (name: string, budget: Budget) => {
    const { count, windowEndsAtMs } = await add(hashed(name), 1, budget.windowMs);
    if (count > budget.limit) throw refusal(windowEndsAtMs, nowMs());
  };

  const countOf = (name: string, windowMs: number): LooseCount => {
    const now = nowMs();
    const known = loose.get(name);
    if (known && known.windowEndsAtMs > now) return known;
    if (loose.size >= countsMax) forget(loose, now);
    const fresh = { windowEndsAtMs: now + windowMs, shared: 0, pending: 0, inFlight: 0 };
    loose.set(name, fresh);
    return fresh;
  };

  /** For frequent counts: mostly in this process, so that most calls need no statement. */
  const spendLoosely = async (
    name: string,
    { limit, windowMs }: Budget,
    { amount, stride, refusalOf }: Loosely = { amount: 1, stride: countStride, refusalOf: refusal },
  ) => {
    const count = countOf(name, windowMs);
    if (count.shared + count.inFlight + count.pending + amount > limit) throw refusalOf(count.windowEndsAtMs, nowMs());
    count.pending += amount;
    if (count.pending < stride) return;

    const written = count.pending;
    // Moved before waiting, so that calls which come in between do not write the same amount again.
    count.pending = 0;
    count.inFlight += written;
    try {
      const known = await add(hashed(name), written, windowMs);
      // Answers may come in another order than the database counted in: within a window the largest is the newest.
      const isSameWindow = known.windowEndsAtMs === count.windowEndsAtMs;
      count.shared = isSameWindow ? Math.max(count.shared, known.count) : known.count;
      count.windowEndsAtMs = known.windowEndsAtMs;
    } finally {
      count.inFlight -= written;
    }
  };

  return {
    spend,
    spendOfAddress: (name, address, budget) => spend(`${name} ${addressBucket(address)}`, budget),
    spendOfNetwork: (name, address, budget) => spend(`${name} ${networkBucket(address)}`, budget),
    spendGeneral: (address) =>
      spendLoosely(`general ${addressBucket(address)}`, { limit: generalLimit, windowMs: generalWindowMs }),
    spendChange: (userId) =>
      spendLoosely(`changes of ${userId}`, { limit: changesLimitPerDay, windowMs: changesWindowMs }),
    spendWritten: ({ userId, plan }, bytes, act = 'save') =>
      spendLoosely(
        `bytes of ${userId}`,
        { limit: writtenBytesPerDay[plan], windowMs: changesWindowMs },
        {
          amount: bytes,
          stride: bytesStride,
          refusalOf: (endsAtMs, now) => tooMuchText(plan, act, retryAfterSeconds(endsAtMs, now)),
        },
      ),
  };
}

/** Adds to a counter; one whose window has ended starts again. */
async function addTo(
  db: Database,
  { key, amount, now, windowEndsAt }: { key: string; amount: number; now: Date; windowEndsAt: Date },
): Promise<{ count: number; windowEndsAt: Date }> {
  const hasEnded = lte(rateLimits.windowEndsAt, now);
  const [row] = await db
    .insert(rateLimits)
    .values({ key, count: amount, windowEndsAt })
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        // Kept below the column's limit, however often it is counted.
        count: sql`case when ${hasEnded} then ${amount}::int else least(${rateLimits.count}, 1000000000) + ${amount}::int end`,
        windowEndsAt: sql`case when ${hasEnded} then excluded.window_ends_at else ${rateLimits.windowEndsAt} end`,
      },
    })
    .returning({ count: rateLimits.count, windowEndsAt: rateLimits.windowEndsAt });
  if (!row) throw new Error('A counter was written and not given back.');
  return row;
}

async function prune(db: Database, now: Date): Promise<void> {
  const ended = db
    .select({ key: rateLimits.key })
    .from(rateLimits)
    .where(lt(rateLimits.windowEndsAt, now))
    .limit(pruneBatch)
    .for('update', { skipLocked: true });
  await db.delete(rateLimits).where(sql`${rateLimits.key} in ${ended}`);
}

/** Makes room: counts of windows that have ended go, or else the oldest tenth. */
function forget(counts: Map<string, LooseCount>, nowMs: number): void {
  for (const [bucket, { windowEndsAtMs }] of counts) {
    if (windowEndsAtMs <= nowMs) counts.delete(bucket);
  }
  const surplus = counts.size - Math.floor(countsMax * 0.9);
  for (const bucket of [...counts.keys()].slice(0, Math.max(0, surplus))) counts.delete(bucket);
}

function refusal(windowEndsAtMs: number, nowMs: number): AppError {
  return new AppError('RATE_LIMITED', 'That was a lot of tries in a short time. Wait a little, then try again.', {
    retryAfterSeconds: retryAfterSeconds(windowEndsAtMs, nowMs),
  });
}

const waysOn: Record<WritingAct, string> = {
  save: 'Nothing you typed is lost: leave this page open, and save again',
  restore: 'It stays under Recently deleted: restore it',
};

function tooMuchText(plan: PlanName, act: WritingAct, seconds: number): AppError {
  const most = `${writtenBytesPerDay[plan] / bytesPerMegabyte} MB`;
  const message = `Today you have saved as much text as the ${plans[plan].title} plan takes in a day (${most}). ${waysOn[act]} in ${waitWords(seconds)}.`;
  return new AppError('RATE_LIMITED', message, { retryAfterSeconds: seconds });
}

function waitWords(seconds: number): string {
  const [count, unit] = seconds > 3_600 ? [Math.ceil(seconds / 3_600), 'hour'] : [Math.ceil(seconds / 60), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function hashed(name: string): string {
  return createHash('sha256').update(name).digest('base64url');
}
