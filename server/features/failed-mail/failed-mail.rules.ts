import type { FailedMail } from '#shared/contract/operator/failed-mails.ts';

export type FailedFacts = {
  kind: string;
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

export const letterKind = 'delivery.letter';

/** Types of mail in plain words. The first prefix that fits is taken. */
const kinds: readonly (readonly [prefix: string, words: string])[] = [
  [letterKind, 'A letter'],
  ['delivery.reminder', 'A letter, sent again because it was not opened'],
  ['delivery.renewal', 'A new link to a letter'],
  ['delivery.returned', 'To a recipient: the owner is back'],
  ['delivery.', 'About letters that were not delivered'],
  ['release.first_reminder', 'First reminder to the owner'],
  ['release.last_reminder', 'Last reminder to the owner'],
  ['release.nudge', 'Check-in question to the owner'],
  ['release.contact_asked', 'Question to a contact'],
  ['release.contact_', 'Notice to a contact about a release'],
  ['release.new-address', 'Question to a contact about a new address'],
  ['release.other-address', 'To another address of a silent owner, given by a contact'],
  ['release.request-refused', 'Answer to the emergency form'],
  ['release.', 'Notice to the owner about a release'],
  ['contacts.', 'Invitation or notice to a contact'],
  ['accounts.reset', 'Password reset'],
  ['accounts.verification', 'Confirmation of an address'],
  ['accounts.', 'About signing in or the account'],
  ['privacy.', 'About deletion or retention of the account'],
  ['billing.', 'About a payment'],
  ['vouchers.', 'About a voucher'],
  ['complaints.', 'Receipt for a complaint'],
  ['admin.bulk-email', 'Bulk email'],
  ['writing.', 'Question of the month'],
  ['messages.ready-changes', 'Daily notice of changes in ready messages'],
  ['messages.', 'Question about addresses'],
  ['rehearsal.', 'Copy from a rehearsal'],
  ['operator.', 'Notice to the operator'],
];

export function kindWords(kind: string): string {
  return kinds.find(([prefix]) => kind.startsWith(prefix))?.[1] ?? 'Another email';
}

export function stateOf({ status, wasReturned }: Pick<FailedFacts, 'status' | 'wasReturned'>): FailedMail['state'] {
  if (status === 'pending' || status === 'sending') return 'trying';
  if (status === 'dead') return 'given_up';
  return wasReturned ? 'returned' : 'refused';
}

/** Reply codes of a full mailbox, or of a server without room (RFC 5321). */
const fullCodes: readonly (number | null)[] = [452, 552];
const permanentFrom = 500;

/** Returns why the last try failed. */
export function reasonOf({ status, code, refusals, wasRefused, wasReturned }: Omit<FailedFacts, 'kind'>): string {
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
  const { kind, status, nextTryMs, refusals, wasRefused, wasReturned, isFrozen } = facts;
  if (status === 'bounced' || status === 'dead') return kind === letterKind ? 'letters' : 'ended';
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
