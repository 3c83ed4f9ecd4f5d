import type { App } from '#server/app.ts';
import { fillDays, namesDay } from '#server/platform/mail/mail-day.ts';
import { storeWritten } from '../attempts.repository.ts';
import { seriesOf } from '../bounces.rules.ts';
import { mailReactionsOf } from '../mail-reactions.ts';
import { returnKeyOf } from '../notifications.messages.ts';
import { sealPayload } from '../notifications.payload.ts';
import type { NotificationRow } from '../notifications.repository.ts';
import type { ChannelDriver, Departure } from './channel.ts';

type EmailPayload = Departure<'email'>['payload'];

/** Tells mail systems not to answer with "I am on holiday" (RFC 3834, section 5, and Exchange's own). */
const mailHeaders = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

export const emailChannel: ChannelDriver<'email'> = {
  async send(app, { row, payload, mayLeave }) {
    const result = await app.mailer.send(await mailOf(app, row, payload), mayLeave);
    return result.outcome === 'accepted' ? { outcome: 'accepted', providerId: null } : result;
  },
  proves: () => true,
  // A mailbox that refuses is weighed after the attempt.
  stops: async () => null,
  stays: ({ mailer }) => mailer.kind === 'outbox',
};

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
