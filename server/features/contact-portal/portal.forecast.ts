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

/** What the page of a contact announces. */

/** Days of the owner's own that stand before the letters; none once they are on their way. */
export function ownersDays({ world, request, now }: Outlook): number {
  return world.release ? 0 : daysOfWait(world, request, now);
}

/** When the letters go without an answer. Null if that never happens, the day is not known, or they are on their way. */
export function goAloneAtMs({ world, now }: Outlook): number | null {
  if (world.release || world.owner.method !== 'inactivity' || waitsForReminders(world)) return null;
  return forecastOf(world, now)('released');
}

/** What a cancel would lead to. */
export type IfCancelled = PauseForecast & { toldIds: string[]; isOwnerTold: boolean; isRequestOver: boolean };

/** What a cancel of this contact would lead to: the very decision that it would be; `null` where none can be given. */
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

/** How it goes on after a no: a repeated one stops nothing that others confirm, or have confirmed. */
export function afterNo(world: World, now: Mark): PauseForecast {
  const { request } = world;
  const prospect = pauseForecast(world, request, now);
  if (!request || request.phase.name === 'paused') return prospect;
  return { ...prospect, canOthersConfirm: prospect.canOthersConfirm || isConfirmed(world, request, now) };
}
