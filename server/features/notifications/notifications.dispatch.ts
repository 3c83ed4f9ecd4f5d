import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import type { Texter, TextResult } from '#server/platform/sms/texter.ts';
import { unsealPayload } from './notifications.payload.ts';
import { isRefusalVouchedFor } from './notifications.refusals.service.ts';
import {
  claimDue,
  endNotification,
  keepAcceptance,
  lockNotification,
  lockUser,
  type NotificationRow,
  postponeNotification,
  updateText,
} from './notifications.repository.ts';
import { type NextStep, stepAfterAttempt } from './notifications.retry.rules.ts';
import { isPhoneStopped } from './text-book.repository.ts';
import { phoneKeyOf } from './text-book.service.ts';

/** Twilio's own number for "its holder wants no texts"; here it is we who know. */
const stoppedByHolder = { outcome: 'refused', replyCode: 21610 } as const;

/** How many messages are under way at once in this process. */
const sendConcurrency = 5;
/** After so long a message under way is taken for lost with its worker. Longer than any driver may take. */
const leaseMs = 5 * 60_000;
/** When the consequences of an acceptance could not be written, they are tried again after so long. */
const settleAgainMs = 60_000;

/** Tells mail systems not to answer with "I am on holiday" (RFC 3834, section 5, and Exchange's own). */
const mailHeaders = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

export type Log = {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
};

export type Ended = { row: NotificationRow; outcome: 'accepted' | 'bounced' | 'dead'; at: Date };

export type DispatcherOptions = {
  db: Database;
  clock: Clock;
  serviceKeys: ServiceKeys;
  mailer: Mailer;
  texter: Texter;
  log: Log;
  /** True when `settle` will write rows of the owner, whose row is then locked first. */
  hasHandler: (kind: string) => boolean;
  /** What follows from an end, in the transaction that records it. */
  settle: (tx: Executor, ended: Ended) => Promise<void>;
  /** Has a mail find out whether mail as a whole gets through, in the same transaction. */
  checkMail: (tx: Executor, at: Date) => Promise<void>;
};

type Attempt =
  | { outcome: 'accepted'; at: Date; providerId: string | null }
  | { outcome: 'temporary' | 'refused'; at: Date; replyCode: number | null };

/** What an attempt counts as, and the refusal that does not count yet. */
type Weighed = { outcome: Attempt['outcome']; refusedAt: Date | null };

/**
 * Sends what is due, a few at once, each on its own: claim (attempt and lease, committed), send (no transaction
 * open), record the outcome with all that follows from it. A crash between any two of these loses nothing: the
 * lease ends and the same message, with the same Message-ID, is tried again.
 */
