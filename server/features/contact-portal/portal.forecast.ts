import { decide } from '#server/features/release-core/decide.rules.ts';
import { evolve } from '#server/features/release-core/evolve.rules.ts';
import { isConfirmed, waitsForReminders } from '#server/features/release-core/facts.rules.ts';
import {
  daysOfWait,
  forecastOf,
  type PauseForecast,
  pauseForecast,
} from '#server/features/release-core/forecast.rules.ts';
import type { Mark, World } from '#server/features/release-core/model.rules.ts';
import type { Outlook } from './portal.rules.ts';

/** Announcements on the page of a contact. */

/** Days of the owner's waiting time before the letters. 0 once they are being sent. */
export function ownersDays({ world, request, now }: Outlook): number {
  return world.release ? 0 : daysOfWait(world, request, now);
}

/**
 * Time at which the letters leave without an answer. Null if that never happens, the day is unknown, or they are
 * already being sent.
 */
export function goAloneAtMs({ world, now }: Outlook): number | null {
  if (world.release || world.owner.method !== 'inactivity' || waitsForReminders(world)) return null;
  return forecastOf(world, now)('released');
}

/** Effects of a cancel. */
export type IfCancelled = PauseForecast & { toldIds: string[]; isOwnerTold: boolean; isRequestOver: boolean };

/** Effects of a cancel by this contact, from the decision itself. Null if no cancel is possible. */
export function ifCancelled({ world, contactId, now }: Outlook): IfCancelled | null {
  const { events, refused } = decide(world, { kind: 'answer', contactId, says: 'no' }, now);
  if (refused) return null;
  const after = evolve(world, events, now);
  return {
    ...afterNo(after, now),
    toldIds: events.flatMap((event) => (event.kind === 'contact_told' ? [event.contactId] : [])),
    isOwnerTold: events.some(({ kind }) => kind === 'owner_told'),
    isRequestOver: after.request === null,
  };
}

/** Dates after a no. A repeated no stops nothing that others confirm or have confirmed. */
export function afterNo(world: World, now: Mark): PauseForecast {
  const { request } = world;
  const prospect = pauseForecast(world, request, now);
  if (!request || request.phase.name === 'paused') return prospect;
  return { ...prospect, canOthersConfirm: prospect.canOthersConfirm || isConfirmed(world, request, now) };
}
