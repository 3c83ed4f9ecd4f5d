import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import type { Texter, TextResult } from '#server/platform/sms/texter.ts';
import { unsealPayload } from './notifications.payload.ts';
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
};

type Attempt =
  | { outcome: 'accepted'; at: Date; providerId: string | null }
  | { outcome: 'temporary' | 'refused'; at: Date; replyCode: number | null };

/**
 * Sends what is due, a few at once, each on its own: claim (attempt and lease, committed), send (no transaction
 * open), record the outcome with all that follows from it. A crash between any two of these loses nothing: the
 * lease ends and the same message, with the same Message-ID, is tried again.
 */
export function createDispatcher({ db, clock, ...options }: DispatcherOptions): (limit: number) => Promise<number> {
  const { serviceKeys, mailer, texter, log, hasHandler, settle } = options;
  /** A moved clock must not make this process take its own running message for a lost one. */
  const underWay = new Set<string>();

  const deliver = async (row: NotificationRow): Promise<TextResult> => {
    if (!row.payload) throw new Error('A message without content cannot be sent.');
    const payload = unsealPayload(serviceKeys, row.id, row.payload);
    if (payload.channel === 'sms') return texter.send({ to: payload.phone, text: payload.text });

    const { to, subject, html, text } = payload;
    const recipient = to.name === undefined ? { address: to.address } : { address: to.address, name: to.name };
    const mail = { to: recipient, subject, html, text, messageId: row.messageId, headers: mailHeaders };
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

  const record = (claimed: NotificationRow, tried: Attempt): Promise<void> =>
    db.transaction(async (tx) => {
      if (claimed.userId && hasHandler(claimed.kind)) await lockUser(tx, claimed.userId);
      const row = await lockNotification(tx, claimed.id);
      if (!row || !mayRecord(row, claimed, tried)) return;

      const step = nextStep(row, tried);
      const refusals = row.refusals + (tried.outcome === 'refused' ? 1 : 0);
      const replyCode = tried.outcome === 'accepted' ? null : tried.replyCode;
      if (step.status === 'pending') {
        await postponeNotification(tx, row.id, { nextAttemptAt: new Date(step.nextAttemptMs), replyCode, refusals });
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

    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const row = await claim();
        if (!row) return;

        underWay.add(row.id);
        tried += 1;
        try {
          await sendOne(row);
        } finally {
          underWay.delete(row.id);
        }
      }
    };

    const lanes = await Promise.allSettled(Array.from({ length: Math.min(sendConcurrency, limit) }, lane));
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

function nextStep(row: NotificationRow, tried: Attempt): NextStep {
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
