import { decide } from '#server/features/release-core/decide.rules.ts';
import type { Refusal } from '#server/features/release-core/events.rules.ts';
import { countsEarlyFrom, termsAtOpening, termsOf } from '#server/features/release-core/facts.rules.ts';
import type { Contact, Mark, World } from '#server/features/release-core/model.rules.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { TrusteeSummary } from '#shared/contract/release/trustee.ts';
import { askForNewsDays } from '#shared/rules/release-answers.ts';

export type TrusteeState = TrusteeSummary['release']['state'];

/** State of a release that a trustee has confirmed. Earlier answers of others are hidden from them. */
export function trusteeState({ request, release }: World, contactId: string): TrusteeState {
  if (release) return 'released';
  const last = request?.answers.findLast((each) => each.contactId === contactId);
  // Withdrawn, voided by leaving the role, or from before a pause that has ended: a new answer is possible.
  if (!request || last?.says !== 'yes' || last.isVoid) return 'none';
  if (request.phase.name === 'paused') return 'paused';
  return request.phase.name === 'holding' ? 'waiting_time' : 'waiting_for_others';
}

/** True while this contact has a yes that counts, and no letter has left. */
export function canWithdraw(world: World, contactId: string, now: Mark): boolean {
  return decide(world, { kind: 'take_back', contactId }, now).refused === null;
}

/** True while a request is open in which this contact can say that the owner is alive. */
export function canSayAlive(world: World, contactId: string, now: Mark): boolean {
  return decide(world, { kind: 'answer', contactId, says: 'alive', isByAccount: true }, now).refused === null;
}

/** Number of contacts who must confirm, as announced by the open request, or as for a request that opened now. */
export function neededOf(world: World): number {
  const request = world.request ?? world.release?.request;
  return (request?.terms ?? termsAtOpening(termsOf(world), world)).needed;
}

/**
 * Time from which a trustee can confirm a release. Null if they can now. It is some days after the latest of these: the
 * contact's yes, the relationship with the account, and the proof of its mailbox. In a request by silence the days
 * after the yes do not count, because every contact counts in it.
 * @param of.accountMs of relationship and proof, by the clock.
 */
export function triggerFromMs(
  { request }: Pick<World, 'request'>,
  { contact, accountMs }: { contact: Contact; accountMs: readonly number[] },
  now: Mark,
): number | null {
  const others = accountMs.map((atMs) => countsEarlyFrom({ ...contact, confirmed: markAt(atMs, now) }, now));
  const ownFromMs = request?.cause === 'silence' ? now.atMs : countsEarlyFrom(contact, now);
  const fromMs = Math.max(ownFromMs, ...others);
  return fromMs > now.atMs ? fromMs : null;
}

/** Healthy time was not recorded for these moments, so all time since counts. */
function markAt(atMs: number, now: Mark): Mark {
  return { atMs, healthyMs: now.healthyMs - (now.atMs - atMs) };
}

type Released = {
  state: TrusteeState;
  missing: number;
  /** The owner's own days, and the day of their end, in words. */
  waitingDays: number;
  until: string;
  firstName: string;
};

/** Message to a trustee after a press, in plain words. */
export function triggeredMessage({ state, missing, waitingDays, until, firstName }: Released): string {
  if (state === 'released') return 'All ready messages have been released to their recipients.';
  if (state === 'waiting_time' && waitingDays === 0) {
    return `Nothing is sent before our email has told ${firstName}. Then the letters go. If ${firstName} comes back before, or another contact says no, nothing is sent.`;
  }
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

/** Reason for the trustee why a press did nothing. `again`: day of the next possible try, if known. */
export function triggerRefusal(refused: Refusal, firstName: string, again: string | null = null): AppError {
  const from = (otherwise: string) => (again === null ? otherwise : `Try again from ${again}.`);
  switch (refused) {
    case 'too_late':
      return conflict('The messages are on their way already.');
    case 'already_answered':
      return conflict('You have answered already. Your answer is kept.');
    case 'paused':
      return conflict('A trusted contact stopped the release. Nothing can be released for up to 30 days.');
    case 'frozen':
      return conflict('Releases are stopped at the moment. Nothing is lost. Try again in a day.');
    case 'nothing_ready':
      return conflict(`${firstName} has no message that is ready to be sent.`);
    case 'budget_spent':
      return conflict(`${firstName}’s messages were asked for three times this week. ${from('Try again in a week.')}`);
    case 'stopped_before':
      return conflict(
        `${firstName} stopped a release that you asked for. ${from('You can ask again 30 days after that.')}`,
      );
    case 'contact_too_new':
      return conflict('You can trigger a release 72 hours after you became a trustee, not before.');
    case 'not_verified':
      return conflict(`${firstName}’s email address is not confirmed, so nothing can be released.`);
    default:
      return notFound();
  }
}

export const withdrawnMessage = 'Your confirmation is withdrawn. It no longer counts.';

/** Message to a trustee who said that the owner is alive. */
export function aliveMessage(firstName: string): string {
  return `Your answer is kept: ${firstName} is alive and can’t answer. If ${firstName} stays silent, we ask you for news in ${inDays(askForNewsDays)}.`;
}

/** Reason why "alive, but can't answer" was not taken. */
export function aliveRefusal(refused: Refusal): AppError {
  switch (refused) {
    case 'too_late':
      return conflict('The messages are on their way already.');
    case 'already_answered':
      return conflict('You have answered already. Your answer is kept.');
    default:
      return conflict('Nobody is being asked about this person now, so there is nothing to stop.');
  }
}

/** Reason why a confirmation could not be withdrawn. */
export function withdrawalRefusal(refused: Refusal): AppError {
  return refused === 'too_late'
    ? conflict('A letter has left already. The confirmation can’t be withdrawn any more.')
    : conflict('You have no confirmation that could be withdrawn.');
}

function conflict(message: string): AppError {
  return new AppError('CONFLICT', message);
}
