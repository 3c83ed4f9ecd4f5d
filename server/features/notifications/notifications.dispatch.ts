import pLimit from 'p-limit';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import type { ReturnPaths } from '#server/platform/mail/return-paths.ts';
import type { Texter } from '#server/platform/sms/texter.ts';
import { listLostDepartures } from './attempts.repository.ts';
import { batched } from './batches.ts';
import { type Answer, createAttempts, type DepartureWriter } from './notifications.attempt.ts';
import { createClaims, leaseMs } from './notifications.claims.ts';
import { createRecorder, type RecorderOptions } from './notifications.record.ts';
import { createRecordRetry } from './notifications.record-retry.ts';
import type { NotificationRow } from './notifications.repository.ts';

/**
 * How many messages are handed over at once by this process, however many calls there are: as many as there are
 * connections to the mail server, so that none waits for one once it is claimed.
 */
const lanesAtOnce = 6;
/**
 * How many may have been handed over and not be recorded yet. With those that are just being handed over, this is what a
 * process that is killed sends twice, at most: the same mails, with the same Message-ID and the same links.
 */
const unrecordedMax = 15;
/** How many of those whose worker is gone are recorded in one go. */
const lostAtOnce = 100;
/** For so long the database is asked again for the next message, and whether one may leave, before that counts as a failure. */
const askAgainMs = 10_000;

export type DispatcherOptions = RecorderOptions & {
  /** Kinds that stay while what they are about is frozen. More may be named later. */
  held: readonly string[];
  clock: Clock;
  serviceKeys: ServiceKeys;
  mailer: Mailer;
  texter: Texter;
  /** Where mails go that come back. */
  returnPaths?: Pick<ReturnPaths, 'of'> | undefined;
  /** Who writes mails of a kind as they leave. More may be named later. */
  departureWriters: ReadonlyMap<string, DepartureWriter>;
};

/** A lane that has come free: it is told what time it is, and given the next message if it wants one. */
type FreeLane = { wantsNext: boolean; tell: (at: Date) => void; give: (row: NotificationRow | null) => void };

/** What a mail server has said to a message, and when that is once it is known. */
type HandedOver = { claimed: NotificationRow; answer: Answer; at: Promise<Date> };

/**
 * Sends what is due, a few at once, each on its own: claim (attempt and lease, committed), send at once (no transaction
 * open), record the outcome with all that follows from it. A crash between any two of these loses nothing: the
 * lease ends and the same message, with the same Message-ID, is tried again.
 *
 * A lane takes its next message while what became of the last is still being written. Whatever comes while claims or
 * outcomes are being written is written together afterwards, and nothing waits for company.
 *
 * A call that comes while others send claims nothing before a lane is free for it. When it ends, whatever was due as it
 * began was tried, by whichever call, or its limit was reached.
 */
