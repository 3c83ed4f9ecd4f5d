import pLimit from 'p-limit';
import { weighRefusal } from '#server/features/mail-refusals/mailbox-refusals.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import {
  endAccepted,
  endNotification,
  giveBack,
  keepAcceptance,
  lockNotifications,
  lockUser,
  markNotLeft,
  postponeNotification,
  type TriedRow,
} from './attempts.repository.ts';
import { batched } from './batches.ts';
import type { Answer } from './notifications.attempt.ts';
import { isInVain, isMailQuiet, isRefusalAlone, type MailDoubt } from './notifications.refusals.service.ts';
import { type NotificationRow, updateText } from './notifications.repository.ts';
import { isLongRefused, type NextStep, stepAfterAttempt } from './notifications.retry.rules.ts';

/** When the consequences of an acceptance could not be written, they are tried again after so long at least, and at most. */
const settleAgainMs = { shortest: 60_000, longest: 3_600_000 };
/** Reply codes from here on are permanent (RFC 5321, section 4.2.1). */
const permanentReply = 500;
/** How many owners are recorded at once: each takes a connection, and others need some too. */
const ownersAtOnce = 4;

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
  /** The number of the owner's notice that it carried; null for what carries none. */
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
  /** True when `settle` will write rows of the owner, whose row is then locked first. */
  hasHandler: (kind: string) => boolean;
  /** What follows from the ends of messages of one owner, in the transaction that records them. */
  settle: (tx: Executor, ended: readonly Ended[]) => Promise<void>;
  /** Has a mail find out whether mail as a whole gets through, in the same transaction. */
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

/**
 * Writes what became of messages, with all that follows from it. What comes while others of its owner are being written
 * goes with all that came meanwhile into the next transaction: the busier it is, the fewer statements a message costs.
 */
export function createRecorder(options: RecorderOptions) {
  const { db, clock, log, hasHandler, settle, checkMail, tellOfTrouble, onRefused } = options;

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

  /** Everything but an acceptance. Gives the end, if it is one. */
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

  /** An acceptance counts whoever else has taken the message meanwhile; everything else for its own attempt alone. */
  const recordAcceptances = async (tx: Executor, all: readonly Tried[]): Promise<Ended[]> => {
    const accepted = all.flatMap(({ claimed: { id }, tried }) =>
      tried.outcome === 'accepted' ? [{ id, at: tried.at, providerId: tried.providerId }] : [],
    );
    if (accepted.length === 0) return [];
    const written = await endAccepted(tx, accepted);
    return all
      .filter(({ claimed }) => written.has(claimed.id))
      .map(({ claimed, tried }) => ({ row: claimed, outcome: 'accepted', at: tried.at }));
  };

  const recordOthers = async (tx: Executor, all: readonly Tried[]): Promise<Ended[]> => {
    const others = new Map(all.filter(({ tried }) => tried.outcome !== 'accepted').map((one) => [one.claimed.id, one]));
    if (others.size === 0) return [];
    const ended: Ended[] = [];
    for (const row of await lockNotifications(tx, [...others.keys()])) {
      const one = others.get(row.id);
      if (!one || row.attempts !== one.claimed.attempts) continue;
      const end = await (row.status === 'cancelled' ? recordTakenBack : recordAttempt)(tx, row, one.tried);
      if (end) ended.push(end);
    }
    return ended;
  };

  const recordAttempt = async (tx: Executor, row: TriedRow, tried: Attempt): Promise<Ended | null> => {
    if (row.status !== 'sending') return null;
    if (tried.outcome !== 'withheld') return recordOther(tx, row, tried);
    await giveBack(tx, row.id, tried.at);
    return null;
  };

  /** It was taken back while it was under way. One whose answer never came counts as one that arrived, so that people are told. */
  const recordTakenBack = async (tx: Executor, row: TriedRow, tried: Attempt): Promise<Ended | null> => {
    if (tried.outcome === 'withheld' || tried.outcome === 'accepted' || !tried.mayHaveArrived) {
      await markNotLeft(tx, row.id);
      return null;
    }
    await endAccepted(tx, [{ id: row.id, at: tried.at, providerId: null }]);
    return { row, outcome: 'accepted', at: tried.at };
  };

  const record = (all: readonly Tried[]): Promise<void> =>
    db.transaction(async (tx) => {
      const userId = all[0]?.claimed.userId;
      if (userId && all.some(({ claimed }) => hasHandler(claimed.kind))) await lockUser(tx, userId);
      // Acceptances first, since they vouch for the refusals of others.
      const ended = [...(await recordAcceptances(tx, all)), ...(await recordOthers(tx, all))];
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
      const now = await clock.now();
      await keepAcceptance(db, row.id, {
        at: tried.at,
        providerId: tried.providerId,
        settleAt: settleAgainAt(tried.at, now),
      });
    }
  };

  /** One whose consequences can't be written keeps nothing of the others from being written. */
  const recordBatch = async (all: readonly Tried[]): Promise<void> => {
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
  };

  const owners = pLimit(ownersAtOnce);
  const recordOfOwner = batched((all: readonly Tried[]) => owners(() => recordBatch(all)));

  return (one: Tried): Promise<void> => recordOfOwner(one.claimed.userId ?? one.claimed.id, one);
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
