import type { Ignored } from '#server/features/release/release-events.rules.ts';
import { type CycleFacts, contactProbationMs } from '#server/features/release/release-facts.rules.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { TrusteeSummary } from '#shared/contract/trustee.ts';

export type TrusteeState = TrusteeSummary['release']['state'];

/** How far the release is that a trustee has confirmed. What others do before that is not theirs to see. */
export function trusteeState(cycle: CycleFacts | null, contactId: string, counted: readonly string[]): TrusteeState {
  if (!cycle) return 'none';
  if (cycle.state === 'releasing' || cycle.state === 'released') return 'released';
  const last = cycle.invitations.findLast((each) => each.contactId === contactId && each.decision !== null);
  if (last?.decision !== 'confirmed') return 'none';
  if (cycle.state === 'paused') return 'paused';
  // Another contact's cancel undid it and the pause is over: there is a new answer to give.
  const isOver = last.round < cycle.round || last.round <= cycle.settledRound;
  if (!counted.includes(contactId) && isOver) return 'none';
  return cycle.state === 'holding' ? 'waiting_time' : 'waiting_for_others';
}

/** From when a contact can ask for an early release; null where they can now. */
export function triggerFromMs(confirmedAtMs: number, nowMs: number): number | null {
  const fromMs = confirmedAtMs + contactProbationMs;
  return fromMs > nowMs ? fromMs : null;
}

type Released = {
  state: TrusteeState;
  missing: number;
  /** The owner's own days, and the day of their end, in words. */
  waitingDays: number;
  until: string;
  firstName: string;
};

/** What a trustee is told after pressing, in plain words. */
export function triggeredMessage({ state, missing, waitingDays, until, firstName }: Released): string {
  if (state === 'released') return 'All ready messages have been released to their recipients.';
  if (state === 'waiting_time') {
    return `We try to reach ${firstName} until ${until}. Then the letters go. If ${firstName} comes back before, or another contact says no, nothing is sent.`;
  }
  if (missing > 0) {
    const people = missing === 1 ? 'one more trusted contact confirms' : `${missing} more trusted contacts confirm`;
    const first = waitingDays > 0 ? ` Then we try to reach ${firstName} for ${inDays(waitingDays)} first.` : '';
    return `Nothing is sent yet. The messages are delivered when ${people}. We have asked them.${first}`;
  }
  return 'Your confirmation is kept. Nothing is sent yet.';
}

function inDays(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}

/** Why pressing release did nothing, for the trustee. */
export function triggerRefusal(ignored: Ignored, firstName: string): AppError {
  switch (ignored) {
    case 'too_late':
      return conflict('The messages are on their way already.');
    case 'already_decided':
      return conflict('You have answered already. Your answer is kept.');
    case 'paused':
      return conflict('A trusted contact chose Cancel Release. Nothing can be released for up to 30 days.');
    case 'frozen':
      return conflict('Releases are stopped at the moment. Nothing is lost. Try again in a day.');
    case 'no_ready_message':
      return conflict(`${firstName} has no message that is ready to be sent.`);
    case 'budget_spent':
      return conflict(`${firstName}’s messages were asked for three times this week. Try again in a week.`);
    case 'contact_too_new':
      return conflict('You can trigger a release 72 hours after you became a trustee, not before.');
    case 'not_verified':
      return conflict(`${firstName}’s email address is not confirmed, so nothing can be released.`);
    default:
      return notFound();
  }
}

function conflict(message: string): AppError {
  return new AppError('CONFLICT', message);
}