export function createDispatcher(options: DispatcherOptions) {
  const { db, clock, held, serviceKeys, mailer, texter, returnPaths, departureWriters, log } = options;
  const record = createRecorder(options);
  const stopping = new AbortController();
  const insist = createRecordRetry(stopping.signal);
  const attempt = createAttempts({
    db,
    clock,
    held,
    departureWriters,
    serviceKeys,
    mailer,
    texter,
    returnPaths,
    insist: (ask) => insist(ask, performance.now() + askAgainMs),
    onFailure: ({ id, kind }, failure) =>
      log.error({ notification: id, kind, failure }, 'A message could not be handed over.'),
  });
  const claims = createClaims({ db, held, mailer });
  const lanes = pLimit(lanesAtOnce);
  const unrecorded = new Set<Promise<void>>();
  const handOvers = createHandOvers((claimed) => attempt(claimed).finally(() => claims.handedOver(claimed.id)));

  const serveFree = async (free: readonly FreeLane[]): Promise<void> => {
    const now = await clock.now();
    for (const { tell } of free) tell(now);
    const wanting = free.filter(({ wantsNext }) => wantsNext);
    if (wanting.length === 0) return;
    const rows = await claims.take({ now, wanting: wanting.length });
    for (const [index, { give }] of wanting.entries()) give(rows[index] ?? null);
  };
  const serve = batched((free: readonly FreeLane[]) => insist(() => serveFree(free), performance.now() + askAgainMs));

  /** The time, which is known first, and the next message; null where none is due or none is wanted. */
  const comeFree = (wantsNext: boolean): { at: Promise<Date>; next: Promise<NotificationRow | null> } => {
    const at = Promise.withResolvers<Date>();
    let row: NotificationRow | null = null;
    const served = serve('', { wantsNext, tell: at.resolve, give: (given) => (row = given) });
    const next = served.then(() => row);
    // Whoever waits for either hears of a failure; what nobody waits for any more is no failure of the process.
    next.catch(at.reject);
    at.promise.catch(() => undefined);
    return { at: at.promise, next };
  };

  /** What was taken back while a worker was handing it over that has ended since: it may have arrived. */
  const recordLost = async (): Promise<void> => {
    const at = await clock.now();
    const lost = await listLostDepartures(db, { before: new Date(at.getTime() - leaseMs), limit: lostAtOnce });
    const tried = { outcome: 'temporary', replyCode: null, mayHaveArrived: true, at } as const;
    for (const claimed of lost) if (!claims.has(claimed.id)) await record({ claimed, tried });
  };

  /** It has been handed over: where that cannot be written, nobody may take it again before it was tried all the while. */
  const keep = ({ claimed, answer, at }: HandedOver, onFailure: (error: unknown) => void): Promise<void> => {
    const { id, acceptedAt } = claimed;
    const untilMs = claims.untilMs(id);
    const recording = at
      .catch(() => insist(() => clock.now(), untilMs))
      .then((now) => ({ claimed, tried: { ...answer, at: acceptedAt ?? now } }))
      .then((one) => insist(() => record(one), untilMs))
      .catch(onFailure)
      .finally(() => {
        claims.end(id);
        unrecorded.delete(recording);
      });
    unrecorded.add(recording);
    return recording;
  };

  const dispatch = async (limit: number): Promise<number> => {
    let left = limit;
    let tried = 0;
    const laterOnesEnded = handOvers.later();
    const recordings = new Set<Promise<void>>();
    const failures: unknown[] = [];

    const wantsNext = (): boolean => left > 0 && left-- > 0;
    const giveUp = (error: unknown): void => {
      failures.push(error);
      left = 0;
    };

    /** Sends a message, and takes the next one as soon as there is room for another that is not recorded. */
    const send = async (claimed: NotificationRow): Promise<NotificationRow | null> => {
      tried += 1;
      const { acceptedAt, providerId } = claimed;
      const answer = acceptedAt ? ({ outcome: 'accepted', providerId } as const) : await handOvers.handOver(claimed);
      const hasRoom = unrecorded.size < unrecordedMax;
      const { at, next } = comeFree(hasRoom && wantsNext());
      const recording = keep({ claimed, answer, at }, giveUp);
      recordings.add(recording);
      void recording.then(() => recordings.delete(recording));
      if (hasRoom) return next;
      while (unrecorded.size >= unrecordedMax) await Promise.race(unrecorded);
      return comeFree(wantsNext()).next;
    };

    const sendFrom = async (first: NotificationRow | null): Promise<void> => {
      try {
        for (let claimed = first ?? (await comeFree(wantsNext()).next); claimed; claimed = await send(claimed));
      } catch (error) {
        failures.push(error);
      }
    };

    /** Mostly nothing is due, and one look is enough to know. */
    const sendAll = async (): Promise<boolean> => {
      const others: Promise<void>[] = [];
      const hasFound = await lanes(async () => {
        const first = await comeFree(wantsNext()).next;
        if (!first) return false;
        // Not waited for in here: they may need this very lane.
        const count = Math.min(lanesAtOnce, limit) - 1;
        others.push(...Array.from({ length: count }, () => lanes(() => sendFrom(null))));
        await sendFrom(first);
        return true;
      });
      await Promise.all(others);
      await Promise.all(recordings);
      return hasFound && failures.length === 0;
    };

    // Again, for what follows from the ends of messages may be a message.
    while (await sendAll());
    // What was due as this call began may be in the hands of another one.
    await laterOnesEnded();
    if (failures.length > 0) throw failures[0];
    await recordLost();
    return tried;
  };
  /** From then on nothing that could not be written is waited for. */
  return { dispatch, stopRetrying: () => stopping.abort() };
}

/** Knows what is in the hands of a mail server, by whichever call, so that a call can wait for what another has taken. */
function createHandOvers(attempt: (claimed: NotificationRow) => Promise<Answer>) {
  const underWay = new Map<Promise<Answer>, number>();
  let count = 0;
  return {
    async handOver(claimed: NotificationRow): Promise<Answer> {
      const answer = attempt(claimed);
      count += 1;
      underWay.set(answer, count);
      return answer.finally(() => underWay.delete(answer));
    },
    /** Gives a wait for the end of whatever is handed over from now on, as far as it is under way then. */
    later(): () => Promise<unknown> {
      const before = count;
      return () => Promise.allSettled([...underWay].flatMap(([answer, number]) => (number > before ? [answer] : [])));
    },
  };
}
