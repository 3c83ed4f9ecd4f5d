import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { fillDays, namesDay } from '#server/platform/mail/mail-day.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import type { ReturnPaths } from '#server/platform/mail/return-paths.ts';
import type { Texter, TextResult } from '#server/platform/sms/texter.ts';
import { inSpan } from '#server/platform/tracing/tracing.ts';
import { letLeave, storeWritten } from './attempts.repository.ts';
import { seriesOf } from './bounces.rules.ts';
import { returnKeyOf } from './notifications.messages.ts';
import { type Payload, sealPayload, unsealPayload } from './notifications.payload.ts';
import type { NotificationRow } from './notifications.repository.ts';
import { isPhoneStopped } from './sms-replies.repository.ts';
import { phoneKeyOf } from './sms-replies.service.ts';

/** Twilio's own number for "its holder wants no texts"; here it is we who know. */
const stoppedByHolder = { outcome: 'refused', replyCode: 21610 } as const;

/** Tells mail systems not to answer with "I am on holiday" (RFC 3834, section 5, and Exchange's own). */
const mailHeaders = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** Returns the present words of a mail. Null if the enqueued words still hold. */
export type DepartureWriter = (
  executor: Executor,
  about: { userId: string | null; given: Readonly<Record<string, string>>; at: Date },
) => Promise<{ subject: string; html: string; text: string } | null>;

type EmailPayload = Extract<Payload, { channel: 'email' }>;

export type AttemptOptions = {
  db: Database;
  clock: Clock;
  /** Kinds that a freeze stops. Features add theirs later. */
  held: readonly string[];
  departureWriters: ReadonlyMap<string, DepartureWriter>;
  serviceKeys: ServiceKeys;
  mailer: Mailer;
  texter: Texter;
  /** Return path of bounced mails. Default: the sender. */
  returnPaths?: Pick<ReturnPaths, 'of'> | undefined;
  /** Retries the database for a while if it does not answer. */
  retry: <Result>(ask: () => Promise<Result>) => Promise<Result>;
  /** Called when a message could not be sent, with the kind of the failure. */
  onFailure: (row: NotificationRow, failure: string) => void;
};

/**
 * Answer of the mail server or the SMS provider. Also `temporary` if it could not be reached, and `withheld` if the
 * message must not leave any more.
 */
export type Answer = (TextResult & { isTrouble?: true; mayHaveArrived?: true }) | { outcome: 'withheld' };

/** Sends a claimed message. Never throws: every failure is an answer. */
export function createAttempts({
  db,
  clock,
  held,
  departureWriters,
  serviceKeys,
  mailer,
  texter,
  returnPaths,
  retry,
  onFailure,
}: AttemptOptions) {
  // Repeatable: the statement finds its own claim again.
  const mayLeave = ({ id, attempts }: NotificationRow) => retry(() => letLeave(db, { id, attempts, held }));

  /** The row keeps the written words, because it is the only copy if mail stays in the outbox. */
  const writtenNow = async (
    write: DepartureWriter,
    { id, userId }: NotificationRow,
    payload: EmailPayload,
  ): Promise<EmailPayload> => {
    const { given = {} } = payload;
    const mail = await write(db, { userId, given, at: await clock.now() });
    if (!mail) return payload;
    const written = { ...payload, ...mail };
    await storeWritten(db, id, sealPayload(serviceKeys, id, written));
    return written;
  };

  const handOver = async (row: NotificationRow): Promise<Answer> => {
    if (!row.payload) throw new Error('A message without content cannot be sent.');
    const payload = unsealPayload(serviceKeys, row.id, row.payload);
    if (payload.channel === 'sms') {
      // Checked just before sending, so that STOP covers texts that are already queued.
      if (await isPhoneStopped(db, phoneKeyOf(serviceKeys, payload.phone))) return stoppedByHolder;
      if (!(await mayLeave(row))) return { outcome: 'withheld' };
      return texter.send({ to: payload.phone, text: payload.text });
    }

    const write = departureWriters.get(row.kind);
    const { to, subject, html, text, headers } = write ? await writtenNow(write, row, payload) : payload;
    const leavesAt = namesDay(subject + text) ? await clock.now() : null;
    const withDays = (words: string) => (leavesAt ? fillDays(words, leavesAt) : words);
    const mail = {
      to: to.name === undefined ? { address: to.address } : { address: to.address, name: to.name },
      returnPath: returnPaths?.of({
        key: returnKeyOf(row.messageId),
        series: seriesOf(row.bouncedAt?.getTime() ?? null),
      }),
      subject: withDays(subject),
      html: withDays(html),
      text: withDays(text),
      messageId: row.messageId,
      headers: { ...headers, ...mailHeaders },
    };
    const result = await mailer.send(mail, () => mayLeave(row));
    return result.outcome === 'accepted' ? { outcome: 'accepted', providerId: null } : result;
  };

  return async (row: NotificationRow): Promise<Answer> => {
    try {
      return await inSpan({ name: `send ${row.kind}`, attributes: factsOf(row), causedBy: row.trace }, async (note) => {
        const answer = await handOver(row);
        note({ 'everkept.outcome': answer.outcome });
        return answer;
      });
    } catch (error) {
      // Its words may quote an address, so the log has the kind of failure only.
      onFailure(row, error instanceof Error ? error.constructor.name : 'unknown');
      return { outcome: 'temporary', replyCode: null };
    }
  };
}

function factsOf({ channel, attempts }: NotificationRow) {
  return { 'everkept.channel': channel, 'everkept.attempt': attempts };
}
