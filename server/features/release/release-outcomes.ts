import type { App } from '#server/app.ts';
import type { NotificationOutcome } from '#server/features/notifications/mail-reactions.ts';
import type { Channel, World } from '#server/features/release-core/model.rules.ts';
import { rewriteNotice } from '#server/features/release-mail/release.notify.ts';
import { countMailsOfNotice, findRequest } from '#server/features/release-state/release.repository.ts';
import { lockWorld } from '#server/features/release-state/release.store.ts';
import { withWrites } from '#server/features/release-state/release.writes.ts';
import { setNextStepAt } from '#server/features/release-state/release-owners.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { runCommand, visitOwners } from './release.ts';

/** Moves a release on by the outcome of a mail or text, in the transaction that records it. */
export async function followOutcome(app: App, tx: Executor, ended: NotificationOutcome): Promise<void> {
  const { userId, notice, at } = ended;
  // A text to a contact has no effect: the answer time begins with the mail.
  if (userId === null || notice === null || (ended.channel === 'sms' && ended.contactId !== null)) return;
  const channel: Channel = ended.channel === 'sms' ? 'text' : 'email';
  const loaded = await lockWorld(app, tx, { userId, at, notice });
  // Notices of a removed contact were deleted, and no step depends on them.
  if (!loaded?.world.notices.some(({ id }) => id === notice)) return;
  if (ended.outcome === 'accepted') {
    await runCommand(app, tx, loaded, { at, command: { kind: 'notice_ended', notice, channel, outcome: 'accepted' } });
    // The next sweep then tells the operator whom the breaker would stop ten days later.
    if (loaded.world.silence?.lastNotice === notice) await setNextStepAt(tx, userId, at);
    return;
  }
  // A refusal of our own server says as little about the person as mail that never leaves.
  if (ended.isTrouble || !loaded.reading.isMailHealthy) {
    if (isAwaited(loaded.world, notice)) {
      const timedOut = { notice, channel, number: await countMailsOfNotice(tx, userId, notice) };
      await withWrites(app, { tx, at }, async (writing) => rewriteNotice(app, writing, loaded, timedOut));
      return;
    }
    // A contact is asked again when it is time.
    if (loaded.world.notices.some(({ id, topic }) => id === notice && topic === 'question')) return;
  }
  await runCommand(app, tx, loaded, { at, command: { kind: 'notice_ended', notice, channel, outcome: 'tried' } });
}

/** Visits the owner of a release whose letters have ended, in the transaction that records their end. */
export async function followEndedLetters(
  app: App,
  tx: Executor,
  { requestId, at }: { requestId: string; at: Date },
): Promise<void> {
  const request = await findRequest(tx, requestId);
  if (request) await visitOwners(app, { tx, at }, [request.userId]);
}

/**
 * True if a step depends on the outcome of this notice to the owner, so that it is written again. Every other notice is
 * news, sent once.
 */
function isAwaited({ silence, request, restart }: World, notice: number): boolean {
  const ofPhase = request?.phase.name === 'holding' ? request.phase.notice : null;
  const ofRequest = request ? [request.ownerNotice, request.shrunk?.notice, ofPhase] : [];
  return [silence?.firstNotice, silence?.lastNotice, ...ofRequest, restart].includes(notice);
}
