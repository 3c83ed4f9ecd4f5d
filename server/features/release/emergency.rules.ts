import { dayMs } from '#shared/rules/inactivity.ts';
import { invitationOfRound } from './release-answers.rules.ts';
import { newLinkAfterMs } from './release-cycle.rules.ts';
import type { Ignored } from './release-events.rules.ts';
import { contactProbationMs, pauseDays, type ReleaseFacts, remainingMs } from './release-facts.rules.ts';

/** Tries whose addresses belong to nobody's contact, from one network: a /24 of IPv4, a /56 of IPv6. */
export const emergencyNetworkBudget = { limit: 30, windowMs: 3_600_000 };
/**
 * Tries in the name of one contact of one account. Not of an account alone: whoever knows its address could shut the form
 * for those who really are its contacts.
 */
export const emergencyPairBudget = { limit: 3, windowMs: 86_400_000 };
/** Early releases of one owner that may be asked for, by form or by trustees; who joins an open one is not counted. */
export const earlyBudget = { limit: 3, windowMs: 7 * dayMs };
/** For so many owners one mailbox may confirm early within a day; at the next one it is held for the operator. */
export const confirmedOwnersMax = 3;
export const mailboxWindowMs = dayMs;

/** Why the emergency form has begun nothing, for the owner; null where there is nobody to tell. */
export function nothingBegun(ignored: Ignored): string | null {
  switch (ignored) {
    case 'already_asked':
    case 'already_decided':
      return 'We had asked this contact already, so nothing new has begun.';
    case 'contact_too_new':
      return 'This contact accepted the role less than 72 hours ago, so nothing has begun.';
    case 'paused':
      return 'A trusted contact chose Cancel Release a short time ago, so nothing has begun.';
    case 'no_ready_message':
      return 'You have no message that is ready to be sent, so nothing has begun.';
    case 'frozen':
    case 'not_verified':
      return 'Releases are stopped at the moment, so nothing has begun.';
    case 'budget_spent':
      return 'Your messages were asked for three times within a week, so nothing has begun.';
    case 'too_late':
      return 'Your messages are being delivered already.';
    default:
      return null;
  }
}

/** Why a contact's request has begun nothing. */
export type RequestRefusal =
  | 'too_new'
  | 'asked'
  | 'answered'
  | 'paused'
  | 'nothing_ready'
  | 'budget_spent'
  | 'stopped'
  | 'under_way';

type About = {
  contactId: string;
  ignored: Ignored;
  /** When early requests of the last week opened, oldest first. */
  requestedMs: readonly number[];
  time: { now: number; healthyMs: number };
};

/** What the contact in whose name the form was filled in is told; null where an email with a link is on its way to them. */
export function noAnswerFor(
  facts: Pick<ReleaseFacts, 'cycle'>,
  about: Pick<About, 'contactId' | 'ignored'>,
): RequestRefusal | null {
  switch (about.ignored) {
    case 'contact_too_new':
      return 'too_new';
    case 'already_decided':
      return 'answered';
    case 'already_asked': {
      const asked = facts.cycle && invitationOfRound(facts.cycle, about.contactId);
      if (asked?.decision) return 'answered';
      return asked?.asking.outcome === 'reached' ? 'asked' : null;
    }
    case 'paused':
      return 'paused';
    case 'no_ready_message':
      return 'nothing_ready';
    case 'budget_spent':
      return 'budget_spent';
    case 'frozen':
    case 'not_verified':
      return 'stopped';
    case 'too_late':
      return 'under_way';
    default:
      return null;
  }
}

/** From when on the form can do something for this contact; null where no day is known, or there is nothing to wait for. */
export function canAskAgainMs({ cycle, contacts }: ReleaseFacts, about: About): number | null {
  const { contactId, requestedMs, time } = about;
  switch (noAnswerFor({ cycle }, about)) {
    case 'too_new': {
      const contact = contacts.find(({ id }) => id === contactId);
      return contact ? contact.confirmedAtMs + contactProbationMs : null;
    }
    case 'asked': {
      const asking = cycle && invitationOfRound(cycle, contactId)?.asking;
      return asking?.outcome === 'reached' ? asking.atMs + newLinkAfterMs : null;
    }
    case 'paused': {
      if (!cycle?.paused) return null;
      return time.now + remainingMs({ from: cycle.paused, days: pauseDays, isDoubled: false }, time.healthyMs);
    }
    case 'budget_spent': {
      const [oldestMs] = requestedMs;
      return oldestMs === undefined ? null : oldestMs + earlyBudget.windowMs;
    }
    case 'stopped':
      return time.now + dayMs;
    default:
      return null;
  }
}
