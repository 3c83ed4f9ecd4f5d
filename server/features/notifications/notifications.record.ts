import type { App } from '#server/app.ts';
import type { Executor } from '#server/platform/db/database.ts';
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
import type { Answer } from './channels/channel.ts';
import { channels } from './channels/channels.ts';
import { type Ended, mailReactionsOf, reactToEnd } from './mail-reactions.ts';
import { type NotificationRow, updateText } from './notifications.repository.ts';
import { isLongRefused, type NextStep, stepAfterAttempt } from './notifications.retry.rules.ts';
import { checkMail, isInVain, isMailQuiet, isRefusalAlone } from './refusals/mail-check.ts';
import { tellOfMailTrouble } from './refusals/mail-trouble.ts';
import { weighRefusal } from './refusals/mailbox-refusals.ts';
import { recordQueued, recordUndelivered } from './text-reports.ts';

/** Shortest and longest wait before the consequences of an acceptance are written again. */
const settleAgainMs = { shortest: 60_000, longest: 3_600_000 };
/** Reply codes from here on are permanent (RFC 5321, section 4.2.1). */
const permanentReply = 500;

export type Attempt = Answer & { at: Date };

/** A refusal of a server, or no answer at all. */
type Refused = Extract<Attempt, { outcome: 'temporary' | 'refused' }>;

/** Result of an attempt after it was weighed against other mail. */
type Weighed = {
  outcome: Refused['outcome'];
  /** Other mail was seen to get through. */
  hasWitness: boolean;
  /** The answer says nothing of the mailbox. */
  isTrouble: boolean;
  /** The mailbox refused it, whether or not that counts yet. */
  isRefusal: boolean;
};

/** Records the outcome of a claimed message with all consequences, in one transaction. */
export async function recordOutcome(app: App, claimed: NotificationRow, tried: Attempt): Promise<void> {
  const { db, clock, log } = app;
  try {
    await db.transaction((tx) => recordIn(app, tx, claimed, tried));
  } catch (error) {
    const { id, kind } = claimed;
    log.error({ notification: id, kind, err: error }, 'What follows from a message was not recorded.');
    if (tried.outcome !== 'accepted') return;
    const settleAt = settleAgainAt(tried.at, await clock.now());
    await keepAcceptance(db, id, { at: tried.at, providerId: tried.providerId, settleAt });
  }
}

async function recordIn(app: App, tx: Executor, claimed: NotificationRow, tried: Attempt): Promise<void> {
  // First, for every kind: a second update of the message locks its owner's row too, for the foreign key.
  if (claimed.userId) await lockUser(tx, claimed.userId);
  const ended = await endOf(app, tx, claimed, tried);
  if (!ended) return;
  if (ended.row.channel === 'sms') await markText(tx, ended);
  if (channels[ended.row.channel].proves(app)) await reactToEnd(app, tx, ended);
}

/**
 * Records an attempt. Returns the end of the message, if it is one. An acceptance counts even if another worker has
 * claimed the message meanwhile. Every other outcome counts for its own attempt alone.
 */
async function endOf(app: App, tx: Executor, claimed: NotificationRow, tried: Attempt): Promise<Ended | null> {
  if (tried.outcome === 'accepted') {
    const { at, providerId } = tried;
    const isNew = await endAccepted(tx, { id: claimed.id, at, providerId });
    return isNew ? { row: claimed, outcome: 'accepted', at } : null;
  }
  const row = await lockNotification(tx, claimed.id);
  if (!row || row.attempts !== claimed.attempts) return null;
  if (row.status === 'cancelled') return recordCancelled(tx, row, tried);
  if (row.status !== 'sending') return null;
  switch (tried.outcome) {
    case 'queued':
      return recordQueued(tx, row, tried);
    case 'undelivered':
      return recordUndelivered(tx, row, tried);
    case 'withheld':
      await giveBack(tx, row.id, tried.at);
      return null;
    default:
      return recordRefusal(app, tx, row, tried);
  }
}

