import { withRoundEnded } from './release-cycle.rules.ts';
import { changed, type Effect, type EventResult, ignored } from './release-events.rules.ts';
import type { CycleFacts, InvitationFacts, Mark, ReleaseFacts } from './release-facts.rules.ts';

/** How a mail ended: accepted by the mail server, or refused for good. */
export type MailResult = { outcome: 'accepted' | 'failed'; isMailHealthy: boolean; mark: Mark };

/**
 * A reminder was accepted, or refused for good. Refused while mail as a whole is well, it counts as tried and the
 * windows double; refused while nothing gets through, it says nothing of the owner and is written again.
 */
export function reminderEnded(facts: ReleaseFacts, which: 'first' | 'last', result: MailResult): EventResult {
  const { cycle } = facts;
  if (!cycle) return ignored(facts, 'nothing_open');
  const reminder = cycle[which];
  if (reminder.sentAtMs === null || reminder.ended) return ignored(facts, 'out_of_date');
  if (result.outcome === 'failed' && !result.isMailHealthy) {
    return changed({ ...cycle, [which]: { sentAtMs: null, ended: null, tries: reminder.tries + 1 } }, []);
  }
  const ended = { ...cycle, [which]: { ...reminder, ended: result.mark } };
  return changed(result.outcome === 'failed' ? { ...ended, ownerUnreachable: true } : ended, []);
}

/** The notice that starts the owner's waiting period, or that nobody but the owner could be asked. */
export function noticeEnded(facts: ReleaseFacts, about: 'holding' | 'asked', result: MailResult): EventResult {
  const { cycle } = facts;
  if (!cycle) return ignored(facts, 'nothing_open');
  const nobodyAsked = !cycle.invitations.some(({ round }) => round === cycle.round);
  const isAwaited =
    about === 'holding'
      ? cycle.state === 'holding' && !cycle.ownerNotice
      : cycle.state === 'asking' && cycle.cause === 'silence' && nobodyAsked && !cycle.asked;
  if (!isAwaited) return ignored(facts, 'out_of_date');
  if (result.outcome === 'failed' && !result.isMailHealthy) {
    return changed({ ...cycle, noticeTries: cycle.noticeTries + 1 }, [{ kind: 'tell_owner', about }]);
  }
  const ended: CycleFacts =
    about === 'holding' ? { ...cycle, ownerNotice: result.mark } : { ...cycle, asked: result.mark };
  return changed(result.outcome === 'failed' ? { ...ended, ownerUnreachable: true } : ended, []);
}

/** An asking mail was accepted or has failed. */
export function askEnded(
  facts: ReleaseFacts,
  ask: { contactId: string; round: number; tries: number },
  { outcome, isMailHealthy, mark }: MailResult,
): EventResult {
  const { cycle } = facts;
  if (!cycle) return ignored(facts, 'nothing_open');
  const isSame = ({ contactId, round, tries }: InvitationFacts) =>
    contactId === ask.contactId && round === ask.round && tries === ask.tries;
  const asked = cycle.invitations.find(isSame);
  if (asked?.asking.outcome !== 'pending') return ignored(facts, 'out_of_date');

  const result = { outcome: outcome === 'accepted' ? ('reached' as const) : ('failed' as const), atMs: mark.atMs };
  const invitations = cycle.invitations.map((each) => (each === asked ? { ...each, asking: result } : each));
  const ended = withRoundEnded({ ...facts, cycle: { ...cycle, invitations } }, { isMailHealthy, mark });
  // It was being handed over while somebody cancelled: whoever holds it is told what the others were told.
  const isTooLate = cycle.state === 'paused' && asked.isWithdrawn && result.outcome === 'reached';
  const by = cycle.invitations.find(({ round, decision }) => round === cycle.round && decision === 'cancelled');
  const told: Effect[] = isTooLate
    ? [{ kind: 'tell_contacts', about: 'paused', contactIds: [ask.contactId], ...(by && { by: by.contactId }) }]
    : [];
  return changed(ended, told);
}

/** Every delivery was accepted or refused for good. */
export function deliveriesEnded(facts: ReleaseFacts): EventResult {
  const { cycle, contacts } = facts;
  if (cycle?.state !== 'releasing') return ignored(facts, cycle ? 'out_of_date' : 'nothing_open');
  const contactIds = contacts.map((contact) => contact.id);
  const told: Effect[] = contactIds.length > 0 ? [{ kind: 'tell_contacts', about: 'released', contactIds }] : [];
  return changed({ ...cycle, state: 'released' }, told);
}
