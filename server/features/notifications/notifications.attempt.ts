import type { App } from '#server/app.ts';
import { fillDays, namesDay } from '#server/platform/mail/mail-day.ts';
import type { TextResult } from '#server/platform/sms/texter.ts';
import { inSpan } from '#server/platform/tracing/tracing.ts';
import { letLeave, storeWritten } from './attempts.repository.ts';
import { seriesOf } from './bounces.rules.ts';
import { mailReactionsOf } from './mail-reactions.ts';
import { returnKeyOf } from './notifications.messages.ts';
import { type Payload, sealPayload, unsealPayload } from './notifications.payload.ts';
import type { NotificationRow } from './notifications.repository.ts';
import { isPhoneStopped } from './sms-replies.repository.ts';
import { phoneKeyOf } from './sms-replies.ts';

/** Twilio's own number for "its holder wants no texts"; here it is we who know. */
const stoppedByHolder = { outcome: 'refused', replyCode: 21610 } as const;

/** Tells mail systems not to answer with "I am on holiday" (RFC 3834, section 5, and Exchange's own). */
const mailHeaders = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

type EmailPayload = Extract<Payload, { channel: 'email' }>;

/** Asks the database again for a while if it does not answer. */
type Retry = <Result>(ask: () => Promise<Result>) => Promise<Result>;

/**
 * Answer of the mail server or the SMS provider. Also `temporary` if it could not be reached, and `withheld` if the
 * message must not leave any more.
 */
export type Answer = (TextResult & { isTrouble?: true; mayHaveArrived?: true }) | { outcome: 'withheld' };

/** Sends a claimed message. Never throws: every failure is an answer. */
export async function attemptMessage(app: App, row: NotificationRow, retry: Retry): Promise<Answer> {
  try {
    return await inSpan({ name: `send ${row.kind}`, attributes: factsOf(row), causedBy: row.trace }, async (note) => {
      const answer = await handOver(app, row, retry);
      note({ 'everkept.outcome': answer.outcome });
      return answer;
    });
  } catch (error) {
    // Its words may quote an address, so the log has the kind of failure only.
    const failure = error instanceof Error ? error.constructor.name : 'unknown';
    app.log.error({ notification: row.id, kind: row.kind, failure }, 'A message could not be handed over.');
    return { outcome: 'temporary', replyCode: null };
  }
}

async function handOver(app: App, row: NotificationRow, retry: Retry): Promise<Answer> {
  const { db, serviceKeys, texter, mailer } = app;
  if (!row.payload) throw new Error('A message without content cannot be sent.');
  const payload = unsealPayload(serviceKeys, row.id, row.payload);
  const { id, attempts } = row;
  // Repeatable: the statement finds its own claim again.
  const mayLeave = () => retry(() => letLeave(db, { id, attempts }));
  if (payload.channel === 'sms') {
    if (row.providerId) return texter.reportOn(row.providerId);
    // Checked just before sending, so that STOP covers texts that are already queued.
    if (await isPhoneStopped(db, phoneKeyOf(app, payload.phone))) return stoppedByHolder;
    if (!(await mayLeave())) return { outcome: 'withheld' };
    return texter.send({ to: payload.phone, text: payload.text });
  }
  const result = await mailer.send(await mailOf(app, row, payload), mayLeave);
  return result.outcome === 'accepted' ? { outcome: 'accepted', providerId: null } : result;
}

async function mailOf(app: App, row: NotificationRow, payload: EmailPayload) {
  const { to, subject, html, text, headers } = await presentWords(app, row, payload);
  const leavesAt = namesDay(subject + text) ? await app.clock.now() : null;
  const withDays = (words: string) => (leavesAt ? fillDays(words, leavesAt) : words);
  return {
    to: to.name === undefined ? { address: to.address } : { address: to.address, name: to.name },
    returnPath: app.returnPaths.of({
      key: returnKeyOf(row.messageId),
      series: seriesOf(row.bouncedAt?.getTime() ?? null),
    }),
    subject: withDays(subject),
    html: withDays(html),
    text: withDays(text),
    messageId: row.messageId,
    headers: { ...headers, ...mailHeaders },
  };
}

/** Asks the writer of this kind, if it has one. The row keeps the written words: it is the only copy in the outbox. */
async function presentWords(
  app: App,
  { id, kind, userId }: NotificationRow,
  payload: EmailPayload,
): Promise<EmailPayload> {
  const { db, clock, serviceKeys } = app;
  const write = mailReactionsOf(app).writers.get(kind);
  const mail = write && (await write(db, { userId, given: payload.given ?? {}, at: await clock.now() }));
  if (!mail) return payload;
  const written = { ...payload, ...mail };
  await storeWritten(db, id, sealPayload(serviceKeys, id, written));
  return written;
}

function factsOf({ channel, attempts }: NotificationRow) {
  return { 'everkept.channel': channel, 'everkept.attempt': attempts };
}
