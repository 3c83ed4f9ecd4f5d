import { invitationOfRound, isRoundStopped } from '#server/features/release/release-answers.rules.ts';
import { contactCancels } from '#server/features/release/release-events.rules.ts';
import {
  type CycleFacts,
  contactProbationMs,
  type Mark,
  type ReleaseFacts,
  waitingDaysOf,
  waitsForOwner,
} from '#server/features/release/release-facts.rules.ts';
import { type PauseProspect, pauseProspect, waitsUntilMs } from '#server/features/release/release-prospects.rules.ts';
import type { Portal, ReleaseState } from '#shared/contract/release.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { releasedDocumentDays } from '#shared/rules/retention.ts';

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

/**
 * Whether a confirmation no longer counts because another contact has cancelled since. One that does not count yet
 * for another reason is still waited for.
 */
function isOvertaken(answer: Answer, { cycle, counted }: Counted): boolean {
  if (counted.includes(answer.contactId) || isUnderWay(cycle.state)) return false;
  return isRoundStopped(cycle) || answer.round < cycle.round || answer.round <= cycle.settledRound;
}

type Answer = { contactId: string; round: number };
type Counted = { cycle: CycleFacts; counted: readonly string[] };

/**
 * What the page says that became of an answer: one that something else has overtaken is shown as what happened, so
 * that nobody reads "nothing is sent" of letters that were.
 */
export function shownState(state: Portal['state'], answer: Answer, facts: Counted): Portal['state'] {
  if (state === 'cancelled' && isUnderWay(facts.cycle.state)) return 'released';
  return state === 'confirmed' && isOvertaken(answer, facts) ? 'stopped' : state;
}

/** A page, as far as it says what is going to happen. */
export type Outlook = {
  facts: ReleaseFacts & { cycle: CycleFacts };
  contactId: string;
  time: { now: number; healthyMs: number };
  health: { isClockBehind: boolean; isMailHealthy: boolean };
};

/** What keeps messages back although enough contacts have confirmed, or would if they did. */
export type Held = { by: NonNullable<Portal['held']>['by']; untilMs: number | null };

/** The gravest of what holds this release; `null` where a confirmation that is still needed is all that is waited for. */
export function heldBy({ facts, contactId, time, health }: Outlook): Held | null {
  const { owner, cycle, contacts, readyMessages, isInstallationFrozen } = facts;
  if (cycle.state === 'released') return null;
  const stopped: Held = { by: 'stopped', untilMs: null };
  const isFrozen = owner.isFrozen || isInstallationFrozen;
  // Letters that were made out leave in whatever hour the clock shows, as long as the mail server takes them.
  if (cycle.state === 'releasing') return isFrozen || !health.isMailHealthy ? stopped : null;
  if (isFrozen || !owner.isVerified || health.isClockBehind) return stopped;
  if (cycle.cause !== 'silence' && cycle.invitations.some((each) => each.contactId === contactId && each.isHeld))
    return stopped;
  if (readyMessages === 0) return { by: 'no_message', untilMs: null };

  const confirmedAtMs = contacts.find(({ id }) => id === contactId)?.confirmedAtMs ?? 0;
  const countsFromMs = confirmedAtMs + contactProbationMs;
  if (cycle.cause !== 'silence' && countsFromMs > time.now) return { by: 'new_contact', untilMs: countsFromMs };
  if (cycle.state !== 'holding' || ownersDays(facts, time) === 0) return null;
  return { by: 'waiting_time', untilMs: waitsUntilMs(facts, time) };
}

/** Days of the owner's own that stand before an early release; none where the whole silence was over before it. */
export function ownersDays(facts: Outlook['facts'], { now, healthyMs }: Outlook['time']): number {
  if (!waitsForOwner(facts, now, healthyMs)) return 0;
  return waitingDaysOf(facts) * (facts.cycle.ownerUnreachable ? 2 : 1);
}

/** The contacts who have a part in this round, each by an invitation that somebody answers for. */
export function askedIds({ contacts, cycle }: Outlook['facts']): string[] {
  return contacts.map(({ id }) => id).filter((id) => invitationOfRound(cycle, id) !== undefined);
}

/** What a cancel of this contact would lead to, by the very rule that takes it; `null` where none can be given. */
export function ifCancelled(
  { facts, contactId, time }: Outlook,
  mark: Mark,
): (PauseProspect & { toldIds: string[] }) | null {
  const { cycle, effects, ignored } = contactCancels(facts, contactId, mark);
  if (!cycle || ignored !== null) return null;
  const told = effects.flatMap((effect) => (effect.kind === 'tell_contacts' ? effect.contactIds : []));
  const toldIds = facts.contacts.map(({ id }) => id).filter((id) => told.includes(id));
  return { ...pauseProspect({ cycle, contacts: facts.contacts }, time.now), toldIds };
}

function isUnderWay(state: ReleaseState): boolean {
  return state === 'releasing' || state === 'released';
}
