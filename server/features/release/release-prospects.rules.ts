import { dayMs } from '#shared/rules/inactivity.ts';
import { countedConfirmations, liveInvitation, requiredConfirmations } from './release-answers.rules.ts';
import {
  type CycleFacts,
  type OwnerFacts,
  pauseDays,
  type ReleaseFacts,
  remainingMs,
  waitingDaysOf,
} from './release-facts.rules.ts';

type Facts = Pick<ReleaseFacts, 'owner' | 'contacts'> & { cycle: CycleFacts };

/** What a mail may announce of the time after a contact's cancel. */
export type PauseProspect = {
  /** Whole days until contacts are asked again; null where only the usual reminders of silence go on. */
  askAgainDays: number | null;
  /** A repeated cancel leaves the links of the others alive. */
  canOthersConfirm: boolean;
};

export function pauseProspect({ cycle, contacts }: Pick<Facts, 'cycle' | 'contacts'>, nowMs: number): PauseProspect {
  const endsAtMs = (cycle.paused?.atMs ?? nowMs) + pauseDays * dayMs;
  return {
    askAgainDays: isAskedAfterPause(cycle) ? Math.max(1, Math.ceil((endsAtMs - nowMs) / dayMs)) : null,
    canOthersConfirm: contacts.some(({ id }) => liveInvitation(cycle, id)),
  };
}

/** Whether a pause ends in a question to contacts. Otherwise the usual reminders of silence are all that goes on. */
export function isAskedAfterPause({ cause, last }: Pick<CycleFacts, 'cause' | 'last'>): boolean {
  // Behind an accepted last reminder a pause outlasts every gap that is left, so an early request ends in asking too.
  return cause === 'silence' || last.ended !== null;
}

/** What one contact can do, or has done, while another one's cancel holds the release. */
export type PartInPause = 'can_answer' | 'has_confirmed' | 'none';

export function partInPause(
  { cycle, contacts }: Pick<Facts, 'cycle' | 'contacts'>,
  contactId: string,
  nowMs: number,
): PartInPause {
  if (liveInvitation(cycle, contactId)) return 'can_answer';
  return countedConfirmations({ cycle, contacts }, nowMs).includes(contactId) ? 'has_confirmed' : 'none';
}

/** What still stands between an early request and the delivery. */
export type EarlyProspect = {
  /** Contacts who must still confirm. */
  missing: number;
  /** The owner's own days, doubled where they can't be reached; 0 where nothing is waited for. */
  waitingDays: number;
};

export function earlyProspect({ owner, contacts, cycle }: Facts, nowMs: number): EarlyProspect {
  const confirmed = countedConfirmations({ cycle, contacts }, nowMs).length;
  const missing = Math.max(0, requiredConfirmations({ owner, contacts, cycle }) - confirmed);
  // Where the whole silence is over, the owner's days are waited for only if their wait had begun before.
  const days = cycle.cause === 'silence' && cycle.state !== 'holding' ? 0 : waitingDaysOf({ owner, cycle });
  return { missing, waitingDays: days * (cycle.ownerUnreachable ? 2 : 1) };
}

/** The earliest that the owner's waiting time can end, outages counted in; null before it has begun. */
export function waitsUntilMs(
  { owner, cycle }: { owner: Pick<OwnerFacts, 'waitingDays'>; cycle: CycleFacts | null },
  { now, healthyMs }: { now: number; healthyMs: number },
): number | null {
  if (cycle?.state !== 'holding' || !cycle.ownerNotice) return null;
  const window = {
    from: cycle.ownerNotice,
    days: waitingDaysOf({ owner, cycle }),
    isDoubled: cycle.ownerUnreachable,
  };
  return now + remainingMs(window, healthyMs);
}

/** Whether the page that this contact was sent still opens once everything is delivered: `portalState`, by the facts. */
export function keepsPage({ invitations }: Pick<CycleFacts, 'invitations'>, contactId: string): boolean {
  return invitations.some(
    (each) =>
      each.contactId === contactId &&
      each.asking.outcome === 'reached' &&
      (each.decision !== null || !each.isWithdrawn),
  );
}
