import type { HealthKeeper } from '#server/features/release-health/health.service.ts';
import { isReleaseOpen } from '#server/features/release-state/checkin-links.repository.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import { setNextStepAt } from '#server/features/release-state/release-owners.repository.ts';
import type { Process } from './release.process.ts';

/**
 * A contact accepts the role or leaves it while a release is open. Whoever has left is asked nothing any more, their yes is
 * void, and the owner is looked at anew: another quorum, or one more to be asked.
 */
export function subscribeToContacts({ contacts }: ReleaseDependencies, process: Process, health: HealthKeeper): void {
  contacts.onAnswered(async (tx, { userId, contactId, isConfirmed, at }) => {
    if (isConfirmed) await contacts.keepHealthyTime(tx, contactId, (await health.read(tx, at)).mark.healthyMs);
    if (!(await isReleaseOpen(tx, userId))) return;
    const situation = isConfirmed ? null : await process.read(tx, userId, at);
    if (situation) await process.act(tx, situation, at, { command: { kind: 'left', contactId } });
    await setNextStepAt(tx, userId, at);
  });
}
