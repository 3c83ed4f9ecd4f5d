import { dayMs } from '#shared/rules/inactivity.ts';
import {
  type CycleFacts,
  countedConfirmations,
  liveInvitation,
  type OwnerFacts,
  pauseDays,
  type ReleaseFacts,
  requiredConfirmations,
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
  // Behind an accepted last reminder a pause outlasts every gap that is left, so an early request ends in asking too.
  const isAskedAgain = cycle.cause === 'silence' || cycle.last.ended !== null;
  const endsAtMs = (cycle.paused?.atMs ?? nowMs) + pauseDays * dayMs;
  return {
    askAgainDays: isAskedAgain ? Math.max(1, Math.ceil((endsAtMs - nowMs) / dayMs)) : null,
    canOthersConfirm: contacts.some(({ id }) => liveInvitation(cycle, id)),
  };
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
  const missing = Math.max(0, requiredConfirmations({ owner, contacts }) - confirmed);
  // Once the whole silence is over, the owner's days are not waited for any more.
  const days = cycle.cause === 'silence' ? 0 : waitingDaysOf({ owner, cycle });
  return { missing, waitingDays: days * (cycle.ownerUnreachable ? 2 : 1) };
}

/** When the owner's waiting time ends; null before it has begun. */
export function waitsUntilMs({
  owner,
  cycle,
}: {
  owner: Pick<OwnerFacts, 'waitingDays'>;
  cycle: CycleFacts | null;
}): number | null {
  if (cycle?.state !== 'holding' || !cycle.ownerNotice) return null;
  return cycle.ownerNotice.atMs + waitingDaysOf({ owner, cycle }) * dayMs * (cycle.ownerUnreachable ? 2 : 1);
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
