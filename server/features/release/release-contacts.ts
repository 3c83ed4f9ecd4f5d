import type { App } from '#server/app.ts';
import { storeHealthyTime } from '#server/features/contacts/confirmed-contacts.ts';
import type { AnsweredListener } from '#server/features/contacts/invitations.ts';
import { takeReading } from '#server/features/release-health/health.ts';
import { isReleaseOpen } from '#server/features/release-state/checkin-links.repository.ts';
import { lockWorld } from '#server/features/release-state/release.store.ts';
import { setNextStepAt } from '#server/features/release-state/release-owners.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { runCommand } from './release.ts';

/**
 * Follows contacts who accept or leave the role while a release is open. A former contact's question and yes are void.
 * The owner is visited again, because the quorum may have changed, or another contact must be asked.
 */
export async function followContactAnswer(
  app: App,
  tx: Executor,
  { userId, contactId, isConfirmed, at }: Parameters<AnsweredListener>[1],
): Promise<void> {
  if (isConfirmed) await storeHealthyTime(tx, contactId, (await takeReading(app, tx, at)).mark.healthyMs);
  if (!(await isReleaseOpen(tx, userId))) return;
  const loaded = isConfirmed ? null : await lockWorld(app, tx, { userId, at });
  if (loaded) await runCommand(app, tx, loaded, { at, command: { kind: 'left', contactId } });
  await setNextStepAt(tx, userId, at);
}
