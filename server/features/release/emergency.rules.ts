import type { Ignored } from './release-events.rules.ts';

/**
 * Requests from one address on the network, and in the name of one contact of one account, whether there are any or not.
 * Not of an account alone: whoever knows its address could shut the form for those who really are its contacts.
 */
export const emergencyAddressBudget = { limit: 3, windowMs: 3_600_000 };
export const emergencyPairBudget = { limit: 3, windowMs: 86_400_000 };

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
    case 'too_late':
      return 'Your messages are being delivered already.';
    default:
      return null;
  }
}
