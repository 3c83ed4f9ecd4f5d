import type { NotificationOutcome } from '#server/features/notifications/notifications.service.ts';
import type { World } from '#server/features/release-core/model.rules.ts';
import { countMailsOfNotice, findRequest } from '#server/features/release-state/release.repository.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import { setNextStepAt } from '#server/features/release-state/release-owners.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { Process } from './release.process.ts';

/** Whether something rests on what becomes of this notice to the owner, so that it is written again. All else was news once. */
function isAwaited({ silence, request, restart }: World, notice: number): boolean {
  const ofPhase = request?.phase.name === 'holding' ? request.phase.notice : null;
  const ofRequest = request ? [request.ownerNotice, request.shrunk?.notice, ofPhase] : [];
  return [silence?.firstNotice, silence?.lastNotice, ...ofRequest, restart].includes(notice);
}

/** What becomes of mails and deliveries moves releases on, in the transaction that records it. */
export function subscribeToOutcomes({ notifications, deliveries }: ReleaseDependencies, process: Process): void {
  async function handle(tx: Executor, ended: NotificationOutcome & { userId: string; notice: number }): Promise<void> {
    const { userId, notice, at } = ended;
    const channel = ended.channel === 'sms' ? 'text' : 'email';
    const situation = await process.read(tx, userId, at, { notice });
    // What was told to a contact who has been removed since is gone with them, and nothing rests on it.
    if (!situation?.world.notices.some(({ id }) => id === notice)) return;
    if (ended.outcome === 'accepted') {
      await process.act(tx, situation, at, { command: { kind: 'notice_ended', notice, channel, outcome: 'accepted' } });
      // The next sweep then tells the operator whom the breaker would stop ten days later.
      if (situation.world.silence?.lastNotice === notice) await setNextStepAt(tx, userId, at);
      return;
    }
    // What was refused for our sake says as little of the person as mail that reaches nobody.
    if (ended.isTrouble || !situation.reading.isMailHealthy) {
      if (isAwaited(situation.world, notice)) {
        const number = await countMailsOfNotice(tx, userId, notice);
        await process.writeAgain(tx, situation, at, { notice, channel, number });
        return;
      }
      // A contact is asked again when it is time.
      if (situation.world.notices.some(({ id, topic }) => id === notice && topic === 'question')) return;
    }
    await process.act(tx, situation, at, { command: { kind: 'notice_ended', notice, channel, outcome: 'tried' } });
  }

  notifications.onOutcome('release.', async (tx, outcome) => {
    const { userId, notice } = outcome;
    // What becomes of a text to a contact says nothing: their time to answer begins with the mail.
    const isTextToContact = outcome.channel === 'sms' && outcome.contactId !== null;
    if (userId !== null && notice !== null && !isTextToContact) await handle(tx, { ...outcome, userId, notice });
  });

  deliveries.onEnded(async (tx, { requestId, at }) => {
    const request = await findRequest(tx, requestId);
    if (request) await process.visit(tx, [request.userId], at);
  });
}
