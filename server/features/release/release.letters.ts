import type { App } from '#server/app.ts';
import { keepDamaged } from '#server/features/delivery/damaged-letters.ts';
import { queueReleasedLetters } from '#server/features/delivery/delivery.ts';
import { haltRelease } from '#server/features/delivery/halts.ts';
import { sendOnDay } from '#server/features/delivery/waiting-letters.ts';
import { readLettersToSend } from '#server/features/messages/letters.ts';
import { cancelMessages, cancelNotificationsFor } from '#server/features/notifications/cancel.ts';
import { unfreezeMail } from '#server/features/notifications/frozen-mail.ts';
import type { Event } from '#server/features/release-core/events.rules.ts';
import type { WaitingLetter } from '#server/features/release-core/model.rules.ts';
import { endAskingForAddresses, restartWindows } from '#server/features/release-health/address-proposals.ts';
import { requestOf, type StepResult } from '#server/features/release-mail/release.notify.ts';
import type { HaltCounts } from '#server/features/release-mail/release-return.emails.ts';
import type { LoadedWorld } from '#server/features/release-state/release.store.ts';
import type { Writing } from '#server/features/release-state/release.writes.ts';
import { noteMailboxes } from './early-review.ts';

type AppliedStep = Pick<StepResult, 'before' | 'after' | 'events' | 'context'>;

/**
 * Applies events to letters and mails: queues letters, unfreezes mails, withdraws mails that must not leave. Returns
 * the withdrawn letters, or null if none were being sent.
 */
export async function applyToLetters(app: App, writing: Writing, step: AppliedStep): Promise<HaltCounts | null> {
  const { tx, writes, at } = writing;
  const { before, after, events } = step;
  const { owner } = after;
  const withdrawn = events.flatMap((event) => withdrawnBy(event, before));
  if (withdrawn.length > 0) {
    await writes.flush();
    await cancelMessages(app, tx, { userId: owner.id, notices: withdrawn });
  }
  if (events.some(({ kind }) => kind === 'released' || kind === 'request_ended')) {
    await withdrawMail(app, writing, before);
  }
  let halted: HaltCounts | null = null;
  for (const event of events) {
    if (event.kind === 'released') await queueLetters(app, writing, after, event.later);
    if (event.kind === 'letters_due') {
      await writes.flush();
      await sendOnDay(app, tx, { owner, recipientIds: event.letters, at });
    }
    if (event.kind === 'question_ended' || event.kind === 'letters_let_go') await resumeLetters(app, writing, owner.id);
    if (event.kind === 'release_undone' || (event.kind === 'release_closed' && event.takesBack)) {
      halted = await haltLetters(app, writing, step, event);
    } else if (event.kind === 'release_closed') {
      const requestId = before.rows.request?.id;
      if (requestId) await endAskingForAddresses(app, tx, { requestId, at });
      await resumeLetters(app, writing, owner.id);
    }
  }
  return halted;
}

/** Notices whose messages must not leave after this event. */
function withdrawnBy(event: Event, before: LoadedWorld): number[] {
  if (event.kind === 'notice_withdrawn') return [event.notice];
  if (event.kind !== 'contact_asked') return [];
  // A text with an earlier link that still waits would open nothing.
  const asks = requestOf(before)?.asks ?? [];
  return asks.filter(({ contactId }) => contactId === event.contactId).map(({ notice }) => notice);
}

/** Withdraws the mail to another address of the owner: its announced step happens now, or never. */
async function withdrawMail(app: App, { tx, writes }: Writing, { rows }: LoadedWorld): Promise<void> {
  if (rows.request?.cause !== 'silence') return;
  await writes.flush();
  await cancelNotificationsFor(app, tx, rows.request.id, 'step taken');
}

async function queueLetters(
  app: App,
  { tx, writes, at }: Writing,
  { owner, rows }: LoadedWorld,
  later: readonly WaitingLetter[],
): Promise<void> {
  if (!rows.request) throw new Error('Letters leave because of a request.');
  const { id: requestId, releaseNumber } = rows.request;
  await writes.flush();
  const { whole, damaged } = await readLettersToSend(app, tx, owner.id);
  const days = new Map(later.map(({ id, dueAtMs }) => [id, new Date(dueAtMs)]));
  const letters = whole.map((letter) => ({ ...letter, dueAt: days.get(letter.recipientId) ?? null }));
  await queueReleasedLetters(app, tx, { userId: owner.id, requestId, releaseNumber, at, letters });
  await noteMailboxes(app, tx, { request: rows.request, addresses: letters.map(({ email }) => email), at });
  // A damaged letter delays no other one, and is sent after its repair.
  if (damaged.length > 0) await keepDamaged(app, tx, { owner, requestId, at, letters: damaged });
}

/** Stops letters that have not left, because the release was undone or the owner is back. */
async function haltLetters(
  app: App,
  { tx, writes, at }: Writing,
  { before, after, context }: AppliedStep,
  { kind }: Event,
): Promise<HaltCounts> {
  const requestId = before.rows.request?.id ?? after.rows.request?.id;
  if (!requestId) throw new Error('Letters are stopped that no request had queued.');
  await writes.flush();
  const isBack = kind === 'release_closed' && context?.command.kind !== 'close';
  const halted = await haltRelease(app, tx, { owner: after.owner, requestId, at, isBack });
  await endAskingForAddresses(app, tx, { requestId, at });
  return halted;
}

/** Frozen mails leave, and windows of proposals restart. */
async function resumeLetters(app: App, { tx, writes, at }: Writing, userId: string): Promise<void> {
  await writes.flush();
  await restartWindows(app, tx, { userId, at });
  await unfreezeMail(tx, { userId, at });
}
