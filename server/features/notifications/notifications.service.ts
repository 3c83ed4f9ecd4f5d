import type { SQLWrapper } from 'drizzle-orm';
import { type App, operatorAddressOf, serviceOf } from '#server/app.ts';
import {
  createMailTrouble,
  type MailTrouble,
  type RefusedByOwner,
  troubleKind,
} from '#server/features/mail-refusals/mail-trouble.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { wakeTask } from '#server/platform/db/wakes.ts';
import { cancelTakenAndKeep } from './attempts.repository.ts';
import { type Bounces, createBounces } from './bounces.service.ts';
import { cancelMessages, cancelNotificationsFor, enqueueNotification, enqueueNotifications } from './enqueue.ts';
import { readMailFlow } from './held-notifications.repository.ts';
import { createHeldNotifications, type Hold } from './held-notifications.service.ts';
import type { DepartureWriter } from './notifications.attempt.ts';
import { createDispatcher } from './notifications.dispatch.ts';
import { mailboxKeyOf, type NewNotification } from './notifications.messages.ts';
import { addressIn } from './notifications.payload.ts';
import { type Ended, type NotificationOutcome, outcomeOf } from './notifications.record.ts';
import { checkMail } from './notifications.refusals.service.ts';
import {
  cancelUntried,
  emptyPayloads,
  findNextDue,
  hasOpenFor,
  isHeard,
  listLeaving,
  type Subjects,
} from './notifications.repository.ts';
import { createSmsReplies, type SmsReplies } from './sms-replies.service.ts';

export type { NewEmail, NewNotification, NewText } from './notifications.messages.ts';
export type { NotificationOutcome } from './notifications.record.ts';

/** The row of the message's owner is locked. */
export type OutcomeHandler = (tx: Executor, outcome: NotificationOutcome) => Promise<void>;

export type RefusedMail = { kind: string; userId: string | null; subjectId: string | null; at: Date };
/** Called with the owner's row locked, in the transaction that records the refusal. */
export type RefusalHandler = (tx: Executor, refused: RefusedMail) => Promise<void>;

export type Notifications = SmsReplies &
  Hold &
  Bounces & {
    /**
     * Writes the message and wakes the worker, both in the caller's transaction. Returns its id. With a used dedupe key
     * it changes nothing, and returns the id of the existing row. An address that can't receive mail is not refused
     * here, since that would roll back the whole transaction: it bounces like any other.
     */
    enqueue(tx: Executor, notification: NewNotification): Promise<string>;
    /** Enqueues many messages, with a few statements for any number. */
    enqueueAll(tx: Executor, messages: readonly NewNotification[]): Promise<void>;
    /** Withdraws unaccepted messages about these subjects immediately, of these kinds only if given. */
    cancelFor(tx: Executor, subjects: Subjects, kinds?: readonly string[]): Promise<void>;
    /**
     * Withdraws claimed mails of this kind about these subjects. The other open mails of this kind and owner stay as
     * they are, and no worker claims one before the end of the transaction.
     */
    cancelTaken(tx: Executor, of: { userId: string; kind: string; subjects: SQLWrapper }): Promise<void>;
    /** Withdraws every unaccepted mail of a kind to readers of an owner, except those about these subjects. */
    cancelAllBut(tx: Executor, of: { userId: string; kind: string; butOf: SQLWrapper }): Promise<void>;
    /**
     * Withdraws untried messages of this kind about these subjects. Returns the subjects of withdrawn ones. A message
     * that is being sent, or was tried before, stays.
     */
    takeBackUntried(tx: Executor, subjectIds: readonly string[], kind: string): Promise<string[]>;
    /** Subjects, of these, with a message of this kind that may have left and has no known outcome yet. */
    leavingFor(executor: Executor, subjects: Subjects, kind: string): Promise<string[]>;
    /** Withdraws unaccepted messages with these notices of an owner. */
    cancelNotices(tx: Executor, userId: string, notices: readonly number[]): Promise<void>;
    /**
     * Registers a handler that runs in the transaction of the outcome. If it throws, the outcome is recorded again
     * later. It is not called for texts that stay in the outbox.
     */
    onOutcome(kindPrefix: string, handler: OutcomeHandler): void;
    /** `handler` is called when a mailbox has permanently refused a mail of this kind that is still tried. */
    onRefused(kind: string, handler: RefusalHandler): void;
    /** Domains that refuse our mail for a reason that is none of the mailbox: of the last 24 hours, ten at most. */
    mailTrouble(executor: Executor): Promise<MailTrouble[]>;
    refusedByOwner: RefusedByOwner;
    /**
     * Registers a writer that composes mails of this kind as they leave, at every attempt, so that their words are true
     * after any wait. Until then the outbox shows the enqueued words.
     */
    writeAtDeparture(kind: string, write: DepartureWriter): void;
    /** True if a message of this kind about `subjectId` has not left yet. */
    isWaiting(executor: Executor, subjectId: string, kind: string): Promise<boolean>;
    /** True if a message of the same kind and cause, written with this one or later, was accepted or is still to leave. */
    isHeard(executor: Executor, id: string): Promise<boolean>;
    /** Sends due messages, at most `limit`. Returns the number of tried ones. Parallel calls share the same lanes. */
    dispatchDue(limit?: number): Promise<number>;
    /**
     * Stops retries before the process ends. An acceptance that can't be recorded yet is left to its lease, and the
     * message is sent again.
     */
    stopRetrying(): void;
    /** Time at which the next message falls due. Null if none waits, or if the waiting ones are frozen. */
    nextDueAt(): Promise<Date | null>;
    /**
     * Time since which mail has been due and none was accepted. Null if mail is well or none is due. Frozen mail is not
     * due.
     */
    mailTroubledSince(executor: Executor): Promise<Date | null>;
    /** Empties payloads of messages 30 days after their end. Returns their number. */
    purge(limit?: number): Promise<number>;
  };

