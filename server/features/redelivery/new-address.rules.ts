import { isSameMailbox } from '#shared/rules/addresses/mailboxes.ts';
import { dayMs } from '#shared/rules/inactivity.ts';

/**
 * Days that a proposal waits if no other contact can agree. Meanwhile it can be withdrawn, the owner can stop it, and
 * the refusing address is tried once more.
 */
export const aloneWaitDays = 7;
/** Days between tries of an address that refused a letter, if a contact says that it is right. */
export const triedAgainDays = 1;
/** Days that a proposal waits if the other contacts were asked and do not answer. */
export const unansweredWaitDays = 30;
/** Days after which contacts without an answer are asked again. */
export const askAgainDays = 10;
/** Number of questions in one window before a contact's silence counts. */
export const asksPerWindow = 3;
/** Days in which another address can be proposed, after a refusal or after the end of an unopened link. */
export const newAddressDays = 180;

export type AddressFacts = {
  /** The release of the link has begun and has not ended. */
  isUnderWay: boolean;
  /** A freeze or the breaker stops the owner or everyone, or a sign-in as the owner is unexplained. */
  isFrozen: boolean;
  /** The clock can't be trusted until it has caught up. */
  isClockBehind: boolean;
  /** Active and confirmed contacts. */
  contacts: readonly { id: string; email: string /** From when their word counts. */; countsFromMs: number }[];
  /** The one whose link it is. */
  contactId: string;
  /** True if an operator is named, who can agree if no second contact can. */
  hasOperator: boolean;
  ownerEmail: string;
  /** Proposed addresses that this early release may not write to before the operator has checked it. */
  toReview: readonly string[];
};

export type LetterFacts = {
  /** True if the owner let contacts see the message and its recipient. */
  isVisible: boolean;
  status: 'bounced' | 'unopened' | 'pending';
  refusedAtMs: number;
  refusedBy: readonly string[];
  /** The proposal that is alive. */
  proposal: {
    contactId: string;
    address: string;
    status: 'proposed' | 'waiting';
    /** True if another contact has agreed, and the letter waits for the operator's review. */
    isAgreed?: boolean;
  } | null;
};

/** Progress of a proposal. `remainingMs` is null if only another's agreement can send it. */
export type Waited = {
  /** False while its window is paused, until it has restarted. */
  hasBegun: boolean;
  waitedMs: number;
  remainingMs: number | null;
  /** Number of questions to the others, over all windows. */
  asksSent: number;
};

export type AddressRefusal =
  | 'expired_link'
  | 'frozen'
  | 'too_new'
  | 'not_yours_to_see'
  | 'on_its_way'
  | 'too_late'
  | 'tried_today'
  | 'owners_own'
  | 'nobody_to_agree'
  | 'nobody_to_review'
  | 'other_proposal'
  | 'no_proposal';

/** Effect of a press. `nothing`: a repeated press, which gets the earlier answer. */
export type AddressStep =
  | { step: 'ask_others' | 'ask_operator' | 'wait' | 'agree' | 'send' | 'try_again' | 'refuse' | 'nothing' }
  | { refused: AddressRefusal };

/** Contacts whose word counts, as in every early release: those who accepted the role some days ago. */
export function countedContacts({ contacts }: AddressFacts, now: number) {
  return contacts.filter(({ countsFromMs }) => countsFromMs <= now);
}

/** Two people must agree wherever there are two. */
export function needsAgreement(facts: AddressFacts, now: number): boolean {
  return countedContacts(facts, now).length > 1;
}

/** True if a contact's link shows nothing any more. */
export function isLinkExpired(facts: AddressFacts): boolean {
  return !facts.isUnderWay || !facts.contacts.some(({ id }) => id === facts.contactId);
}

/** True if no letter can be sent to another address for now. A no is accepted anyway. */
export function isStopped({ isFrozen, isClockBehind }: AddressFacts): boolean {
  return isFrozen || isClockBehind;
}

/** True if an address can still be proposed for a letter. */
export function isProposable({ isVisible, status, refusedAtMs }: LetterFacts, now: number): boolean {
  return isVisible && status !== 'pending' && now - refusedAtMs < newAddressDays * dayMs;
}

/**
 * Decides about an address that a contact proposes. The same address from another contact is an agreement; from the
 * same contact it is a second press of the button. An address that refused the letter is confirmed as right, and tried
 * again. That needs no other agreement, since it was agreed on before, or was the owner's own choice.
 */
export function proposeAddress(facts: AddressFacts, letter: LetterFacts, at: { address: string; now: number }) {
  return refusedPress(facts, letter, at.now) ?? refusedForNow(facts) ?? steppedProposal(facts, letter, at);
}

function steppedProposal(
  facts: AddressFacts,
  { proposal, refusedBy, refusedAtMs }: LetterFacts,
  { address, now }: { address: string; now: number },
): AddressStep {
  if (refusedBy.includes(address)) {
    return now - refusedAtMs < triedAgainDays * dayMs ? { refused: 'tried_today' } : { step: 'try_again' };
  }
  if (isSameMailbox(address, facts.ownerEmail)) return { refused: 'owners_own' };
  if (proposal) {
    if (proposal.address !== address) return { refused: 'other_proposal' };
    return agreedProposal(facts, proposal);
  }
  if (needsReview(facts, address) && !facts.hasOperator) return { refused: 'nobody_to_review' };
  if (needsAgreement(facts, now)) return { step: 'ask_others' };
  // A sole contact can't propose their own address: a letter to another person would reach them on their word alone.
  if (isOfContact(facts, address)) return facts.hasOperator ? { step: 'ask_operator' } : { refused: 'nobody_to_agree' };
  return { step: 'wait' };
}

