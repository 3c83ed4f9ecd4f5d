import type { SQLWrapper } from 'drizzle-orm';
import type { App } from '#server/app.ts';
import { kindsEndedBy, type MailEnd, type MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { cancelTakenAndKeep } from './attempts.repository.ts';
import {
  cancelNotifications,
  cancelTexts,
  cancelUntried,
  listLeaving,
  type Subjects,
  type ToCancel,
} from './notifications.repository.ts';

/** Cancels messages that end with this event, that these subjects caused and that no server has accepted. */
export async function cancelNotificationsFor(
  app: App,
  tx: Executor,
  subjects: Subjects,
  end: MailEnd,
  { except }: { except?: MailKind } = {},
): Promise<void> {
  const kinds = kindsEndedBy(end).filter((kind) => kind !== except);
  await cancelMessages(app, tx, { subjects, kinds });
}

/** Cancels what waits to be announced on an owner's devices and by the webhook, because the owner is here. */
export function cancelCompanions(app: App, tx: Executor, userId: string): Promise<void> {
  return cancelMessages(app, tx, { userId, policy: 'brief' });
}

/** Cancels the messages that `of` names, if no server has accepted them. */
export async function cancelMessages({ clock }: App, tx: Executor, of: ToCancel): Promise<void> {
  const at = await clock.now(tx);
  await cancelTexts(tx, await cancelNotifications(tx, { of, at }));
}

/**
 * Cancels claimed mails of this kind about these subjects. The other open mails of this kind and owner stay as they
 * are, and no worker claims one before the end of the transaction.
 */
export async function cancelClaimed(
  { clock }: App,
  tx: Executor,
  of: { userId: string; kind: MailKind; subjects: SQLWrapper },
): Promise<void> {
  await cancelTakenAndKeep(tx, { ...of, at: await clock.now(tx) });
}

/**
 * Cancels untried messages of this kind about these subjects. Returns the subjects of cancelled ones. A message that is
 * being sent, or was tried before, stays.
 */
export async function takeBackUntried(
  { clock }: App,
  tx: Executor,
  of: { subjectIds: readonly string[]; kind: MailKind },
): Promise<string[]> {
  return cancelUntried(tx, { ...of, at: await clock.now(tx) });
}

/** Subjects, of these, with a message of this kind that may have left and has no known outcome yet. */
export function leavingFor(executor: Executor, of: { subjects: Subjects; kind: MailKind }): Promise<string[]> {
  return listLeaving(executor, of);
}
