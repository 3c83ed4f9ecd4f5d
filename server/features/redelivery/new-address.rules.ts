import { isSameMailbox } from '#shared/rules/addresses/mailboxes.ts';
import { dayMs } from '#shared/rules/inactivity.ts';

/**
 * Where nobody else can agree, a proposal waits so long: a slip can be taken back, the owner can stop it, and the address that
 * refused is tried once more meanwhile.
 */
export const aloneWaitDays = 7;
/** An address that has refused a letter can be said to be right, and is tried again, once in so many days. */
export const triedAgainDays = 1;
/** Where others were asked and none of them answers, it waits so long. */
export const unansweredWaitDays = 30;
/** Those who have not answered by then are asked again. */
export const askAgainDays = 10;
/** So often are they asked in one window before their silence counts. */
export const asksPerWindow = 3;
/** Another address can be proposed for so long after a refusal, or after the days in which nobody opened it. */
export const newAddressDays = 180;

export type AddressFacts = {
  /** The release that the link belongs to has begun, and nobody has ended it. */
  isUnderWay: boolean;
  /** The owner or everybody was stopped by the operator or the breaker, or somebody has signed in as them since. */
  isFrozen: boolean;
  /** The clock can't be trusted until it has caught up. */
  isClockBehind: boolean;
  /** Active and confirmed contacts. */
  contacts: readonly { id: string; email: string /** From when their word counts. */; countsFromMs: number }[];
  /** The one whose link it is. */
  contactId: string;
  /** Whether an operator is named who can agree where no second contact can. */
  hasOperator: boolean;
  ownerEmail: string;
  /** Proposed addresses that this early release may not write to before the operator has checked it. */
  toReview: readonly string[];
};

