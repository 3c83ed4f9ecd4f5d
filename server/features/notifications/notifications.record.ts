import { weighRefusal } from '#server/features/mail-refusals/mailbox-refusals.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import {
  endAccepted,
  endNotification,
  giveBack,
  keepAcceptance,
  lockNotification,
  lockUser,
  markNotLeft,
  postponeNotification,
  type TriedRow,
} from './attempts.repository.ts';
import type { Answer } from './notifications.attempt.ts';
import { isInVain, isMailQuiet, isRefusalAlone, type MailDoubt } from './notifications.refusals.service.ts';
import { type NotificationRow, updateText } from './notifications.repository.ts';
import { isLongRefused, type NextStep, stepAfterAttempt } from './notifications.retry.rules.ts';

/** Shortest and longest wait before the consequences of an acceptance are written again. */
const settleAgainMs = { shortest: 60_000, longest: 3_600_000 };
/** Reply codes from here on are permanent (RFC 5321, section 4.2.1). */
const permanentReply = 500;

export type Log = {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
};

export type Ended = {
  row: TriedRow;
  outcome: 'accepted' | 'bounced' | 'dead';
  at: Date;
  /** The last that was heard of it is no word about its mailbox. */
  isTrouble?: boolean;
};

export type NotificationOutcome = {
  id: string;
  kind: string;
  userId: string | null;
  subjectId: string | null;
  contactId: string | null;
  dedupeKey: string;
  /** Number of the owner's notice in this message. Null if there is none. */
  notice: number | null;
  channel: 'email' | 'sms';
  outcome: 'accepted' | 'bounced' | 'dead';
  /** True if it was given up and no server had named the mailbox as the reason. It says nothing of its recipient. */
  isTrouble: boolean;
  at: Date;
};

export type RecorderOptions = {
  db: Database;
  clock: Pick<Clock, 'now'>;
  log: Log;
  /** Applies the consequences of an ended message, in the transaction that records it. */
  settle: (tx: Executor, ended: Ended) => Promise<void>;
  /** Writes a mail that finds out if mail as a whole gets through, in the same transaction. */
  checkMail: (tx: Executor, at: Date, doubt: MailDoubt) => Promise<void>;
  /** Tells the operator, in the same transaction, that a server refuses mail for a reason that is none of the mailbox. */
  tellOfTrouble: (tx: Executor, at: Date) => Promise<void>;
  /** Called, in the same transaction, when a mailbox has refused a mail that is still tried. */
  onRefused: (tx: Executor, row: TriedRow, at: Date) => Promise<void>;
};

export type Attempt = Answer & { at: Date };
export type Tried = { claimed: NotificationRow; tried: Attempt };

/** One of which something was heard, or nothing at all. */
type Answered = Exclude<Attempt, { outcome: 'withheld' }>;

/** Result of an attempt after it was weighed against other mail. */
type Weighed = {
  outcome: Answered['outcome'];
  /** Other mail was seen to get through. */
  hasWitness: boolean;
  /** The answer says nothing of the mailbox. */
  isTrouble: boolean;
  /** The mailbox refused it, whether or not that counts yet. */
  isRefusal: boolean;
};

