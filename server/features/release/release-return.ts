import type { Event } from '#server/features/release-core/events.rules.ts';
import { forecastOf } from '#server/features/release-core/forecast.rules.ts';
import type { Mark, Request, World } from '#server/features/release-core/model.rules.ts';
import { acceptedAt, noticeOf } from '#server/features/release-core/notice-facts.rules.ts';
import type { ReturnRow } from '#server/features/release-state/returns.repository.ts';

type CameBack = {
  userId: string;
  /** World before the step. */
  world: World;
  events: readonly Event[];
  now: Mark;
  heardAt: Date;
};

/** Report for the dashboard of an owner who has just ended a request or withdrawn letters. Null if neither was open. */
export function returnOf({ userId, world, events, now, heardAt }: CameBack): ReturnRow | null {
  const request = world.request ?? world.release?.request;
  if (!request || !events.some(isReturn)) return null;
  const { silence } = world;
  const asked = askedOf(world, request);
  const toldIds = events.flatMap((event) => (event.kind === 'contact_told' ? [event.contactId] : []));
  const waiting = world.release?.letters.filter(({ state }) => state === 'waiting').length;
  return {
    userId,
    at: new Date(now.atMs),
    heardAt,
    isEarly: request.silenceAsks === null,
    firstReminderAt: silence && new Date(noticeOf(world, silence.firstNotice).written.atMs),
    lastReminderAt:
      silence && silence.lastNotice !== null ? new Date(noticeOf(world, silence.lastNotice).written.atMs) : null,
    askedAt: asked.firstAtMs === null ? null : new Date(asked.firstAtMs),
    askedIds: asked.ids,
    toldIds,
    letters: waiting ?? world.readyLetters.length,
    ...nextOf(world, now, heardAt),
  };
}

function isReturn(event: Event): boolean {
  if (event.kind === 'request_ended') return event.why === 'owner_back';
  return event.kind === 'release_closed' && event.takesBack;
}

/** Contacts with an accepted question, and the time of the first acceptance. */
function askedOf(world: World, { asks }: Request): { ids: string[]; firstAtMs: number | null } {
  const got = asks.flatMap(({ contactId, notice }) => {
    const accepted = acceptedAt(noticeOf(world, notice));
    return accepted ? [{ contactId, atMs: accepted.atMs }] : [];
  });
  const firstAtMs = got.length === 0 ? null : Math.min(...got.map(({ atMs }) => atMs));
  return { ids: [...new Set(got.map(({ contactId }) => contactId))], firstAtMs };
}

/** Next automatic step. After letters have left, there was no further one. */
function nextOf(world: World, now: Mark, heardAt: Date): Pick<ReturnRow, 'next' | 'nextAt'> {
  if (world.release) return { next: null, nextAt: null };
  const silent = { ...world, owner: { ...world.owner, lastActivityMs: heardAt.getTime() } };
  const foreseen = forecastOf(silent, now);
  const steps = (
    [
      ['letters_go', foreseen('released')],
      ['asked_again', foreseen('asked_anew')],
    ] as const
  ).flatMap(([next, atMs]) => (atMs === null ? [] : [{ next, nextAt: new Date(atMs) }]));
  const [first] = steps.toSorted((one, other) => one.nextAt.getTime() - other.nextAt.getTime());
  return first ?? { next: null, nextAt: null };
}
