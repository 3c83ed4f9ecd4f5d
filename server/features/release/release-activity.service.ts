import { noteActivity } from './release.repository.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import type { Engine } from './release-engine.service.ts';
import { ownerReturns } from './release-events.rules.ts';

/**
 * A sign of life ends whatever is under way, in the transaction that answers it to the owner: once they have read
 * that all is well, nothing is sent any more.
 */
export function subscribeToActivity({ accounts, notifications }: ReleaseDependencies, engine: Engine): void {
  accounts.onActivity(async (tx, { userId, at }) => {
    const { endedLinks, isOpen } = await noteActivity(tx, userId, at);
    // A nudge that is still waiting to go out would ask for what has just happened.
    if (endedLinks > 0) await notifications.cancelFor(tx, userId, ['release.nudge']);
    if (!isOpen) return;

    const situation = await engine.read(tx, userId, at);
    if (!situation) return;
    const event = ownerReturns(situation.facts);
    if (!event.ignored) await engine.apply(tx, situation, at, { ...event, action: 'returned' });
  });
}
