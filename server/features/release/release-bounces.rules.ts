import { changed, type EventResult, ignored } from './release-events.rules.ts';
import type { CycleFacts, InvitationFacts, ReleaseFacts } from './release-facts.rules.ts';

/**
 * A mail that had been accepted came back: what rested on its acceptance is as it was before, and waits for the mail, which
 * is sent again. Once letters are under way nothing is undone.
 */
function openBefore({ cycle }: ReleaseFacts): CycleFacts | null {
  return cycle && cycle.state !== 'releasing' && cycle.state !== 'released' ? cycle : null;
}

/** A reminder: the gaps behind it begin again with its acceptance, and a first one has the last written again. */
export function reminderBounced(facts: ReleaseFacts, which: 'first' | 'last'): EventResult {
  const cycle = openBefore(facts);
  if (!cycle?.[which].ended) return ignored(facts, 'out_of_date');
  return changed({ ...cycle, [which]: { ...cycle[which], ended: null } }, []);
}

/** A notice that begins the owner's own days, or the time to answer where nobody else could be told. */
export function noticeBounced(facts: ReleaseFacts, about: 'holding' | 'asked'): EventResult {
  const cycle = openBefore(facts);
  if (about === 'holding') {
    if (cycle?.state !== 'holding' || !cycle.ownerNotice) return ignored(facts, 'out_of_date');
    return changed({ ...cycle, ownerNotice: null }, []);
  }
  if (cycle?.state !== 'asking' || !cycle.asked) return ignored(facts, 'out_of_date');
  if (cycle.invitations.some((each) => each.round === cycle.round && isReached(each)))
    return ignored(facts, 'out_of_date');
  return changed({ ...cycle, asked: null }, []);
}

/**
 * A question to a contact. Where it had reached nobody else, the time to answer begins again behind it; others who have theirs
 * wait for nobody. Whoever has answered has read it.
 */
export function askBounced(facts: ReleaseFacts, ask: { contactId: string; round: number; tries: number }): EventResult {
  const cycle = openBefore(facts);
  const isSame = ({ contactId, round, tries }: InvitationFacts) =>
    contactId === ask.contactId && round === ask.round && tries === ask.tries;
  const asked = cycle?.invitations.find(isSame);
  if (!cycle || asked?.asking.outcome !== 'reached' || asked.isWithdrawn) return ignored(facts, 'out_of_date');
  if (asked.decision !== null) return ignored(facts, 'already_decided');
  const waiting: InvitationFacts = { ...asked, asking: { outcome: 'pending' } };
  const invitations = cycle.invitations.map((each) => (each === asked ? waiting : each));
  const isElseReached = invitations.some((each) => each.round === cycle.round && isReached(each));
  return changed({ ...cycle, asked: isElseReached ? cycle.asked : null, invitations }, []);
}

function isReached({ asking, decision, isWithdrawn }: InvitationFacts): boolean {
  return (asking.outcome === 'reached' && !isWithdrawn) || decision !== null;
}
