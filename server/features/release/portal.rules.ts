import type { Portal, ReleaseState } from '#shared/contract/release.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { releasedDocumentDays } from '#shared/rules/retention.ts';
import { type CycleFacts, isRoundStopped } from './release-facts.rules.ts';

/** After a release has ended, a contact can look at its result for this long. */
export const resultKeptDays = releasedDocumentDays;

type Link = {
  decision: 'confirmed' | 'cancelled' | null;
  /** Another round began, or the owner came back. */
  isWithdrawn: boolean;
  cycleState: ReleaseState;
  closedAtMs: number | null;
  /** When every delivery had ended. A cycle stays open after that, until the owner shows life. */
  releasedAtMs: number | null;
};

/**
 * What a contact's link shows, or `null` where it is dead. A contact who has answered keeps seeing the answer; once
 * the owner has come back nothing is shown any more, whoever answered what.
 */
export function portalState(link: Link, nowMs: number): Portal['state'] | null {
  if (link.cycleState === 'halted') return null;
  if (link.closedAtMs !== null && link.cycleState !== 'released') return null;
  const endedAtMs = link.cycleState === 'released' ? (link.releasedAtMs ?? link.closedAtMs) : null;
  if (endedAtMs !== null && nowMs - endedAtMs >= resultKeptDays * dayMs) return null;
  if (link.decision !== null) return link.decision;
  if (link.isWithdrawn) return null;
  return isUnderWay(link.cycleState) ? 'released' : 'open';
}

/**
 * Until when documents can be downloaded, or `null` while they cannot: before the release, and 30 days after. Until it has ended, its end is taken
 * to be now.
 */
export function documentsUntilMs(
  cycle: { state: ReleaseState; releasedAtMs: number | null },
  nowMs: number,
): number | null {
  if (!isUnderWay(cycle.state)) return null;
  const untilMs = (cycle.releasedAtMs ?? nowMs) + resultKeptDays * dayMs;
  return nowMs < untilMs ? untilMs : null;
}

/** What the contact is told after an answer that was taken, in one sentence or two. */
export function answerMessage(
  decision: 'confirmed' | 'cancelled',
  cycle: { state: ReleaseState; firstName: string; missing: number },
): string {
  if (decision === 'cancelled') return `Nothing is sent. We have told ${cycle.firstName} to log in immediately.`;
  if (isUnderWay(cycle.state)) return 'The messages will be delivered within minutes.';
  if (cycle.state === 'holding') {
    return `Your answer is kept. ${cycle.firstName} asked us to wait some days first. Then the messages will be delivered.`;
  }
  const people = cycle.missing === 1 ? 'one more person confirms' : `${cycle.missing} more people confirm`;
  return `Your answer is kept. The messages will be delivered when ${people}.`;
}

/**
 * Whether a confirmation no longer counts because another contact has cancelled since. One that does not count yet
 * for another reason is still waited for.
 */
export function isOvertaken(
  answer: { contactId: string; round: number },
  { cycle, counted }: { cycle: CycleFacts; counted: readonly string[] },
): boolean {
  if (counted.includes(answer.contactId) || isUnderWay(cycle.state)) return false;
  return isRoundStopped(cycle) || answer.round < cycle.round;
}

function isUnderWay(state: ReleaseState): boolean {
  return state === 'releasing' || state === 'released';
}
