import type { App } from '#server/app.ts';
import type { MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { companionsOf } from './channels/companions.ts';
import {
  messageIdDomainOf,
  type NewEmail,
  type NewNotification,
  textRows,
  writtenRow,
} from './notifications.messages.ts';
import { insertNotification, insertNotifications, insertTexts } from './notifications.repository.ts';

/**
 * Stores a message and wakes the worker, both in the caller's transaction. Returns its id. If the dedupe key is known, it
 * returns the id of the row that has it, and does nothing else. A malformed address does not fail here, since that would
 * roll back the caller's transaction. The mail bounces instead.
 */
export async function enqueueNotification(app: App, tx: Executor, notification: NewNotification): Promise<string> {
  const row = rowOf(app, notification);
  const written = await insertNotification(tx, row);
  if (!written.isNew) return written.id;
  await insertTexts(tx, textRows(app.serviceKeys, row.id, notification));
  await announce(app, tx, [notification]);
  return row.id;
}

type ToOperator = Omit<NewEmail, 'channel' | 'to' | 'kind' | 'userId' | 'subjectId'> & {
  kind: Extract<MailKind, `operator.${string}`>;
  userId?: string;
  subjectId?: string;
};

/** Stores a mail to the operator, if the settings name one. */
export async function enqueueToOperator(app: App, tx: Executor, message: ToOperator): Promise<void> {
  const { adminEmail } = app.settings;
  if (!adminEmail) return;
  const about = { userId: null, subjectId: null, ...message };
  await enqueueNotification(app, tx, { ...about, channel: 'email', to: { address: adminEmail } });
}

/** Stores messages as `enqueueNotification` does. The number of statements does not depend on the number of messages. */
export async function enqueueNotifications(
  app: App,
  tx: Executor,
  messages: readonly NewNotification[],
): Promise<void> {
  const all = messages.map((message) => ({ message, row: rowOf(app, message) }));
  const ids = await insertNotifications(
    tx,
    all.map(({ row }) => row),
  );
  const fresh = all.filter(({ row }) => ids.has(row.id));
  await insertTexts(
    tx,
    fresh.flatMap(({ message, row }) => textRows(app.serviceKeys, row.id, message)),
  );
  await announce(
    app,
    tx,
    fresh.map(({ message }) => message),
  );
}

/** Stores what goes with these mails by further channels. */
async function announce(app: App, tx: Executor, messages: readonly NewNotification[]): Promise<void> {
  const rows = (await companionsOf(app, tx, messages)).map((companion) => rowOf(app, companion));
  if (rows.length > 0) await insertNotifications(tx, rows);
}

function rowOf({ serviceKeys, settings }: App, notification: NewNotification): ReturnType<typeof writtenRow> {
  return writtenRow(notification, { serviceKeys, messageIdDomain: messageIdDomainOf(settings.mail.from) });
}
