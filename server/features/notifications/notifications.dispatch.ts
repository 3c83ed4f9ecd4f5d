import pLimit from 'p-limit';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import type { ReturnPaths } from '#server/platform/mail/return-paths.ts';
import type { Texter } from '#server/platform/sms/texter.ts';
import { listLostDepartures } from './attempts.repository.ts';
import { createAttempts, type DepartureWriter } from './notifications.attempt.ts';
import { createClaims, leaseMs } from './notifications.claims.ts';
import { createRecorder, type RecorderOptions } from './notifications.record.ts';
import { createRecordRetry } from './notifications.record-retry.ts';
import type { NotificationRow } from './notifications.repository.ts';

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

export type DispatcherOptions = RecorderOptions & {
  /** Kinds that a freeze stops. Features add theirs later. */
  held: readonly string[];
  clock: Clock;
  serviceKeys: ServiceKeys;
  mailer: Mailer;
  texter: Texter;
  /** Return paths for bounced mails. */
  returnPaths?: Pick<ReturnPaths, 'of'> | undefined;
  /** Writers of mails at departure, by kind. Features add theirs later. */
  departureWriters: ReadonlyMap<string, DepartureWriter>;
};

/**
 * Sends due messages, a few in parallel, each alone: claim (attempt and lease, committed), send with no transaction
 * open, and record the outcome with all its consequences. A crash between two of these loses nothing. The lease ends and
 * the same message, with the same Message-ID, is tried again.
 */
export function createDispatcher(options: DispatcherOptions) {
  const { db, clock, held, serviceKeys, mailer, texter, returnPaths, departureWriters, log } = options;
  const record = createRecorder(options);
  const stopping = new AbortController();
  const retryUntil = createRecordRetry(stopping.signal);
  const askAgain = <Result>(ask: () => Promise<Result>) => retryUntil(ask, performance.now() + askAgainMs);
  const onFailure = ({ id, kind }: NotificationRow, failure: string) =>
    log.error({ notification: id, kind, failure }, 'A message could not be handed over.');
  const ways = { db, clock, held, departureWriters, serviceKeys, mailer, texter, returnPaths };
  const attempt = createAttempts({ ...ways, retry: askAgain, onFailure });
  const claims = createClaims({ db, held, mailer });
  const lanes = pLimit(lanesMax);

  const claimNext = () => askAgain(async () => claims.take(await clock.now()));

  /** Sends a claimed message. If its outcome can't be recorded, no worker claims it before every retry has failed. */
  const send = async (claimed: NotificationRow): Promise<void> => {
    const { id, acceptedAt, providerId } = claimed;
    const untilMs = claims.untilMs(id);
    try {
      const answer = acceptedAt ? ({ outcome: 'accepted', providerId } as const) : await attempt(claimed);
      claims.handedOver(id);
      const at = acceptedAt ?? (await retryUntil(() => clock.now(), untilMs));
      await retryUntil(() => record({ claimed, tried: { ...answer, at } }), untilMs);
    } finally {
      claims.end(id);
    }
  };

  /**
   * Records messages that were withdrawn while being sent by a worker that has ended since: they may have arrived.
   * Returns their number.
   */
  const recordLost = async (): Promise<number> => {
    const at = await clock.now();
    const found = await listLostDepartures(db, { before: new Date(at.getTime() - leaseMs), limit: lostMax });
    const lost = found.filter(({ id }) => !claims.has(id));
    const tried = { outcome: 'temporary', replyCode: null, mayHaveArrived: true, at } as const;
    for (const claimed of lost) await record({ claimed, tried });
    return lost.length;
  };

  const dispatch = async (limit: number): Promise<number> => {
    let tried = 0;
    const failures: unknown[] = [];
    const open = new Set<Promise<void>>();

    /** Waits for a free lane before it claims. A lane that has found a message opens the next one. */
    const openLane = (): void => {
      const lane = lanes(async () => {
        if (tried === limit || failures.length > 0) return;
        const claimed = await claimNext();
        if (!claimed) return;
        tried += 1;
        openLane();
        await send(claimed);
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
    return tried + (await recordLost());
  };
  /** From then on nothing that could not be written is waited for. */
  return { dispatch, stopRetrying: () => stopping.abort() };
}