/**
 * Answers another contact's proposal, or withdraws one's own. A no only makes things safer, so it is accepted during
 * every stop, and from a new contact.
 */
export function answerProposal(
  facts: AddressFacts,
  letter: LetterFacts,
  { address, agrees, now }: { address: string; agrees: boolean; now: number },
): AddressStep {
  const refused = agrees ? (refusedPress(facts, letter, now) ?? refusedForNow(facts)) : refusedNo(facts, letter, now);
  if (refused) return refused;
  const { proposal } = letter;
  // The agreement is for the address on the page, not for one that replaced it meanwhile.
  if (proposal?.address !== address) return { refused: 'no_proposal' };
  if (!agrees) return { step: 'refuse' };
  return agreedProposal(facts, proposal);
}

/** The contact of this link agrees with a proposal. If it needs a review, their agreement is kept until that has ended. */
function agreedProposal(facts: AddressFacts, proposal: NonNullable<LetterFacts['proposal']>): AddressStep {
  const isOwn = proposal.contactId === facts.contactId;
  if (isOwn || proposal.status === 'waiting' || proposal.isAgreed) return { step: 'nothing' };
  if (!needsReview(facts, proposal.address)) return { step: 'send' };
  return facts.hasOperator ? { step: 'agree' } : { refused: 'nobody_to_review' };
}

/** True if the operator must check this early release before a letter goes to this address. */
export function needsReview({ toReview }: AddressFacts, address: string): boolean {
  return toReview.includes(address);
}

function refusedPress(facts: AddressFacts, letter: LetterFacts, now: number): { refused: AddressRefusal } | null {
  const refused = refusedNo(facts, letter, now);
  if (refused) return refused;
  return countedContacts(facts, now).some(({ id }) => id === facts.contactId) ? null : { refused: 'too_new' };
}

function refusedNo(facts: AddressFacts, letter: LetterFacts, now: number): { refused: AddressRefusal } | null {
  if (isLinkExpired(facts)) return { refused: 'expired_link' };
  if (!letter.isVisible) return { refused: 'not_yours_to_see' };
  if (letter.status === 'pending') return { refused: 'on_its_way' };
  return isProposable(letter, now) ? null : { refused: 'too_late' };
}

function refusedForNow(facts: AddressFacts): { refused: AddressRefusal } | null {
  return isStopped(facts) ? { refused: 'frozen' } : null;
}

/** Number of questions to the others in the present window. */
export function asksInWindow(asksSent: number): number {
  return asksSent === 0 ? 0 : ((asksSent - 1) % asksPerWindow) + 1;
}

/** The number of the first ask in a window that begins now: none of an earlier window is taken for one of it. */
export function firstAskOfWindow(asksSent: number): number {
  return Math.ceil(asksSent / asksPerWindow) * asksPerWindow;
}

/** Days that a proposal waits before it is sent without an agreement. Null if it never is. */
export function waitDaysOf(
  facts: AddressFacts,
  { status, address }: NonNullable<LetterFacts['proposal']>,
): number | null {
  if (status === 'waiting') return aloneWaitDays;
  return isOfContact(facts, address) ? null : unansweredWaitDays;
}

/**
 * Next step of a waiting proposal.
 * - `send`: its time is over, the others were asked often enough, and it would still be accepted today.
 * - `ask_others`: a contact who can agree has joined since.
 * - `ask_again`: the others are due for another question.
 * - `wait`: its time is not over.
 * - `end`: it is void.
 * - `pause`: a freeze ends its window, since no contact could be asked.
 * - `restart`: after the freeze the whole window restarts.
 * - `review`: only the operator's review is missing.
 */
export function waitedProposal(
  facts: AddressFacts,
  letter: LetterFacts,
  { waited, now }: { waited: Waited; now: number },
): 'send' | 'review' | 'ask_others' | 'ask_again' | 'wait' | 'end' | 'pause' | 'restart' {
  if (refusedPress(facts, letter, now)) return 'end';
  if (facts.isFrozen) return 'pause';
  if (facts.isClockBehind) return 'wait';
  const isProposed = letter.proposal?.status === 'proposed';
  const ready = letter.proposal && needsReview(facts, letter.proposal.address) ? 'review' : 'send';
  if (letter.proposal?.isAgreed) return ready;
  if (!isProposed && needsAgreement(facts, now)) return 'ask_others';
  if (!waited.hasBegun) return 'restart';
  const { waitedMs, remainingMs, asksSent } = waited;
  const asked = asksInWindow(asksSent);
  const isAskDue = isProposed && asked < asksPerWindow && waitedMs >= asked * askAgainDays * dayMs;
  if (isAskDue) return 'ask_again';
  return remainingMs === 0 && (!isProposed || asked === asksPerWindow) ? ready : 'wait';
}

/** True if the operator may agree: the letter would go to a contact, and no other contact's word counts. */
export function isForOperator(facts: AddressFacts, { proposal }: LetterFacts, now: number): boolean {
  if (proposal?.status !== 'proposed' || !isOfContact(facts, proposal.address)) return false;
  return !countedContacts(facts, now).some(({ id }) => id !== proposal.contactId);
}

/** A letter never goes to a contact's own mailbox on their own word, or because the others are silent. */
function isOfContact({ contacts }: AddressFacts, address: string): boolean {
  return contacts.some(({ email }) => isSameMailbox(email, address));
}
