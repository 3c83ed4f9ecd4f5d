import type { HealthKeeper } from './health.service.ts';
import { findOpenCycle } from './release.repository.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import type { Engine } from './release-engine.service.ts';
import { contactStepsDown } from './release-events.rules.ts';
import { setNextStepAt } from './release-owners.repository.ts';

/**
 * A contact accepts the role or leaves it while a release is open. Whoever has left is asked nothing any more, and the
 * owner is looked at anew: another round, another quorum, or one more to be asked.
 */
export function subscribeToContacts({ contacts }: ReleaseDependencies, engine: Engine, health: HealthKeeper): void {
  contacts.onAnswered(async (tx, { userId, contactId, isConfirmed, at }) => {
    if (isConfirmed) await contacts.keepHealthyTime(tx, contactId, (await health.read(tx, at)).mark.healthyMs);
    if (!(await findOpenCycle(tx, userId))) return;
    const situation = await engine.read(tx, userId, at);
    if (!situation) return;
    if (!isConfirmed) {
      const { isMailHealthy, mark } = situation.reading;
      const event = contactStepsDown(situation.facts, contactId, { isMailHealthy, mark });
      const change = { ...event, action: 'contact_stepped_down', details: { contactId } };
      if (!event.ignored) await engine.apply(tx, situation, at, change);
    }
    await setNextStepAt(tx, userId, at);
  });
}
