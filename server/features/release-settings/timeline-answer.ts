import type { TimelinePoint } from './release-overview.rules.ts';

/** A point on the line of time as answers hold it. */
export function pointAnswer({ what, atMs, isPast }: TimelinePoint) {
  return { what, at: new Date(atMs), isPast };
}