export function createDispatcher({ db, clock, ...options }: DispatcherOptions): (limit: number) => Promise<number> {
  const { serviceKeys, mailer, texter, log, hasHandler, settle, checkMail } = options;
  /** A moved clock must not make this process take its own running message for a lost one. */
  const underWay = new Set<string>();

  const deliver = async (row: NotificationRow): Promise<TextResult> => {
    if (!row.payload) throw new Error('A message without content cannot be sent.');
    const payload = unsealPayload(serviceKeys, row.id, row.payload);
    if (payload.channel === 'sms') {
      // Asked at the last moment, so that a STOP holds for what was written before it.
      if (await isPhoneStopped(db, phoneKeyOf(serviceKeys, payload.phone))) return stoppedByHolder;
      return texter.send({ to: payload.phone, text: payload.text });
    }

    const { to, subject, html, text, headers } = payload;
    const recipient = to.name === undefined ? { address: to.address } : { address: to.address, name: to.name };
    const mail = {
      to: recipient,
      subject,
      html,
      text,
      messageId: row.messageId,
      headers: { ...headers, ...mailHeaders },
    };
    const result = await mailer.send(mail);
    return result.outcome === 'accepted' ? { ...result, providerId: null } : result;
  };

  const attempt = async (row: NotificationRow): Promise<Attempt> => {
    if (row.acceptedAt) return { outcome: 'accepted', at: row.acceptedAt, providerId: row.providerId };
    try {
      const result = await deliver(row);
      const at = await clock.now();
      return { ...result, at };
    } catch (error) {
      // Its words may quote an address, so the log has the kind of failure only.
      log.error(
        { notification: row.id, kind: row.kind, failure: nameOf(error) },
        'A message could not be handed over.',
      );
      return { outcome: 'temporary', at: await clock.now(), replyCode: null };
    }
  };

  /** A refusal that nothing vouches for counts for nothing yet; see notifications.refusals.service.ts. */
  const weigh = async (tx: Executor, row: NotificationRow, tried: Attempt): Promise<Weighed> => {
    if (tried.outcome !== 'refused') return { outcome: tried.outcome, refusedAt: row.refusedAt };
    if (await isRefusalVouchedFor(tx, row, tried)) return { outcome: 'refused', refusedAt: null };
    await checkMail(tx, tried.at);
    return { outcome: 'temporary', refusedAt: tried.at };
  };

  const record = (claimed: NotificationRow, tried: Attempt): Promise<void> =>
    db.transaction(async (tx) => {
      if (claimed.userId && hasHandler(claimed.kind)) await lockUser(tx, claimed.userId);
      const row = await lockNotification(tx, claimed.id);
      if (!row || !mayRecord(row, claimed, tried)) return;

      const { outcome, refusedAt } = await weigh(tx, row, tried);
      const step = nextStep(row, { outcome, at: tried.at });
      const refusals = row.refusals + (outcome === 'refused' ? 1 : 0);
      const replyCode = tried.outcome === 'accepted' ? null : tried.replyCode;
      if (step.status === 'pending') {
        const nextAttemptAt = new Date(step.nextAttemptMs);
        await postponeNotification(tx, row.id, { nextAttemptAt, replyCode, refusals, refusedAt });
        return;
      }

      const providerId = tried.outcome === 'accepted' ? tried.providerId : null;
      await endNotification(tx, row.id, { status: step.status, at: tried.at, replyCode, providerId, refusals });
      if (row.channel === 'sms') await markText(tx, row.id, step.status, tried.at);
      await settle(tx, { row, outcome: step.status, at: tried.at });
    });

  const sendOne = async (row: NotificationRow): Promise<void> => {
    const tried = await attempt(row);
    try {
      await record(row, tried);
    } catch (error) {
      log.error({ notification: row.id, kind: row.kind, err: error }, 'What follows from a message was not recorded.');
      if (tried.outcome !== 'accepted') return;
      const settleAt = new Date(tried.at.getTime() + settleAgainMs);
      await keepAcceptance(db, row.id, { at: tried.at, providerId: tried.providerId, settleAt });
    }
  };

  const claim = async (): Promise<NotificationRow | null> => {
    const now = await clock.now();
    return claimDue(db, { now, leaseUntil: new Date(now.getTime() + leaseMs), except: [...underWay] });
  };

  return async (limit) => {
    let left = limit;
    let tried = 0;

    const lane = async (first: NotificationRow | null): Promise<void> => {
      for (let row = first ?? (await next()); row; row = await next()) {
        tried += 1;
        try {
          await sendOne(row);
        } finally {
          underWay.delete(row.id);
        }
      }
    };

    const next = async (): Promise<NotificationRow | null> => {
      if (left <= 0) return null;
      left -= 1;
      const row = await claim();
      if (row) underWay.add(row.id);
      return row;
    };

    // Mostly nothing is due, and one look is enough to know.
    const first = await next();
    if (!first) return 0;
    const lanes = await Promise.allSettled(
      Array.from({ length: Math.min(sendConcurrency, limit) }, (_, index) => lane(index === 0 ? first : null)),
    );
    const broken = lanes.find((result) => result.status === 'rejected');
    if (broken) throw broken.reason;
    return tried;
  };
}

/**
 * An acceptance is recorded whoever else has taken the message meanwhile, and also when it was cancelled while it
 * was under way: it has left. Everything else counts only for the attempt that the row still tells of.
 */
function mayRecord(row: NotificationRow, claimed: NotificationRow, tried: Attempt): boolean {
  if (tried.outcome === 'accepted') return ['pending', 'sending', 'cancelled'].includes(row.status);
  return row.status === 'sending' && row.attempts === claimed.attempts;
}

function nextStep(row: NotificationRow, tried: Pick<Weighed, 'outcome'> & { at: Date }): NextStep {
  // Only a mailbox is asked three times: a number is wrong, or its holder wants no texts.
  if (row.channel === 'sms' && tried.outcome === 'refused') return { status: 'bounced' };
  return stepAfterAttempt({
    policy: row.policy,
    outcome: tried.outcome,
    attempts: row.attempts,
    refusals: row.refusals + 1,
    firstDueMs: row.notBefore.getTime(),
    nowMs: tried.at.getTime(),
  });
}

async function markText(tx: Executor, id: string, status: 'accepted' | 'bounced' | 'dead', at: Date): Promise<void> {
  await updateText(tx, id, status === 'accepted' ? { status: 'sent', sentAt: at } : { status: 'failed' });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : 'unknown';
}
