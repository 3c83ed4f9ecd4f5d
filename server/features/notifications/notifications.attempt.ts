import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { fillDays, namesDay } from '#server/platform/mail/mail-day.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import type { ReturnPaths } from '#server/platform/mail/return-paths.ts';
import type { Texter, TextResult } from '#server/platform/sms/texter.ts';
import { storeWritten } from './attempts.repository.ts';
import { type Payload, sealPayload, unsealPayload } from './notifications.payload.ts';
import type { NotificationRow } from './notifications.repository.ts';
import { isPhoneStopped } from './text-book.repository.ts';
import { phoneKeyOf } from './text-book.service.ts';

/** Twilio's own number for "its holder wants no texts"; here it is we who know. */
const stoppedByHolder = { outcome: 'refused', replyCode: 21610 } as const;

/** Tells mail systems not to answer with "I am on holiday" (RFC 3834, section 5, and Exchange's own). */
const mailHeaders = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** Gives what a mail says now; null where nothing is to be said otherwise than when it was enqueued. */
export type DepartureWriter = (
  executor: Executor,
  about: { userId: string | null; given: Readonly<Record<string, string>>; at: Date },
) => Promise<{ subject: string; html: string; text: string } | null>;

type EmailPayload = Extract<Payload, { channel: 'email' }>;

export type AttemptOptions = {
  db: Database;
  clock: Clock;
  departureWriters: ReadonlyMap<string, DepartureWriter>;
  serviceKeys: ServiceKeys;
  mailer: Mailer;
  texter: Texter;
  /** Where a mail goes that comes back; left out, to its sender. */
  returnPaths?: Pick<ReturnPaths, 'of'> | undefined;
  /** Told that a message could not be handed over, of what kind it is and of what kind the failure. */
  onFailure: (row: NotificationRow, failure: string) => void;
};

/** What the mail server or the SMS provider said; `temporary` too where it could not even be asked. */
export type Answer = TextResult & { isTrouble?: true };

/** Hands a claimed message over. Never throws: whatever happens on the way is an answer. */
export function createAttempts({
  db,
  clock,
  departureWriters,
  serviceKeys,
  mailer,
  texter,
  returnPaths,
  onFailure,
}: AttemptOptions) {
  /** The row keeps what was written, since it is the only copy where mail stays in the outbox. */
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
      // Asked at the last moment, so that a STOP holds for what was written before it.
      if (await isPhoneStopped(db, phoneKeyOf(serviceKeys, payload.phone))) return stoppedByHolder;
      return texter.send({ to: payload.phone, text: payload.text });
    }

    const write = departureWriters.get(row.kind);
    const { to, subject, html, text, headers } = write ? await writtenNow(write, row, payload) : payload;
    const leavesAt = namesDay(subject + text) ? await clock.now() : null;
    const withDays = (words: string) => (leavesAt ? fillDays(words, leavesAt) : words);
    const result = await mailer.send({
      to: to.name === undefined ? { address: to.address } : { address: to.address, name: to.name },
      returnPath: returnPaths?.of({ id: row.id, attempt: row.attempts }),
      subject: withDays(subject),
      html: withDays(html),
      text: withDays(text),
      messageId: row.messageId,
      headers: { ...headers, ...mailHeaders },
    });
    return result.outcome === 'accepted' ? { ...result, providerId: null } : result;
  };

  return async (row: NotificationRow): Promise<Answer> => {
    try {
      return await handOver(row);
    } catch (error) {
      // Its words may quote an address, so the log has the kind of failure only.
      onFailure(row, error instanceof Error ? error.constructor.name : 'unknown');
      return { outcome: 'temporary', replyCode: null };
    }
  };
}
