import { dayMs } from '#shared/rules/inactivity.ts';
import type { Event } from './events.rules.ts';
import { evolve } from './evolve.rules.ts';
import type { Mark, World } from './model.rules.ts';
import { visit } from './visit.rules.ts';

export type Foreseen = { kind: Event['kind']; atMs: number };

/** A year and a half: beyond every period, with its gaps, its answer time and what an unreached owner is waited for. */
export const horizonDays = 550;
/** Far more visits than a release has steps; a life that needs more is not foreseen to its end. */
const visitsMax = 1_000;

/**
 * What happens if from now on nobody does anything, no minute is lost and every mail is taken at once: the core itself, run
 * forward. It gives every date that a page or a mail names.
 */
export function forecast(world: World, now: Mark): Foreseen[] {
  const foreseen: Foreseen[] = [];
  const untilMs = now.atMs + horizonDays * dayMs;
  let at = now;
  let ahead = world;
  for (let visits = 0; visits < visitsMax && at.atMs <= untilMs; visits += 1) {
    const { events, lookAgainAtMs } = visit(ahead, at);
    ahead = evolve(ahead, events, at);
    for (const { kind } of events) foreseen.push({ kind, atMs: at.atMs });
    const taken = allTaken(ahead);
    ahead = evolve(ahead, taken, at);
    if (ahead.release) return foreseen;
    // What a mail's acceptance leads to is looked at in the same moment.
    if (taken.length > 0) continue;
    const nextMs = Math.max(lookAgainAtMs, at.atMs + 1);
    at = { atMs: nextMs, healthyMs: at.healthyMs + (nextMs - at.atMs) };
  }
  return foreseen;
}

/** When this is first foreseen; null where it is not, unless somebody does something. */
export function foreseenAt(world: World, now: Mark, kind: Event['kind']): number | null {
  return forecast(world, now).find((each) => each.kind === kind)?.atMs ?? null;
}

/** Every mail and text that is under way is taken. */
export function allTaken(world: World): Event[] {
  return world.notices.flatMap((notice) =>
    notice.channels
      .filter((channel) => !notice.outcomes[channel])
      .map((channel) => ({ kind: 'notice_ended', notice: notice.id, channel, outcome: 'accepted' }) as const),
  );
}
