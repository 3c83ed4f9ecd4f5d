import type { NotificationOutcome } from '#server/features/notifications/notifications.service.ts';
import { countMailsOfNotice, findRequest } from '#server/features/release-state/release.repository.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { Process } from './release.process.ts';

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
      return;
    }
    // What was refused for our sake says as little of the person as mail that reaches nobody: it is written again.
    if (ended.isTrouble || !situation.reading.isMailHealthy) {
      const number = await countMailsOfNotice(tx, userId, notice);
      await process.writeAgain(tx, situation, at, { notice, channel, number });
      return;
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