export type LetterFacts = {
  /** Whether the owner let contacts see the message and its recipient. */
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

/** How far a proposal has come. `remainingMs` is null where only another's word can send it. */
export type Waited = {
  /** False while its window stands still, and until it has begun anew. */
  hasBegun: boolean;
  waitedMs: number;
  remainingMs: number | null;
  /** How often the others were asked, in all windows together. */
  asksSent: number;
};

export type AddressRefusal =
  | 'dead_link'
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

/** What becomes of a press. `nothing` has happened before: it is answered as it was then. */
export type AddressStep =
  | { step: 'ask_others' | 'ask_operator' | 'wait' | 'agree' | 'send' | 'try_again' | 'refuse' | 'nothing' }
  | { refused: AddressRefusal };

/** Contacts whose word counts, as in every early release: those who accepted the role some days ago. */
export function countedContacts({ contacts }: Pick<AddressFacts, 'contacts'>, now: number) {
  return contacts.filter(({ countsFromMs }) => countsFromMs <= now);
}

/** Two people must agree wherever there are two. */
export function needsAgreement(facts: Pick<AddressFacts, 'contacts'>, now: number): boolean {
  return countedContacts(facts, now).length > 1;
}

/** Whether a contact's link shows nothing any more. */
export function isDeadLink(facts: AddressFacts): boolean {
  return !facts.isUnderWay || !facts.contacts.some(({ id }) => id === facts.contactId);
}

/** Whether nothing can bring a letter nearer to another address for now. A no is taken all the same. */
export function isStopped({ isFrozen, isClockBehind }: Pick<AddressFacts, 'isFrozen' | 'isClockBehind'>): boolean {
  return isFrozen || isClockBehind;
}

/** Whether an address can still be proposed for a letter. */
export function isProposable({ isVisible, status, refusedAtMs }: LetterFacts, now: number): boolean {
  return isVisible && status !== 'pending' && now - refusedAtMs < newAddressDays * dayMs;
}

/**
 * A contact proposes an address. The same address from another contact is their agreement; the same from the same one
 * is a second press of the button. One that has refused the letter is said to be right, and is tried again: nobody else has
 * to agree with what was agreed on, or was the owner's own choice.
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
  // Alone, nobody may name themselves: what was written for another would come to them on their own word.
  if (isOfContact(facts, address)) return facts.hasOperator ? { step: 'ask_operator' } : { refused: 'nobody_to_agree' };
  return { step: 'wait' };
}

/**
 * A contact answers what another one proposed, or takes back their own proposal. A no only makes things safer, so it is
 * taken while everything else is stopped, and from a contact of today.
 */
export function answerProposal(
  facts: AddressFacts,
  letter: LetterFacts,
  { address, agrees, now }: { address: string; agrees: boolean; now: number },
): AddressStep {
  const refused = agrees ? (refusedPress(facts, letter, now) ?? refusedForNow(facts)) : refusedNo(facts, letter, now);
  if (refused) return refused;
  const { proposal } = letter;
  // What is agreed with is the address that was read, not one that has taken its place meanwhile.
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
export function needsReview({ toReview }: Pick<AddressFacts, 'toReview'>, address: string): boolean {
  return toReview.includes(address);
}

function refusedPress(facts: AddressFacts, letter: LetterFacts, now: number): { refused: AddressRefusal } | null {
  const refused = refusedNo(facts, letter, now);
  if (refused) return refused;
  return countedContacts(facts, now).some(({ id }) => id === facts.contactId) ? null : { refused: 'too_new' };
}

function refusedNo(facts: AddressFacts, letter: LetterFacts, now: number): { refused: AddressRefusal } | null {
  if (isDeadLink(facts)) return { refused: 'dead_link' };
  if (!letter.isVisible) return { refused: 'not_yours_to_see' };
  if (letter.status === 'pending') return { refused: 'on_its_way' };
  return isProposable(letter, now) ? null : { refused: 'too_late' };
}

function refusedForNow(facts: AddressFacts): { refused: AddressRefusal } | null {
  return isStopped(facts) ? { refused: 'frozen' } : null;
}

/** How often the others were asked in the window that runs now, of all the times they were asked. */
export function asksInWindow(asksSent: number): number {
  return asksSent === 0 ? 0 : ((asksSent - 1) % asksPerWindow) + 1;
}

/** The number of the first ask in a window that begins now: none of an earlier window is taken for one of it. */
export function firstAskOfWindow(asksSent: number): number {
  return Math.ceil(asksSent / asksPerWindow) * asksPerWindow;
}

/** How long a proposal waits before it goes on one word; `null` where it never does. */
export function waitDaysOf(
  { contacts }: Pick<AddressFacts, 'contacts'>,
  { status, address }: NonNullable<LetterFacts['proposal']>,
): number | null {
  if (status === 'waiting') return aloneWaitDays;
  return isOfContact({ contacts }, address) ? null : unansweredWaitDays;
}

/**
 * A proposal that waits: `send` when its time is over, the others were asked often enough and it would still be taken
 * today, `ask_others` where somebody who can agree has come since, `ask_again` where they are due to be asked once more,
 * `wait` while it is not over, `end` where it is void. While it is frozen its window is given up (`stand_still`), since
 * nobody could be asked; afterwards all of it begins anew (`begin_anew`). `review` if only the operator's review is missing.
 */
export function waitedProposal(
  facts: AddressFacts,
  letter: LetterFacts,
  { waited, now }: { waited: Waited; now: number },
): 'send' | 'review' | 'ask_others' | 'ask_again' | 'wait' | 'end' | 'stand_still' | 'begin_anew' {
  if (refusedPress(facts, letter, now)) return 'end';
  if (facts.isFrozen) return 'stand_still';
  if (facts.isClockBehind) return 'wait';
  const isProposed = letter.proposal?.status === 'proposed';
  const ready = letter.proposal && needsReview(facts, letter.proposal.address) ? 'review' : 'send';
  if (letter.proposal?.isAgreed) return ready;
  if (!isProposed && needsAgreement(facts, now)) return 'ask_others';
  if (!waited.hasBegun) return 'begin_anew';
  const { waitedMs, remainingMs, asksSent } = waited;
  const asked = asksInWindow(asksSent);
  const isAskDue = isProposed && asked < asksPerWindow && waitedMs >= asked * askAgainDays * dayMs;
  if (isAskDue) return 'ask_again';
  return remainingMs === 0 && (!isProposed || asked === asksPerWindow) ? ready : 'wait';
}

/** Whether the operator may agree: it is to go to a contact, and no other contact's word counts. */
export function isForOperator(facts: AddressFacts, { proposal }: LetterFacts, now: number): boolean {
  if (proposal?.status !== 'proposed' || !isOfContact(facts, proposal.address)) return false;
  return !countedContacts(facts, now).some(({ id }) => id !== proposal.contactId);
}

/** Nobody's own word brings a letter into their own mailbox, and no silence of others does. */
function isOfContact({ contacts }: Pick<AddressFacts, 'contacts'>, address: string): boolean {
  return contacts.some(({ email }) => isSameMailbox(email, address));
}
