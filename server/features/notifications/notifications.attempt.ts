import type { App } from '#server/app.ts';
import { inSpan } from '#server/platform/tracing/tracing.ts';
import { letLeave } from './attempts.repository.ts';
import type { Answer } from './channels/channel.ts';
import { sendByChannel } from './channels/channels.ts';
import { unsealPayload } from './notifications.payload.ts';
import type { NotificationRow } from './notifications.repository.ts';

/** Asks the database again for a while if it does not answer. */
type Retry = <Result>(ask: () => Promise<Result>) => Promise<Result>;

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
  const { db, serviceKeys } = app;
  if (!row.payload) throw new Error('A message without content cannot be sent.');
  const payload = unsealPayload(serviceKeys, row.id, row.payload);
  const { id, attempts } = row;
  // Repeatable: the statement finds its own claim again.
  return sendByChannel(app, { row, payload, mayLeave: () => retry(() => letLeave(db, { id, attempts })) });
}

function factsOf({ channel, attempts }: NotificationRow) {
  return { 'everkept.channel': channel, 'everkept.attempt': attempts };
}
