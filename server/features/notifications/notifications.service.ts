import type { SQLWrapper } from 'drizzle-orm';
import {
  createMailTrouble,
  type MailTrouble,
  type RefusedByOwner,
  troubleKind,
} from '#server/features/mail-refusals/mail-trouble.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import type { ReturnPaths } from '#server/platform/mail/return-paths.ts';
import type { Queue } from '#server/platform/queue/queue.ts';
import type { Texter } from '#server/platform/sms/texter.ts';
import { cancelTakenAndKeep } from './attempts.repository.ts';
import { type Bounces, createBounces } from './bounces.service.ts';
import { readMailFlow } from './held-notifications.repository.ts';
import { createHeldNotifications, type Hold } from './held-notifications.service.ts';
import type { DepartureWriter } from './notifications.attempt.ts';
import { createDispatcher } from './notifications.dispatch.ts';
import { messageIdDomainOf } from './notifications.message-id.ts';
import { mailboxKeyOf, type NewNotification, textRows, writtenRow } from './notifications.messages.ts';
import { addressIn } from './notifications.payload.ts';
import { type Ended, type Log, type NotificationOutcome, outcomeOf } from './notifications.record.ts';
import { checkMail, type MailCheck } from './notifications.refusals.service.ts';
import {
  cancelNotifications,
  cancelTexts,
  cancelUntried,
  emptyPayloads,
  findNextDue,
  hasOpenFor,
  insertNotification,
  insertNotifications,
  insertTexts,
  isHeard,
  listLeaving,
  type Subjects,
  type ToCancel,
} from './notifications.repository.ts';
import { createSmsReplies, type SmsReplies } from './sms-replies.service.ts';

export type { NewEmail, NewNotification, NewText } from './notifications.messages.ts';
export type { NotificationOutcome } from './notifications.record.ts';

export type OutcomeHandler = (tx: Executor, outcome: NotificationOutcome) => Promise<void>;
/** Given what became of several messages of one owner, whose row is locked. */
export type OutcomesHandler = (tx: Executor, outcomes: readonly NotificationOutcome[]) => Promise<void>;

export type RefusedMail = { kind: string; userId: string | null; subjectId: string | null; at: Date };
/** Called with the owner's row locked, in the transaction that records the refusal. */
export type RefusalHandler = (tx: Executor, refused: RefusedMail) => Promise<void>;

export type Notifications = SmsReplies &
  Hold &
  Bounces & {
    /**
     * Writes the message and wakes the worker, both in the caller's transaction. Returns its id; the id of the row that
     * is there already when the dedupe key was used before, and then nothing else happens. An address that no mail
     * can go to is not refused here, where it would undo everybody's transaction: it bounces, like any other.
     */
    enqueue(tx: Executor, notification: NewNotification): Promise<string>;
    /** The same for many messages, with a few statements however many there are. */
    enqueueAll(tx: Executor, messages: readonly NewNotification[]): Promise<void>;
    /** Takes back, at once, what was caused by these and is not yet accepted; of these kinds only, when given. */
    cancelFor(tx: Executor, subjects: Subjects, kinds?: readonly string[]): Promise<void>;
    /**
     * Takes back what a worker has taken of the mails that were caused by these and are of this kind. The other open mails of
     * this kind and owner stay as they are, and nobody takes one before the end of the transaction.
     */
    cancelTaken(tx: Executor, of: { userId: string; kind: string; subjects: SQLWrapper }): Promise<void>;
    /** Takes back every mail of a kind to readers of an owner that is not yet accepted, but for what was caused by these. */
    cancelAllBut(tx: Executor, of: { userId: string; kind: string; butOf: SQLWrapper }): Promise<void>;
    /**
     * Takes back what was caused by these, is of this kind, and nobody has tried to send yet. Gives the causes of which that was
     * so: what is being sent, or was tried before, stays.
     */
    takeBackUntried(tx: Executor, subjectIds: readonly string[], kind: string): Promise<string[]>;
    /** The causes, of these, of which a message of this kind may have left and nobody knows yet whether it arrived. */
    leavingFor(executor: Executor, subjects: Subjects, kind: string): Promise<string[]>;
    /** Takes back what carries these notices of an owner, where it is not yet accepted. */
    cancelNotices(tx: Executor, userId: string, notices: readonly number[]): Promise<void>;
    /**
     * `handler` runs in the transaction that records the outcome; when it throws, the outcome is recorded later, again.
     * Nobody is told of texts that stay in the outbox.
     */
    onOutcome(kindPrefix: string, handler: OutcomeHandler): void;
    /** The same for a feature whose messages end in great numbers: it is told of all that are recorded together. */
    onOutcomes(kindPrefix: string, handler: OutcomesHandler): void;
    /** `handler` is called when a mailbox has permanently refused a mail of this kind that is still tried. */
    onRefused(kind: string, handler: RefusalHandler): void;
    /** Domains that refuse our mail for a reason that is none of the mailbox: of the last 24 hours, ten at most. */
    mailTrouble(executor: Executor): Promise<MailTrouble[]>;
    refusedByOwner: RefusedByOwner;
    /**
     * What a mail of this kind says is written at the moment it leaves, at every attempt, so that it is true then, however
     * long it waited. What was enqueued stands in the outbox until then.
     */
    writeAtDeparture(kind: string, write: DepartureWriter): void;
    /** Whether a message of this kind, caused by `subjectId`, is still to leave. */
    isWaiting(executor: Executor, subjectId: string, kind: string): Promise<boolean>;
    /** True if a message of the same kind and cause, written with this one or later, was accepted or is still to leave. */
    isHeard(executor: Executor, id: string): Promise<boolean>;
    /** Sends what is due, at most `limit`. Returns how many were tried. Calls at the same time share the same lanes. */
    dispatchDue(limit?: number): Promise<number>;
    /** The process is about to end: what was accepted and cannot be written yet is left to its lease, and sent again. */
    stopRetrying(): void;
    /** When the next message falls due; null when none waits, or what waits is held. */
    nextDueAt(): Promise<Date | null>;
    /** Since when mail has been due and none was accepted; null when mail is well or none is due. What is held is not due. */
    mailTroubledSince(executor: Executor): Promise<Date | null>;
    /** Empties what messages held, 30 days after their end. Returns how many. */
    purge(limit?: number): Promise<number>;
  };