/** Default number of messages that one call of `dispatchDue` sends. */
const dispatchLimit = 1_000;
const purgeLimit = 1_000;
/** Days that a payload is kept after the end of its message: long enough to examine a failure. */
const payloadKeptDays = 30;
const dayMs = 24 * 60 * 60_000;

export const notificationsOf = serviceOf<Notifications>('Notifications');

/** Messages to people: written with their cause, sent later, with their outcomes reported to features. */
export function createNotifications(app: App) {
  const { db, clock, serviceKeys, mailer, texter, returnPaths, log } = app;
  const mailCheck = { address: operatorAddressOf(app), baseUrl: app.baseUrl };
  const handlers: { kindPrefix: string; handler: OutcomeHandler }[] = [];
  const refusalHandlers = new Map<string, RefusalHandler>();
  const departureWriters = new Map<string, DepartureWriter>();
  const { held, ...hold } = createHeldNotifications((tx) => wakeTask(tx, 'outbox'));

  async function settle(tx: Executor, ended: Ended): Promise<void> {
    const { channel, kind } = ended.row;
    // Texts that only the outbox page shows count as not delivered. Their facts depend on the mail.
    if (channel === 'sms' && texter.kind === 'outbox') return;
    for (const { kindPrefix, handler } of handlers)
      if (kind.startsWith(kindPrefix)) await handler(tx, outcomeOf(ended));
  }

  const trouble = createMailTrouble({
    clock,
    to: mailCheck,
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
    returnPaths,
    departureWriters,
    log,
    settle,
    tellOfTrouble: trouble.tell,
    onRefused: async (tx, { kind, userId, subjectId }, at) =>
      refusalHandlers.get(kind)?.(tx, { kind, userId, subjectId, at }),
    checkMail: (tx, at, doubt) => checkMail(tx, { to: mailCheck, at, doubt, enqueue: notifications.enqueue }),
  });

  const notifications: Notifications = {
    enqueue: (tx, notification) => enqueueNotification(app, tx, notification),
    enqueueAll: (tx, messages) => enqueueNotifications(app, tx, messages),
    cancelFor: (tx, subjects, kinds) => cancelNotificationsFor(app, tx, subjects, kinds),
    cancelTaken: async (tx, of) => cancelTakenAndKeep(tx, { ...of, at: await clock.now(tx) }),
    cancelAllBut: (tx, of) => cancelMessages(app, tx, of),
    takeBackUntried: async (tx, subjectIds, kind) => cancelUntried(tx, { subjectIds, kind, at: await clock.now(tx) }),
    leavingFor: (executor, subjects, kind) => listLeaving(executor, { subjects, kind }),
    cancelNotices: (tx, userId, notices) => cancelMessages(app, tx, { userId, notices }),

    onOutcome: (kindPrefix, handler) => void handlers.push({ kindPrefix, handler }),
    onRefused: (kind, handler) => void refusalHandlers.set(kind, handler),

    mailTrouble: trouble.mailTrouble,
    refusedByOwner: trouble.refusedByOwner,

    writeAtDeparture: (kind, write) => void departureWriters.set(kind, write),

    ...hold,
    ...createBounces({ db, serviceKeys, settle, tellOfTrouble: trouble.tell }),

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
      // The row of a message that never left this machine is its only copy.
      const channels = [
        ...(mailer.kind === 'outbox' ? [] : (['email'] as const)),
        ...(texter.kind === 'outbox' ? [] : (['sms'] as const)),
      ];
      return emptyPayloads(db, { channels, endedBefore: new Date(now.getTime() - payloadKeptDays * dayMs), limit });
    },
  };
  return notifications;
}
