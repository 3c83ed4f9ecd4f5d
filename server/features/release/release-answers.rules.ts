import {
  type ContactFacts,
  type CycleFacts,
  contactProbationMs,
  type InvitationFacts,
  type OwnerFacts,
  type ReleaseFacts,
} from './release-facts.rules.ts';

type Quorum = { owner: Pick<OwnerFacts, 'quorum'>; contacts: readonly ContactFacts[] };

/** How many must confirm of these contacts; never more than there are, and never none. */
export function quorumOf({ owner, contacts }: Quorum): number {
  return Math.max(1, Math.min(owner.quorum, contacts.length));
}

/**
 * How many must confirm now. Whoever leaves the role says nothing of the owner, so within a round their leaving makes
 * nobody else's word enough; a new round reckons with those who are left.
 */
export function requiredConfirmations({ owner, contacts, cycle }: Quorum & Pick<ReleaseFacts, 'cycle'>): number {
  return Math.max(quorumOf({ owner, contacts }), cycle?.neededConfirmations ?? 0);
}

/**
 * The contacts whose confirmation counts now. A contact's first cancel undoes what was confirmed until then, so that
 * it wins every race. A later cancel of the same person does not: one person cannot stop for ever what the others say.
 */
export function countedConfirmations(
  { cycle, contacts }: Pick<ReleaseFacts, 'cycle' | 'contacts'>,
  now: number,
): string[] {
  if (!cycle) return [];
  const stoppedRound = lastStoppedRound(cycle);
  return contacts
    .filter((contact) => cycle.cause === 'silence' || now - contact.confirmedAtMs >= contactProbationMs)
    .filter((contact) => {
      const latest = latestDecision(cycle, contact.id);
      if (latest?.isHeld && cycle.cause !== 'silence') return false;
      return latest?.decision === 'confirmed' && !latest.isWithdrawn && latest.round > stoppedRound;
    })
    .map((contact) => contact.id);
}

export function isQuorumMet(facts: ReleaseFacts, now: number): boolean {
  return countedConfirmations(facts, now).length >= requiredConfirmations(facts);
}

/** Whether a first cancel holds this round: then nobody's confirmation counts before the pause is over. */
export function isRoundStopped(cycle: CycleFacts): boolean {
  return lastStoppedRound(cycle) === cycle.round && cycle.round > 0;
}

/** Whether this contact has said no before, and not only in an early round that is over: then another one is a repeated one. */
export function hasCancelled(cycle: CycleFacts, contactId: string): boolean {
  return standingInvitations(cycle).some((each) => each.contactId === contactId && each.decision === 'cancelled');
}

function standingInvitations({ invitations, settledRound }: CycleFacts): InvitationFacts[] {
  return invitations.filter(({ round }) => round > settledRound);
}

function lastStoppedRound(cycle: CycleFacts): number {
  const firstCancels = new Map<string, number>();
  for (const { contactId, round, decision } of standingInvitations(cycle)) {
    if (decision !== 'cancelled') continue;
    firstCancels.set(contactId, Math.min(round, firstCancels.get(contactId) ?? round));
  }
  return Math.max(0, ...firstCancels.values());
}

function latestDecision(cycle: CycleFacts, contactId: string): InvitationFacts | undefined {
  return standingInvitations(cycle)
    .filter((invitation) => invitation.contactId === contactId && invitation.decision !== null)
    .reduce<InvitationFacts | undefined>(
      (latest, each) => (latest && latest.round > each.round ? latest : each),
      undefined,
    );
}

/** The invitations of this round that somebody answers for: not those of contacts who have left since. */
export function invitationsOfRound({ cycle, contacts }: Pick<ReleaseFacts, 'cycle' | 'contacts'>): InvitationFacts[] {
  if (!cycle) return [];
  const ids = contacts.map((contact) => contact.id);
  return cycle.invitations.filter(
    ({ contactId, round, isWithdrawn }) => round === cycle.round && !isWithdrawn && ids.includes(contactId),
  );
}

/** What somebody was asked in this round, unless they left the role meanwhile. */
export function invitationOfRound(cycle: CycleFacts, contactId: string): InvitationFacts | undefined {
  return cycle.invitations.find(
    (each) =>
      each.contactId === contactId &&
      each.round === cycle.round &&
      (!each.isWithdrawn || each.decision === 'cancelled'),
  );
}

/** The link a contact can still act on. */
export function liveInvitation(cycle: CycleFacts, contactId: string): InvitationFacts | undefined {
  return cycle.invitations.find(
    (invitation) =>
      invitation.contactId === contactId &&
      invitation.round === cycle.round &&
      !invitation.isWithdrawn &&
      invitation.decision === null,
  );
}