/**
 * The message was withdrawn while it was being sent. Without an answer it counts as arrived, so that people are
 * notified.
 */
async function recordCancelled(tx: Executor, row: TriedRow, tried: Attempt): Promise<Ended | null> {
  const mayArrive = tried.outcome === 'queued' || ('mayHaveArrived' in tried && tried.mayHaveArrived);
  if (!mayArrive) {
    await markNotLeft(tx, row.id);
    return null;
  }
  await endAccepted(tx, { id: row.id, at: tried.at, providerId: row.providerId });
  return { row, outcome: 'accepted', at: tried.at };
}

/** Records a permanent or temporary refusal. Returns the end, if it is one. */
async function recordRefusal(app: App, tx: Executor, row: TriedRow, tried: Refused): Promise<Ended | null> {
  const { at, replyCode } = tried;
  const { isTrouble, isRefusal, ...weighed } = await weigh(app, tx, row, tried);
  const isVain = weighed.outcome === 'temporary' && (await isInVain(tx, row, at));
  const attemptsInVain = row.attemptsInVain + (isVain ? 1 : 0);
  const step = nextStep({ ...row, attemptsInVain }, { ...weighed, at });
  const refusals = row.refusals + (weighed.outcome === 'refused' ? 1 : 0);
  const troubledAt = isTrouble && isWorthTelling(row, { at, replyCode }) ? at : undefined;
  if (step.status === 'accepted') throw new Error('An acceptance is recorded elsewhere.');
  if (step.status === 'pending') {
    const nextAttemptAt = new Date(step.nextAttemptMs);
    await postponeNotification(tx, row.id, { nextAttemptAt, replyCode, attemptsInVain, refusals, troubledAt });
  } else await endNotification(tx, row.id, { status: step.status, at, replyCode, refusals, troubledAt });
  if (troubledAt) await tellOfMailTrouble(app, tx, troubledAt);
  if (step.status !== 'pending') return { row, outcome: step.status, at, isTrouble };
  const { kind, userId, subjectId } = row;
  if (isRefusal) await mailReactionsOf(app).refused.get(kind)?.(tx, { userId, subjectId, at });
  return null;
}

async function weigh(app: App, tx: Executor, row: TriedRow, tried: Refused): Promise<Weighed> {
  const isTrouble = tried.outcome === 'temporary' && tried.isTrouble === true;
  if (tried.outcome !== 'refused') {
    const isQuiet = await isMailQuiet(tx, row, tried.at);
    if (isQuiet) await checkMail(app, tx, { at: tried.at, doubt: 'waiting' });
    return { outcome: tried.outcome, hasWitness: !isQuiet, isTrouble, isRefusal: false };
  }
  const refused: Weighed = { outcome: 'refused', hasWitness: true, isTrouble, isRefusal: true };
  // An address that can't be one was refused by no server, and every other channel refuses for good.
  if (row.channel !== 'email' || tried.replyCode === null) return refused;
  const weight = await weighRefusal(tx, row, { at: tried.at, isReport: false });
  if (weight === 'counts') return refused;
  const isAlone = await isRefusalAlone(tx, row, tried.at);
  if (isAlone) await checkMail(app, tx, { at: tried.at, doubt: 'refused' });
  const isMass = weight === 'mass';
  return { outcome: 'temporary', hasWitness: !isAlone, isTrouble: isMass, isRefusal: !isMass && !isAlone };
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
  if (row.channel !== 'email' && tried.outcome === 'refused') return { status: 'bounced' };
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

async function markText(tx: Executor, { row, outcome, at }: Ended): Promise<void> {
  // A queued text was marked as sent when the provider took it.
  const sent = { status: 'sent', ...(row.providerId === null && { sentAt: at }) } as const;
  await updateText(tx, row.id, outcome === 'accepted' ? sent : { status: 'failed' });
}
