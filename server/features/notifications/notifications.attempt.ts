import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { fillDays, namesDay } from '#server/platform/mail/mail-day.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import type { ReturnPaths } from '#server/platform/mail/return-paths.ts';
import type { Texter, TextResult } from '#server/platform/sms/texter.ts';
import { inSpan } from '#server/platform/tracing/tracing.ts';
import { type Claimed, letLeave, storeWritten } from './attempts.repository.ts';
import { batched } from './batches.ts';
import { returnKeyOf } from './notifications.message-id.ts';
import { type Payload, sealPayload, unsealPayload } from './notifications.payload.ts';
import type { NotificationRow } from './notifications.repository.ts';
import { isPhoneStopped } from './sms-replies.repository.ts';
import { phoneKeyOf } from './sms-replies.service.ts';

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
  /** Kinds that stay while what they are about is frozen. More may be named later. */
  held: readonly string[];
  departureWriters: ReadonlyMap<string, DepartureWriter>;
  serviceKeys: ServiceKeys;
  mailer: Mailer;
  texter: Texter;
  /** Where a mail goes that comes back; left out, to its sender. */
  returnPaths?: Pick<ReturnPaths, 'of'> | undefined;
  /** Asks the database again where it did not answer, for a while. */
  insist: <Result>(ask: () => Promise<Result>) => Promise<Result>;
  /** Told that a message could not be handed over, of what kind it is and of what kind the failure. */
  onFailure: (row: NotificationRow, failure: string) => void;
};

/**
 * What the mail server or the SMS provider said; `temporary` too where it could not even be asked, and `withheld` where it
 * was not to leave any more.
 */
export type Answer = (TextResult & { isTrouble?: true; mayHaveArrived?: true }) | { outcome: 'withheld' };

/** Hands a claimed message over. Never throws: whatever happens on the way is an answer. */
export function createAttempts({
  db,
  clock,
  held,
  departureWriters,
  serviceKeys,
  mailer,
  texter,
  returnPaths,
  insist,
  onFailure,
}: AttemptOptions) {
  /** One question for all who ask while another is being answered. */
  const askInBatches = batched(async (asking: readonly { claimed: Claimed; answer: (mayLeave: boolean) => void }[]) => {
    const claimed = asking.map((each) => each.claimed);
    // Asked twice it says the same: its own claim is what it looks for.
    const leaving = await insist(() => letLeave(db, { claimed, held }));
    for (const { claimed: one, answer } of asking) answer(leaving.has(one.id));
  });
  const mayLeave = async ({ id, attempts: attempt }: NotificationRow): Promise<boolean> => {
    let answered = false;
    await askInBatches('', { claimed: { id, attempt }, answer: (given) => (answered = given) });
    return answered;
  };

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
      if (!(await mayLeave(row))) return { outcome: 'withheld' };
      return texter.send({ to: payload.phone, text: payload.text });
    }

    const write = departureWriters.get(row.kind);
    const { to, subject, html, text, headers } = write ? await writtenNow(write, row, payload) : payload;
    const leavesAt = namesDay(subject + text) ? await clock.now() : null;
    const withDays = (words: string) => (leavesAt ? fillDays(words, leavesAt) : words);
    const mail = {
      to: to.name === undefined ? { address: to.address } : { address: to.address, name: to.name },
      returnPath: returnPaths?.of({ key: returnKeyOf(row.messageId), attempt: row.attempts }),
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
