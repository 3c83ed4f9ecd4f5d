import type { FailedMail } from '#shared/contract/operator/failed-mails.ts';

export type FailedFacts = {
  isLetter: boolean;
  status: 'pending' | 'sending' | 'accepted' | 'bounced' | 'dead' | 'cancelled';
  code: number | null;
  /** Number of counted refusals by the mailbox. */
  refusals: number;
  /** The mailbox refused it last, whether or not that counts. */
  wasRefused: boolean;
  wasReturned: boolean;
  /** In milliseconds, as is the time that it is compared with. */
  nextTryMs: number | null;
  /** The mail is about a frozen account and may not leave. */
  isFrozen: boolean;
};

export function stateOf({ status, wasReturned }: Pick<FailedFacts, 'status' | 'wasReturned'>): FailedMail['state'] {
  if (status === 'pending' || status === 'sending') return 'trying';
  if (status === 'dead') return 'given_up';
  return wasReturned ? 'returned' : 'refused';
}

/** Reply codes of a full mailbox, or of a server without room (RFC 5321). */
const fullCodes: readonly (number | null)[] = [452, 552];
const permanentFrom = 500;

/** Returns why the last try failed. */
export function reasonOf({ status, code, refusals, wasRefused, wasReturned }: Omit<FailedFacts, 'isLetter'>): string {
  if (wasReturned) return 'The mail server accepted it first, and reported later that it could not be delivered.';
  if (fullCodes.includes(code)) return 'The mailbox is full, or the mail server has no room.';
  if (code === null) {
    return status === 'bounced'
      ? 'No mail can go to this address.'
      : 'No mail server answered, or the connection broke.';
  }
  if (status === 'bounced' || refusals > 0 || wasRefused) {
    return 'The mail server says that this mailbox does not exist or is closed.';
  }
  return code >= permanentFrom
    ? 'The mail server refuses our email, such as by a rule or a spam list.'
    : 'The mail server asked us to try again later.';
}

/**
 * Returns the effect of "Try again". A mailbox that refused is tried on its own day, because refusals on several days
 * close it. More tries a day would end that wait sooner.
 */
export function retryOf(facts: FailedFacts, nowMs: number): FailedMail['retry'] {
  const { isLetter, status, nextTryMs, refusals, wasRefused, wasReturned, isFrozen } = facts;
  if (status === 'bounced' || status === 'dead') return isLetter ? 'letters' : 'ended';
  if (status !== 'pending' && status !== 'sending') return 'ended';
  if (isFrozen) return 'frozen';
  if (status === 'sending' || (nextTryMs !== null && nextTryMs <= nowMs)) return 'queued';
  return refusals > 0 || wasRefused || wasReturned ? 'waits' : 'now';
}

/** True if an address is the one that is searched for, or in the domain that is. */
export function isFound(address: string | null, search: string): boolean {
  if (address === null) return false;
  const lower = address.toLowerCase();
  if (search.includes('@') && !search.startsWith('@')) return lower === search;
  return lower.endsWith(`@${search.replace(/^@/, '')}`);
}