export type NotificationsOptions = {
  db: Database;
  clock: Clock;
  serviceKeys: ServiceKeys;
  mailer: Mailer;
  texter: Texter;
  queue: Queue;
  /** The sender of all mail; its domain ends every Message-ID. */
  mailFrom: string;
  /** Where mails go that come back; left out, to their sender. */
  returnPaths?: Pick<ReturnPaths, 'of'> | undefined;
  /** A mailbox of ours, which shows whether mail as a whole gets through. */
  mailCheck: MailCheck;
  log: Log;
};

/** The job that says "something is due". */
export const sendJob = 'notifications.send';

/** How many messages one call of `dispatchDue` sends when it is not told. */
const dispatchLimit = 1_000;
const purgeLimit = 1_000;
/** How long what a message held is kept after its end: long enough to see why one went wrong. */
const payloadKeptDays = 30;
const dayMs = 24 * 60 * 60_000;

/** Messages to people: written with their cause, sent later, told of when they ended. */
export function createNotifications(given: NotificationsOptions) {
  const { db, clock, serviceKeys, mailer, texter, queue, ...options } = given;
  const handlers: { kindPrefix: string; handler: OutcomesHandler }[] = [];
  const refusalHandlers = new Map<string, RefusalHandler>();
  const departureWriters = new Map<string, DepartureWriter>();
  const { held, ...hold } = createHeldNotifications((tx) => queue.wake(tx, sendJob, {}));
  /** A transaction is woken for once, however many messages it writes. */
  const woken = new WeakSet<Executor>();
  // A domain in letters of another script, as it stands in headers (RFC 5891).
  const messageIdDomain = messageIdDomainOf(options.mailFrom);

  async function settle(tx: Executor, ended: readonly Ended[]): Promise<void> {
    // A text that stays in the outbox has reached nobody, whatever its row says: what it is about rests on its mail.
    const heard = ended.filter(({ row }) => row.channel === 'email' || texter.kind !== 'outbox');
    for (const { kindPrefix, handler } of handlers) {
      const told = heard.filter(({ row }) => row.kind.startsWith(kindPrefix)).map(outcomeOf);
      if (told.length > 0) await handler(tx, told);
    }
  }

  const trouble = createMailTrouble({
    clock,
    to: options.mailCheck,
    addressIn: (id, sealed) => addressIn(serviceKeys, id, sealed),
    keyOf: (address) => mailboxKeyOf(serviceKeys, address),
    enqueue: (tx, mail) => notifications.enqueue(tx, mail),
  });
  departureWriters.set(troubleKind, trouble.write);

  const { dispatch, stopRetrying } = createDispatcher({
    db,
    held,
    clock,
    serviceKeys,
    mailer,
    texter,
    returnPaths: options.returnPaths,
    departureWriters,
    log: options.log,
    hasHandler: (kind) => handlers.some(({ kindPrefix }) => kind.startsWith(kindPrefix)),
    settle,
    tellOfTrouble: trouble.tell,
    onRefused: async (tx, { kind, userId, subjectId }, at) =>
      refusalHandlers.get(kind)?.(tx, { kind, userId, subjectId, at }),
    checkMail: (tx, at, doubt) => checkMail(tx, { to: options.mailCheck, at, doubt, enqueue: notifications.enqueue }),
  });

  const rowOf = (notification: NewNotification) => writtenRow(notification, { serviceKeys, messageIdDomain });

  /** What is for later is found by the sweep; a wake-up now would find nothing. */
  async function wakeFor(tx: Executor, { id, notBefore, createdAt }: ReturnType<typeof writtenRow>): Promise<void> {
    if (notBefore > createdAt || woken.has(tx)) return;
    // The pool itself is no transaction: what is written through it is there at once, each time.
    if (tx !== db) woken.add(tx);
    await queue.wake(tx, sendJob, { notificationId: id });
  }

  async function cancel(tx: Executor, of: ToCancel): Promise<void> {
    const at = await clock.now(tx);
    await cancelTexts(tx, await cancelNotifications(tx, { of, at }));
  }

  const notifications: Notifications = {
    async enqueue(tx, notification) {
      const row = rowOf(notification);
      const written = await insertNotification(tx, row);
      if (!written.isNew) return written.id;

      await insertTexts(tx, textRows(serviceKeys, row.id, notification));
      await wakeFor(tx, row);
      return row.id;
    },

    async enqueueAll(tx, messages) {
      const all = messages.map((message) => ({ message, row: rowOf(message) }));
      const ids = await insertNotifications(
        tx,
        all.map(({ row }) => row),
      );
      const fresh = all.filter(({ row }) => ids.has(row.id));
      await insertTexts(
        tx,
        fresh.flatMap(({ message, row }) => textRows(serviceKeys, row.id, message)),
      );
      for (const { row } of fresh) await wakeFor(tx, row);
    },

    cancelFor: (tx, subjects, kinds) => cancel(tx, { subjects, kinds }),
    cancelTaken: async (tx, of) => cancelTakenAndKeep(tx, { ...of, at: await clock.now(tx) }),
    cancelAllBut: (tx, of) => cancel(tx, of),
    takeBackUntried: async (tx, subjectIds, kind) => cancelUntried(tx, { subjectIds, kind, at: await clock.now(tx) }),
    leavingFor: (executor, subjects, kind) => listLeaving(executor, { subjects, kind }),
    cancelNotices: (tx, userId, notices) => cancel(tx, { userId, notices }),

    onOutcome(kindPrefix, handler) {
      notifications.onOutcomes(kindPrefix, async (tx, outcomes) => {
        for (const outcome of outcomes) await handler(tx, outcome);
      });
    },

    onOutcomes(kindPrefix, handler) {
      handlers.push({ kindPrefix, handler });
    },

    onRefused: (kind, handler) => void refusalHandlers.set(kind, handler),

    mailTrouble: trouble.mailTrouble,
    refusedByOwner: trouble.refusedByOwner,

    writeAtDeparture: (kind, write) => void departureWriters.set(kind, write),

    ...hold,
    ...createBounces({ db, settle, tellOfTrouble: trouble.tell }),

    isWaiting: (executor, subjectId, kind) => hasOpenFor(executor, subjectId, kind),
    isHeard,

    ...createSmsReplies(serviceKeys),

    dispatchDue: (limit = dispatchLimit) => dispatch(limit),

    stopRetrying,
    nextDueAt: () => findNextDue(db, held),

    async mailTroubledSince(executor) {
      const { dueSince, lastAcceptedAt } = await readMailFlow(executor, { now: await clock.now(executor), held });
      if (!dueSince) return null;
      return lastAcceptedAt && lastAcceptedAt > dueSince ? lastAcceptedAt : dueSince;
    },

    async purge(limit = purgeLimit) {
      const now = await clock.now();
      // Of what never left this machine the row is the only copy.
      const channels = [
        ...(mailer.kind === 'outbox' ? [] : (['email'] as const)),
        ...(texter.kind === 'outbox' ? [] : (['sms'] as const)),
      ];
      return emptyPayloads(db, { channels, endedBefore: new Date(now.getTime() - payloadKeptDays * dayMs), limit });
    },
  };
  return notifications;
}
