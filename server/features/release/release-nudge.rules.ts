import { dayMs } from '#shared/rules/inactivity.ts';
import { type Decision, wait } from './release-decision.rules.ts';
import { nextWatchAtMs, type ReleaseFacts, silenceMoments } from './release-facts.rules.ts';

/** A nudge that could not go out within this of its day is left out: the next one will do. */
const nudgeFreshMs = dayMs / 2;

/** Before the first reminder: a friendly question every so many days, which proves nothing. */
export function nudge(facts: ReleaseFacts, now: number): Decision {
  const { owner } = facts;
  const intervalMs = owner.checkinIntervalDays * dayMs;
  const sequence = Math.max(0, Math.floor((now - owner.lastActivityMs) / intervalMs));
  const isFresh = sequence > 0 && now - owner.lastActivityMs - sequence * intervalMs < nudgeFreshMs;
  const nextStepAtMs = nextWatchAtMs(owner, now);
  // At most one message a day: so close to the first reminder, that one will do.
  const isTooLate = silenceMoments(owner).firstReminderMs - now < dayMs;
  if (!isFresh || isTooLate) return { ...wait(facts, now, null), nextStepAtMs };
  return { ...wait(facts, now, null), step: 'nudge', effects: [{ kind: 'nudge_owner', sequence }], nextStepAtMs };
}
