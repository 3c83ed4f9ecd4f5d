import type { TimelinePoint } from './release-overview.rules.ts';

/** Point on the timeline, in the form of answers. */
export function pointAnswer({ what, atMs, isPast }: TimelinePoint) {
  return { what, at: new Date(atMs), isPast };
}