/** Records the outcome of a message with all consequences, in one transaction. */
export function createRecorder(options: RecorderOptions) {
  const { db, clock, log, settle, checkMail, tellOfTrouble, onRefused } = options;

  const weigh = async (tx: Executor, row: TriedRow, tried: Answered): Promise<Weighed> => {
    const isTrouble = tried.outcome === 'temporary' && tried.isTrouble === true;
    if (tried.outcome !== 'refused') {
      const isQuiet = await isMailQuiet(tx, row, tried.at);
      if (isQuiet) await checkMail(tx, tried.at, 'waiting');
      return { outcome: tried.outcome, hasWitness: !isQuiet, isTrouble, isRefusal: false };
    }
    const refused: Weighed = { outcome: 'refused', hasWitness: true, isTrouble, isRefusal: true };
    // An address that can't be one was refused by no server, and a text's refusal is about the number.
    if (row.channel === 'sms' || tried.replyCode === null) return refused;
    const weight = await weighRefusal(tx, row, { at: tried.at, isReport: false });
    if (weight === 'counts') return refused;
    const isAlone = await isRefusalAlone(tx, row, tried.at);
    if (isAlone) await checkMail(tx, tried.at, 'refused');
    const isMass = weight === 'mass';
    return { outcome: 'temporary', hasWitness: !isAlone, isTrouble: isMass, isRefusal: !isMass && !isAlone };
  };

  /** Records every outcome except an acceptance. Returns the end, if it is one. */
  const recordOther = async (tx: Executor, row: TriedRow, tried: Answered): Promise<Ended | null> => {
    const { isTrouble, isRefusal, ...weighed } = await weigh(tx, row, tried);
    const { outcome } = weighed;
    const isVain = outcome === 'temporary' && (await isInVain(tx, row, tried.at));
    const attemptsInVain = row.attemptsInVain + (isVain ? 1 : 0);
    const step = nextStep({ ...row, attemptsInVain }, { ...weighed, at: tried.at });
    const refusals = row.refusals + (outcome === 'refused' ? 1 : 0);
    const replyCode = tried.outcome === 'accepted' ? null : tried.replyCode;
    const troubledAt = isTrouble && isWorthTelling(row, { at: tried.at, replyCode }) ? tried.at : undefined;
    if (step.status === 'accepted') throw new Error('An acceptance is recorded elsewhere.');
    if (step.status === 'pending') {
      const nextAttemptAt = new Date(step.nextAttemptMs);
      await postponeNotification(tx, row.id, { nextAttemptAt, replyCode, attemptsInVain, refusals, troubledAt });
    } else await endNotification(tx, row.id, { status: step.status, at: tried.at, replyCode, refusals, troubledAt });
    if (troubledAt) await tellOfTrouble(tx, troubledAt);
    if (step.status !== 'pending') return { row, outcome: step.status, at: tried.at, isTrouble };
    if (isRefusal) await onRefused(tx, row, tried.at);
    return null;
  };

  /**
   * An acceptance counts even if another worker has claimed the message meanwhile. Every other outcome counts for its
   * own attempt alone.
   */
  const recordOutcome = async (tx: Executor, { claimed, tried }: Tried): Promise<Ended | null> => {
    if (tried.outcome === 'accepted') {
      const { at, providerId } = tried;
      return (await endAccepted(tx, { id: claimed.id, at, providerId }))
        ? { row: claimed, outcome: 'accepted', at }
        : null;
    }
    const row = await lockNotification(tx, claimed.id);
    if (!row || row.attempts !== claimed.attempts) return null;
    return (row.status === 'cancelled' ? recordTakenBack : recordAttempt)(tx, row, tried);
  };

  const recordAttempt = async (tx: Executor, row: TriedRow, tried: Attempt): Promise<Ended | null> => {
    if (row.status !== 'sending') return null;
    if (tried.outcome !== 'withheld') return recordOther(tx, row, tried);
    await giveBack(tx, row.id, tried.at);
    return null;
  };

  /**
   * The message was withdrawn while it was being sent. Without an answer it counts as arrived, so that people are
   * notified.
   */
  const recordTakenBack = async (tx: Executor, row: TriedRow, tried: Attempt): Promise<Ended | null> => {
    if (tried.outcome === 'withheld' || tried.outcome === 'accepted' || !tried.mayHaveArrived) {
      await markNotLeft(tx, row.id);
      return null;
    }
    await endAccepted(tx, { id: row.id, at: tried.at, providerId: null });
    return { row, outcome: 'accepted', at: tried.at };
  };

  const record = (one: Tried): Promise<void> =>
    db.transaction(async (tx) => {
      // First, for every kind: a second update of the message locks its owner's row too, for the foreign key.
      const { userId } = one.claimed;
      if (userId) await lockUser(tx, userId);
      const ended = await recordOutcome(tx, one);
      if (!ended) return;
      if (ended.row.channel === 'sms') await markText(tx, ended.row.id, ended.outcome, ended.at);
      await settle(tx, ended);
    });

  return async (one: Tried): Promise<void> => {
    const { claimed: row, tried } = one;
    try {
      await record(one);
    } catch (error) {
      log.error({ notification: row.id, kind: row.kind, err: error }, 'What follows from a message was not recorded.');
      if (tried.outcome !== 'accepted') return;
      const settleAt = settleAgainAt(tried.at, await clock.now());
      await keepAcceptance(db, row.id, { at: tried.at, providerId: tried.providerId, settleAt });
    }
  };
}

/** After as long again as it has been accepted for: each wait is twice the one before. */
function settleAgainAt(acceptedAt: Date, now: Date): Date {
  const waitMs = Math.max(settleAgainMs.shortest, now.getTime() - acceptedAt.getTime());
  return new Date(now.getTime() + Math.min(waitMs, settleAgainMs.longest));
}

/** True for trouble that the operator hears of: a permanent refusal, or a temporary one that has lasted half a day. */
function isWorthTelling(row: TriedRow, { at, replyCode }: { at: Date; replyCode: number | null }): boolean {
  if (replyCode === null) return false;
  const facts = { attempts: row.attempts, firstDueMs: row.notBefore.getTime(), nowMs: at.getTime() };
  return replyCode >= permanentReply || isLongRefused(facts);
}

function nextStep(row: TriedRow, tried: Pick<Weighed, 'outcome' | 'hasWitness'> & { at: Date }): NextStep {
  // Only a mailbox is asked three times: a number is wrong, or its holder wants no texts.
  if (row.channel === 'sms' && tried.outcome === 'refused') return { status: 'bounced' };
  return stepAfterAttempt({
    policy: row.policy,
    outcome: tried.outcome,
    attempts: row.attempts,
    attemptsInVain: row.attemptsInVain,
    refusals: row.refusals + 1,
    firstDueMs: row.notBefore.getTime(),
    nowMs: tried.at.getTime(),
    hasWitness: tried.hasWitness,
  });
}

async function markText(tx: Executor, id: string, status: 'accepted' | 'bounced' | 'dead', at: Date): Promise<void> {
  await updateText(tx, id, status === 'accepted' ? { status: 'sent', sentAt: at } : { status: 'failed' });
}

/** An end, in the form that handlers of outcomes take. */
export function outcomeOf({ row, outcome, at, isTrouble = false }: Ended): NotificationOutcome {
  const { id, kind, userId, subjectId, contactId, dedupeKey, notice, channel } = row;
  return { id, kind, userId, subjectId, contactId, dedupeKey, notice, channel, outcome, isTrouble, at };
}
