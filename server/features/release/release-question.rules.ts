import { dayMs } from '#shared/rules/inactivity.ts';
import { openCycle } from './release-cycle.rules.ts';
import { type Decision, taken, wait } from './release-decision.rules.ts';
import { changed, type EventResult, ignored, toldContacts } from './release-events.rules.ts';
import { type Mark, type ReleaseFacts, remainingMs } from './release-facts.rules.ts';

/**
 * After the first letter has left, whoever signs in is asked whether they are the owner: it may be somebody who mourns
 * them and knows the password. Until it is answered nothing more leaves, and nothing is taken back.
 */

/** A question that nobody answers holds things up for so long, in healthy time, after the last sign-in. */
export const questionDays = 30;
/** Owner and contacts are told of a question once it has been open for so long. */
export const questionToldAfterMs = dayMs;
/** While letters are on their way and nothing is asked, time moves nothing. */
const eventOnlyRecheckMs = 30 * dayMs;

/** Somebody signed in after letters had left. Asked already, the question stays open for longer. */
export function signedInAfterDelivery(facts: ReleaseFacts, mark: Mark): EventResult {
  const { cycle, contacts } = facts;
  if (cycle?.state !== 'releasing' && cycle?.state !== 'released') return ignored(facts, 'out_of_date');
  const asked = { ...cycle, question: mark };
  if (cycle.question) return changed(asked, []);
  return changed(asked, [
    { kind: 'tell_owner', about: 'question' },
    { kind: 'tell_contacts', about: 'question', contactIds: contacts.map(({ id }) => id) },
  ]);
}

/**
 * "I am not the owner": it was no sign of life, and all goes on as if nobody had signed in. Contacts who have heard of the
 * sign-in hear of that, and so does the owner, who may be alive and not the one who said it.
 */
export function somebodyElseSignedIn(facts: ReleaseFacts): EventResult {
  return changed({ ...openCycle(facts), question: null }, [
    { kind: 'end_question' },
    { kind: 'tell_owner', about: 'not_owner' },
    { kind: 'tell_who_heard_of_question' },
  ]);
}

/** The owner is well and leaves it so: this release is closed, and what is on its way goes on. */
export function ownerLeavesItSo(facts: ReleaseFacts): EventResult {
  const contactIds = toldContacts(openCycle(facts));
  return {
    cycle: null,
    closedAs: 'released',
    effects: [{ kind: 'end_question' }, { kind: 'tell_contacts', about: 'left', contactIds, andWhoHeard: true }],
    ignored: null,
  };
}

/** When a question ends that nobody answers, `now` being by the clock and in healthy time. */
export function questionEndsAtMs(question: Mark, now: Mark): number {
  return now.atMs + remainingMs({ from: question, days: questionDays, isDoubled: false }, now.healthyMs);
}

/** What time does to a release whose letters have left: it ends a question that nobody answers. */
export function afterDelivery(facts: ReleaseFacts, now: number, healthyMs: number): Decision {
  const cycle = openCycle(facts);
  if (!cycle.question) return wait(facts, now, now + eventOnlyRecheckMs);
  const endsAtMs = questionEndsAtMs(cycle.question, { atMs: now, healthyMs });
  if (endsAtMs > now) return wait(facts, now, endsAtMs);
  const goesOn = { ...facts, cycle: { ...cycle, question: null } };
  return taken(goesOn, { step: 'question_unanswered', now, effects: [{ kind: 'end_question' }] });
}
