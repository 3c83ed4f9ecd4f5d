import type { CycleFacts, InvitationFacts, OpenState, ReleaseFacts } from './release-facts.rules.ts';

/** A cycle in which nothing has been sent yet. */
export function newCycle(now: number, cause: CycleFacts['cause'], state: OpenState): CycleFacts {
  const unsent = { sentAtMs: null, ended: null };
  const nothing = { asked: null, ownerNotice: null, paused: null, round: 0, tries: 0, ownerUnreachable: false };
  return { state, cause, openedAtMs: now, first: unsent, last: unsent, ...nothing, invitations: [] };
}

export function newInvitation(contactId: string, round: number): InvitationFacts {
  return { contactId, round, asking: { outcome: 'pending' }, isWithdrawn: false, decision: null };
}

/** The invitations once every link that nobody has used is dead. */
export function withdrawn(cycle: CycleFacts): InvitationFacts[] {
  return cycle.invitations.map((invitation) =>
    invitation.decision === null ? { ...invitation, isWithdrawn: true } : invitation,
  );
}

/** The cycle of an owner who must have one. */
export function openCycle({ cycle }: Pick<ReleaseFacts, 'cycle'>): CycleFacts {
  if (!cycle) throw new Error('This step needs an open cycle.');
  return cycle;
}
