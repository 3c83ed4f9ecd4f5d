import { dayMs } from '#shared/rules/inactivity.ts';
import { countedConfirmations, invitationsOfRound } from './release-answers.rules.ts';
import {
  type CycleFacts,
  contactProbationMs,
  type InvitationFacts,
  type Mark,
  type OpenState,
  type ReleaseFacts,
} from './release-facts.rules.ts';

type RoundEnd = { isMailHealthy: boolean; mark: Mark };

/** A cycle in which nothing has been sent yet. */
export function newCycle(now: number, cause: CycleFacts['cause'], state: OpenState): CycleFacts {
  const unsent = { sentAtMs: null, ended: null, tries: 0 };
  const nothing = { asked: null, ownerNotice: null, paused: null, question: null, answerDays: null, waitingDays: null };
  const unasked = { round: 0, settledRound: 0, neededConfirmations: null };
  const never = {
    restored: null,
    roundBegan: null,
    noticeTries: 0,
    ownerUnreachable: false,
  };
  return {
    state,
    cause,
    openedAtMs: now,
    first: unsent,
    last: unsent,
    ...nothing,
    ...unasked,
    ...never,
    invitations: [],
  };
}

export function newInvitation(contactId: string, round: number): InvitationFacts {
  return { contactId, round, tries: 0, asking: { outcome: 'pending' }, isWithdrawn: false, decision: null };
}

/** Asks somebody in this round; who left it and came back has one link, and it is the newest. */
export function invited(cycle: CycleFacts, contactIds: readonly string[]): InvitationFacts[] {
  const earlier = cycle.invitations.filter(
    ({ contactId, round }) => round === cycle.round && contactIds.includes(contactId),
  );
  const asked = contactIds.map((contactId) => {
    const before = earlier.find((each) => each.contactId === contactId);
    return { ...newInvitation(contactId, cycle.round), tries: before ? before.tries + 1 : 0 };
  });
  return [...cycle.invitations.filter((each) => !earlier.includes(each)), ...asked];
}

/**
 * The answer time begins when no mail of the round is on its way any more. Where nobody at all was reached, that says
 * something of the contacts only while mail as a whole is well.
 */
export function withRoundEnded(facts: ReleaseFacts, { isMailHealthy, mark }: RoundEnd): CycleFacts {
  const cycle = openCycle(facts);
  const ofRound = invitationsOfRound(facts);
  if (cycle.state !== 'asking' || cycle.asked || ofRound.length === 0) return cycle;
  const isOver = ofRound.every(({ asking, decision }) => asking.outcome !== 'pending' || decision !== null);
  const isReached = ofRound.some(({ asking, decision }) => asking.outcome === 'reached' || decision !== null);
  return isOver && (isReached || isMailHealthy) ? { ...cycle, asked: mark } : cycle;
}

/** The invitations once every link that nobody has used is dead. */
export function withdrawn(cycle: CycleFacts): InvitationFacts[] {
  return cycle.invitations.map((invitation) =>
    invitation.decision === null ? { ...invitation, isWithdrawn: true } : invitation,
  );
}

/**
 * Silence takes over from an early request. One that a contact called off is over with all that was said about it, so
 * that a no against it is not their only one; where nobody objected, a yes is still a yes.
 */
export function takenOverBySilence(cycle: CycleFacts): CycleFacts {
  const isCalledOff = cycle.cause !== 'silence' && cycle.state === 'paused';
  return { ...cycle, cause: 'silence', settledRound: isCalledOff ? cycle.round : cycle.settledRound };
}

/** The cycle of an owner who must have one. */
export function openCycle({ cycle }: Pick<ReleaseFacts, 'cycle'>): CycleFacts {
  if (!cycle) throw new Error('This step needs an open cycle.');
  return cycle;
}

/** The contacts who have no part in this round and have not confirmed either. */
export function uninvited(facts: ReleaseFacts, now: number): string[] {
  const confirmed = countedConfirmations(facts, now);
  const asked = invitationsOfRound(facts).map(({ contactId }) => contactId);
  return facts.contacts.map(({ id }) => id).filter((id) => !asked.includes(id) && !confirmed.includes(id));
}

/** Who was asked in this round is no contact any more, so nobody is left whose mail or answer could end it. */
export function hasEverybodyLeft(facts: ReleaseFacts): boolean {
  const { invitations, round } = openCycle(facts);
  return invitations.some((each) => each.round === round) && invitationsOfRound(facts).length === 0;
}

/** When the last question of a round failed of which no other reached anybody; `null` otherwise. */
export function everyAskFailedAtMs(facts: ReleaseFacts): number | null {
  const asks = invitationsOfRound(facts).map(({ asking }) => asking);
  const failedAtMs = asks.flatMap((ask) => (ask.outcome === 'failed' ? [ask.atMs] : []));
  return asks.length > 0 && failedAtMs.length === asks.length ? Math.max(...failedAtMs) : null;
}

/** When a confirmation that is too fresh to count begins to. */
export function maturesAtMs({ contacts }: ReleaseFacts, now: number): number | null {
  const atMs = contacts.map((contact) => contact.confirmedAtMs + contactProbationMs).filter((each) => each > now);
  return atMs.length > 0 ? Math.min(...atMs) : null;
}

/** Whoever was asked and has not answered can ask for another link after so long, and again after as long. */
export const newLinkAfterMs = dayMs;

/** Whether a link is lost to its contact: its mail failed, or has been there for a day and nobody has answered. */
export function needsNewLink(
  { owner, cycle }: ReleaseFacts,
  { asking, decision }: InvitationFacts,
  now: number,
): boolean {
  if (decision !== null || asking.outcome === 'pending' || now - asking.atMs < newLinkAfterMs) return false;
  // While the time to answer waits for other mails, it does not wait for a mailbox twice.
  const isWaiting = cycle?.cause === 'silence' && !cycle.asked && owner.releaseMethod === 'inactivity';
  return asking.outcome === 'reached' || !isWaiting;
}

/** Whether an early request now would be a new one; while one is open, or silence asks, whoever asks joins it. */
export function opensRequest({ cycle }: Pick<ReleaseFacts, 'cycle'>): boolean {
  return cycle === null || cycle.state === 'reminded' || cycle.state === 'warned';
}
