import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import type { Texter, TextResult } from '#server/platform/sms/texter.ts';
import {
  claimDue,
  endAccepted,
  endNotification,
  keepAcceptance,
  lockNotifications,
  lockUser,
  postponeNotification,
} from './attempts.repository.ts';
import { unsealPayload } from './notifications.payload.ts';
import { isRefusalVouchedFor } from './notifications.refusals.service.ts';
import { type NotificationRow, updateText } from './notifications.repository.ts';
import { type NextStep, stepAfterAttempt } from './notifications.retry.rules.ts';
import { shared, together } from './notifications.together.ts';
import { isPhoneStopped } from './text-book.repository.ts';
import { phoneKeyOf } from './text-book.service.ts';

/** Twilio's own number for "its holder wants no texts"; here it is we who know. */
const stoppedByHolder = { outcome: 'refused', replyCode: 21610 } as const;

/** How many messages are under way at once in this process: what one that is killed sends twice, at most. */
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
  /** What follows from the ends of messages of one owner, in the transaction that records them. */
  settle: (tx: Executor, ended: readonly Ended[]) => Promise<void>;
  /** Has a mail find out whether mail as a whole gets through, in the same transaction. */
  checkMail: (tx: Executor, at: Date) => Promise<void>;
};

type Attempt =
  | { outcome: 'accepted'; at: Date; providerId: string | null }
  | { outcome: 'temporary' | 'refused'; at: Date; replyCode: number | null };

/** What an attempt counts as, and the refusal that does not count yet. */
type Weighed = { outcome: Attempt['outcome']; refusedAt: Date | null };

type Tried = { claimed: NotificationRow; tried: Attempt };

/**
 * Sends what is due, a few at once, each on its own: claim (attempt and lease, committed), send (no transaction
 * open), record the outcome with all that follows from it. A crash between any two of these loses nothing: the
 * lease ends and the same message, with the same Message-ID, is tried again.
 *
 * Claims and outcomes that come while others are being written are written together afterwards, an owner's in one
 * transaction: the busier it is, the fewer statements a message costs, and nothing waits for company.
 */
export function createDispatcher({ db, clock, ...options }: DispatcherOptions): (limit: number) => Promise<number> {
  const { serviceKeys, mailer, texter, log, hasHandler, settle, checkMail } = options;
  const timeNow = shared(() => clock.now());
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
      const at = await timeNow();
      return { ...result, at };
    } catch (error) {
      // Its words may quote an address, so the log has the kind of failure only.
      log.error(
        { notification: row.id, kind: row.kind, failure: nameOf(error) },
        'A message could not be handed over.',
      );
      return { outcome: 'temporary', at: await timeNow(), replyCode: null };
    }
  };

  /** A refusal that nothing vouches for counts for nothing yet; see notifications.refusals.service.ts. */
  const weigh = async (tx: Executor, row: NotificationRow, tried: Attempt): Promise<Weighed> => {
    if (tried.outcome !== 'refused') return { outcome: tried.outcome, refusedAt: row.refusedAt };
    if (await isRefusalVouchedFor(tx, row, tried)) return { outcome: 'refused', refusedAt: null };
    await checkMail(tx, tried.at);
    return { outcome: 'temporary', refusedAt: tried.at };
  };

  /** Everything but an acceptance. Gives the end, if it is one. */
  const recordOther = async (tx: Executor, row: NotificationRow, tried: Attempt): Promise<Ended | null> => {
    const { outcome, refusedAt } = await weigh(tx, row, tried);
    const step = nextStep(row, { outcome, at: tried.at });
    const refusals = row.refusals + (outcome === 'refused' ? 1 : 0);
    const replyCode = tried.outcome === 'accepted' ? null : tried.replyCode;
    if (step.status === 'accepted') throw new Error('An acceptance is recorded elsewhere.');
    if (step.status === 'pending') {
      const nextAttemptAt = new Date(step.nextAttemptMs);
      await postponeNotification(tx, row.id, { nextAttemptAt, replyCode, refusals, refusedAt });
      return null;
    }
    await endNotification(tx, row.id, { status: step.status, at: tried.at, replyCode, refusals });
    return { row, outcome: step.status, at: tried.at };
  };

  const record = (all: readonly Tried[]): Promise<void> =>
    db.transaction(async (tx) => {
      const userId = all[0]?.claimed.userId;
      if (userId && all.some(({ claimed }) => hasHandler(claimed.kind))) await lockUser(tx, userId);
      const ids = all.map(({ claimed }) => claimed.id);
      const locked = new Map((await lockNotifications(tx, ids)).map((row) => [row.id, row]));

      const ended: Ended[] = [];
      const accepted: { id: string; at: Date; providerId: string | null }[] = [];
      const others: { row: NotificationRow; tried: Attempt }[] = [];
      for (const { claimed, tried } of all) {
        const row = locked.get(claimed.id);
        if (!row || !mayRecord(row, claimed, tried)) continue;
        if (tried.outcome !== 'accepted') {
          others.push({ row, tried });
          continue;
        }
        accepted.push({ id: row.id, at: tried.at, providerId: tried.providerId });
        ended.push({ row, outcome: 'accepted', at: tried.at });
      }
      // First, since they vouch for the refusals of others.
      if (accepted.length > 0) await endAccepted(tx, accepted);
      for (const { row, tried } of others) {
        const end = await recordOther(tx, row, tried);
        if (end) ended.push(end);
      }
      for (const { row, outcome, at } of ended) if (row.channel === 'sms') await markText(tx, row.id, outcome, at);
      if (ended.length > 0) await settle(tx, ended);
    });

  const recordAlone = async (one: Tried): Promise<void> => {
    const { claimed: row, tried } = one;
    try {
      await record([one]);
    } catch (error) {
      log.error({ notification: row.id, kind: row.kind, err: error }, 'What follows from a message was not recorded.');
      if (tried.outcome !== 'accepted') return;
      const settleAt = new Date(tried.at.getTime() + settleAgainMs);
      await keepAcceptance(db, row.id, { at: tried.at, providerId: tried.providerId, settleAt });
    }
  };

  /** One whose consequences can't be written keeps nothing of the others from being written. */
  const recordOfOwner = together(async (all: readonly Tried[]) => {
    if (all.length > 1) {
      const isRecorded = await record(all).then(
        () => true,
        () => false,
      );
      if (isRecorded) return;
    }
    const failures: unknown[] = [];
    for (const one of all) await recordAlone(one).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  });

  const claim = together(async (asked: readonly { give(row: NotificationRow | null): void }[]) => {
    const now = await clock.now();
    const leaseUntil = new Date(now.getTime() + leaseMs);
    const rows = await claimDue(db, { now, leaseUntil, except: [...underWay], limit: asked.length });
    for (const { id } of rows) underWay.add(id);
    for (const [index, { give }] of asked.entries()) give(rows[index] ?? null);
  });

  return async (limit) => {
    let left = limit;
    let tried = 0;

    const next = async (): Promise<NotificationRow | null> => {
      if (left <= 0) return null;
      left -= 1;
      let row: NotificationRow | null = null;
      await claim('', { give: (given) => (row = given) });
      return row;
    };

    const lane = async (first: NotificationRow | null): Promise<void> => {
      for (let claimed = first ?? (await next()); claimed; claimed = await next()) {
        tried += 1;
        try {
          await recordOfOwner(claimed.userId ?? claimed.id, { claimed, tried: await attempt(claimed) });
        } finally {
          underWay.delete(claimed.id);
        }
      }
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
