import { describe, expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import {
  type AddressFacts,
  aloneWaitDays,
  answerProposal,
  asksInWindow,
  asksPerWindow,
  firstAskOfWindow,
  isForOperator,
  isLinkExpired,
  isProposable,
  type LetterFacts,
  needsAgreement,
  newAddressDays,
  proposeAddress,
  unansweredWaitDays,
  type Waited,
  waitDaysOf,
  waitedProposal,
} from './new-address.rules.ts';

const now = 1_000 * dayMs;
const address = 'nell@new.example';
const long = now - 400 * dayMs;
const priya = { id: 'priya', email: 'priya@post.example', countsFromMs: long };
const tom = { id: 'tom', email: 'tom@post.example', countsFromMs: long };
const two: AddressFacts = {
  isUnderWay: true,
  isFrozen: false,
  isClockBehind: false,
  contacts: [priya, tom],
  contactId: 'priya',
  ownerEmail: 'sam@ashworth.example',
  hasOperator: true,
  toReview: [],
};
const alone: AddressFacts = { ...two, contacts: [priya] };
const byTom: AddressFacts = { ...two, contactId: 'tom' };
const letter: LetterFacts = {
  isVisible: true,
  status: 'bounced',
  refusedAtMs: now - 2 * dayMs,
  refusedBy: ['nell@old.example'],
  proposal: null,
};
const withProposal = (status: 'proposed' | 'waiting' = 'proposed', contactId = 'priya'): LetterFacts => ({
  ...letter,
  proposal: { contactId, address, status },
});
const propose = (facts: AddressFacts, to: LetterFacts = letter, what = address) =>
  proposeAddress(facts, to, { address: what, now });
const agree = (facts: AddressFacts, to: LetterFacts, what = address) =>
  answerProposal(facts, to, { address: what, agrees: true, now });
const refuse = (facts: AddressFacts, to: LetterFacts) => answerProposal(facts, to, { address, agrees: false, now });

describe('a proposal', () => {
  test('needs another person wherever there is one, and time where there is none', () => {
    expect(propose(two)).toEqual({ step: 'ask_others' });
    expect(propose(alone)).toEqual({ step: 'wait' });
    expect(needsAgreement(two, now)).toBe(true);
    expect(needsAgreement(alone, now)).toBe(false);
  });

  test('is sent on the word of a second person, who agrees or proposes the same', () => {
    expect(agree(byTom, withProposal())).toEqual({ step: 'send' });
    expect(propose(byTom, withProposal())).toEqual({ step: 'send' });
  });

  test('pressed again by its own contact changes nothing, whichever button it is', () => {
    expect(propose(two, withProposal())).toEqual({ step: 'nothing' });
    expect(agree(two, withProposal())).toEqual({ step: 'nothing' });
    expect(propose(alone, withProposal('waiting'))).toEqual({ step: 'nothing' });
    expect(agree(alone, withProposal('waiting'))).toEqual({ step: 'nothing' });
  });

  test('ends by the “no” of any contact, also of the one who made it', () => {
    expect(refuse(byTom, withProposal())).toEqual({ step: 'refuse' });
    expect(refuse(two, withProposal())).toEqual({ step: 'refuse' });
    expect(refuse(alone, withProposal('waiting'))).toEqual({ step: 'refuse' });
  });

  test('stands in the way of another address, until it is answered', () => {
    expect(propose(byTom, withProposal(), 'other@new.example')).toEqual({ refused: 'other_proposal' });
  });

  test('is agreed with as it was read: another address in its place is not', () => {
    expect(agree(byTom, withProposal(), 'changed@new.example')).toEqual({ refused: 'no_proposal' });
    expect(agree(byTom, letter)).toEqual({ refused: 'no_proposal' });
  });
});

describe('an address', () => {
  test('belonging to a contact can be named by its owner only if another contact agrees', () => {
    expect(propose(two, letter, priya.email)).toEqual({ step: 'ask_others' });
    expect(
      agree(
        byTom,
        { ...letter, proposal: { contactId: 'priya', address: priya.email, status: 'proposed' } },
        priya.email,
      ),
    ).toEqual({
      step: 'send',
    });
    for (const own of [priya.email, 'priya+nell@post.example']) {
      expect(propose(alone, letter, own)).toEqual({ step: 'ask_operator' });
      expect(propose({ ...alone, hasOperator: false }, letter, own)).toEqual({ refused: 'nobody_to_agree' });
    }
  });

  test('belonging to a contact waits for the operator if no other contact can agree, and leaves on no single contact’s word', () => {
    const proposed = { ...letter, proposal: { contactId: 'priya', address: priya.email, status: 'proposed' as const } };
    expect(isForOperator(alone, proposed, now)).toBe(true);
    expect(isForOperator(two, proposed, now)).toBe(false);
    expect(isForOperator({ ...two, contacts: [priya, { ...tom, countsFromMs: now + 1 }] }, proposed, now)).toBe(true);
    expect(isForOperator(alone, withProposal(), now)).toBe(false);
    expect(isForOperator(alone, letter, now)).toBe(false);
  });

  test('belonging to a contact whose word does not count yet is no way round that', () => {
    const fresh = { ...tom, countsFromMs: now + 1 };
    const facts = { ...alone, contacts: [priya, fresh] };
    expect(propose(facts, letter, tom.email)).toEqual({ step: 'ask_operator' });
    expect(propose({ ...facts, hasOperator: false }, letter, tom.email)).toEqual({ refused: 'nobody_to_agree' });
  });

  test('that has refused the letter is tried again where a contact says that it is right, once a day', () => {
    for (const facts of [two, alone]) {
      expect(propose(facts, letter, 'nell@old.example')).toEqual({ step: 'try_again' });
      expect(propose(facts, { ...letter, refusedAtMs: now - dayMs + 1 }, 'nell@old.example')).toEqual({
        refused: 'tried_today',
      });
    }
  });

  test('belonging to the writer is refused', () => {
    expect(propose(two, letter, 'sam@ashworth.example')).toEqual({ refused: 'owners_own' });
    expect(propose(two, letter, 'sam+x@ashworth.example')).toEqual({ refused: 'owners_own' });
  });
});

describe('the right to press', () => {
  const dead = { refused: 'expired_link' };
  const everyPress = (facts: AddressFacts) => [
    propose(facts),
    propose(facts, withProposal('proposed', 'tom')),
    agree(facts, withProposal('proposed', 'tom')),
    refuse(facts, withProposal('proposed', 'tom')),
  ];

  test('ends when the owner comes back or the contact leaves, and does not exist before the release', () => {
    expect(everyPress({ ...two, isUnderWay: false })).toEqual([dead, dead, dead, dead]);
    expect(everyPress({ ...two, contacts: [tom] })).toEqual([dead, dead, dead, dead]);
    expect(isLinkExpired(two)).toBe(false);
  });

  test.each([{ isFrozen: true }, { isClockBehind: true }])(
    'while it stands still, only a no is taken: %o',
    (stopped) => {
      const frozen = { refused: 'frozen' };
      const refused = { step: 'refuse' };
      expect(everyPress({ ...two, ...stopped })).toEqual([frozen, frozen, frozen, refused]);
      expect(refuse({ ...two, ...stopped }, withProposal())).toEqual(refused);
      expect(refuse({ ...alone, ...stopped }, withProposal('waiting'))).toEqual(refused);
      expect(isLinkExpired({ ...two, ...stopped })).toBe(false);
      expect(refuse({ ...two, ...stopped, isUnderWay: false }, withProposal())).toEqual(dead);
    },
  );

  test('is limited to “no” for a contact who accepted the role less than three days ago', () => {
    const fresh = { ...priya, countsFromMs: now + 1 };
    const byOther = withProposal('proposed', 'tom');
    expect(agree({ ...two, contacts: [fresh, tom] }, byOther)).toEqual({ refused: 'too_new' });
    expect(refuse({ ...two, contacts: [fresh, tom] }, byOther)).toEqual({ step: 'refuse' });
    expect(propose({ ...two, contacts: [fresh, tom] })).toEqual({ refused: 'too_new' });
    expect(propose({ ...two, contacts: [{ ...fresh, countsFromMs: now }, tom] })).toEqual({
      step: 'ask_others',
    });
  });

  test('does not exist for a message that contacts do not see, that is being sent, or that was refused too long ago', () => {
    expect(propose(two, { ...letter, isVisible: false })).toEqual({ refused: 'not_yours_to_see' });
    expect(propose(two, { ...letter, status: 'pending' })).toEqual({ refused: 'on_its_way' });
    const old = { ...letter, refusedAtMs: now - newAddressDays * dayMs };
    expect(propose(two, old)).toEqual({ refused: 'too_late' });
    expect(isProposable({ ...old, refusedAtMs: old.refusedAtMs + 1 }, now)).toBe(true);
  });
});

describe('an address that needs a review of the release', () => {
  const reviewed: AddressFacts = { ...two, toReview: [address] };
  const agreed: LetterFacts = {
    ...letter,
    proposal: { contactId: 'priya', address, status: 'proposed', isAgreed: true },
  };
  const over = { waited: { hasBegun: true, waitedMs: 31 * dayMs, remainingMs: 0, asksSent: asksPerWindow }, now };

  test('is proposed as any other, and refused with a reason if no operator could review it', () => {
    expect(propose(reviewed)).toEqual({ step: 'ask_others' });
    expect(propose({ ...reviewed, contacts: [priya] })).toEqual({ step: 'wait' });
    expect(propose({ ...reviewed, hasOperator: false })).toEqual({ refused: 'nobody_to_review' });
    expect(propose({ ...reviewed, hasOperator: false }, letter, 'other@new.example')).toEqual({ step: 'ask_others' });
  });

  test('keeps the agreement of another contact, and is not sent on it', () => {
    const byTom: AddressFacts = { ...reviewed, contactId: 'tom' };
    expect(agree(byTom, withProposal())).toEqual({ step: 'agree' });
    expect(propose(byTom, withProposal())).toEqual({ step: 'agree' });
    expect(agree({ ...byTom, hasOperator: false }, withProposal())).toEqual({ refused: 'nobody_to_review' });
    expect(agree(byTom, agreed)).toEqual({ step: 'nothing' });
    expect(refuse(byTom, agreed)).toEqual({ step: 'refuse' });
  });

  test('waits for the review though its time is over, and is sent as soon as the review has ended', () => {
    expect(waitedProposal(reviewed, withProposal(), over)).toBe('review');
    expect(waitedProposal(reviewed, agreed, over)).toBe('review');
    expect(waitedProposal(two, agreed, { ...over, waited: { ...over.waited, remainingMs: 1 } })).toBe('send');
    expect(waitedProposal({ ...two, isFrozen: true }, agreed, over)).toBe('pause');
  });
});

describe('a proposal of a single contact', () => {
  const waiting = withProposal('waiting');
  const asked = { hasBegun: true, waitedMs: 0, asksSent: asksPerWindow };
  const look = (
    facts: AddressFacts,
    remainingMs: number | null,
    of: LetterFacts = waiting,
    change: Partial<Waited> = {},
  ) => waitedProposal(facts, of, { waited: { ...asked, remainingMs, ...change }, now });

  test('goes when its whole time is over and not a moment before', () => {
    expect(aloneWaitDays).toBe(7);
    expect(look(alone, 1)).toBe('wait');
    expect(look(alone, 0)).toBe('send');
  });

  test('gives its time up while it is frozen, though it is over, and has all of it again afterwards', () => {
    for (const letter of [waiting, withProposal('proposed')]) {
      const facts = letter === waiting ? alone : two;
      expect(look({ ...facts, isFrozen: true }, 0, letter)).toBe('pause');
      expect(look({ ...facts, isFrozen: true }, 0, letter, { hasBegun: false })).toBe('pause');
      expect(look(facts, 0, letter, { hasBegun: false })).toBe('restart');
      expect(look(facts, null, letter, { hasBegun: false })).toBe('restart');
    }
    expect(look({ ...alone, isFrozen: true, isUnderWay: false }, 0)).toBe('end');
  });

  test('waits on while the clock is behind, in which no healthy time passes', () => {
    expect(look({ ...alone, isClockBehind: true }, 0)).toBe('wait');
  });

  test('needs agreement as soon as another contact can give it', () => {
    expect(look(two, 0)).toBe('ask_others');
    expect(look({ ...alone, contacts: [priya, { ...tom, countsFromMs: now + 1 }] }, 0)).toBe('send');
  });

  test('for others goes when none of them has answered for thirty days, and they are asked again until then', () => {
    const proposed = withProposal('proposed');
    expect(unansweredWaitDays).toBe(30);
    expect(look(two, 1, proposed)).toBe('wait');
    expect(look(two, 0, proposed)).toBe('send');
    // The other contact has left the role and is not waited for.
    expect(look(alone, 0, proposed)).toBe('send');
  });

  test('for others never goes to a mailbox of a contact: there it takes another word', () => {
    const proposal = (address: string) => ({ contactId: 'priya', address, status: 'proposed' as const });
    expect(waitDaysOf(two, proposal(address))).toBe(30);
    expect(waitDaysOf(two, proposal('priya+nell@post.example'))).toBeNull();
    expect(waitDaysOf(two, proposal(tom.email))).toBeNull();
    expect(look(two, null, { ...letter, proposal: proposal(priya.email) })).toBe('wait');
  });

  test.each([
    [0, 0, 'ask_again'],
    [1, 10 * dayMs - 1, 'wait'],
    [1, 10 * dayMs, 'ask_again'],
    [2, 20 * dayMs - 1, 'wait'],
    [2, 20 * dayMs, 'ask_again'],
    [3, 29 * dayMs, 'wait'],
    // After a freeze the count continues, and the window has three of its own.
    [4, 10 * dayMs - 1, 'wait'],
    [4, 10 * dayMs, 'ask_again'],
    [5, 20 * dayMs, 'ask_again'],
    [6, 20 * dayMs, 'wait'],
  ])('for others who were asked %i times is, after %i ms: %s', (asksSent, waitedMs, step) => {
    expect(look(two, 1, withProposal('proposed'), { asksSent, waitedMs })).toBe(step);
  });

  test('for others is not sent on a silence that was asked less than three times in this window', () => {
    const over = { waitedMs: unansweredWaitDays * dayMs };
    for (const asksSent of [0, 1, 2, 4, 5, 7]) {
      expect(look(two, 0, withProposal('proposed'), { ...over, asksSent })).toBe('ask_again');
    }
    for (const asksSent of [3, 6, 9]) {
      expect(look(two, 0, withProposal('proposed'), { ...over, asksSent })).toBe('send');
    }
  });

  test('counts the asks of a window from a number that none before it had', () => {
    expect([0, 1, 2, 3, 4, 5, 6].map(firstAskOfWindow)).toEqual([0, 3, 3, 3, 6, 6, 6]);
    expect([0, 1, 2, 3, 4, 5, 6, 7].map(asksInWindow)).toEqual([0, 1, 2, 3, 1, 2, 3, 1]);
    for (let asksSent = 0; asksSent < 20; asksSent += 1) {
      expect(firstAskOfWindow(asksSent)).toBeGreaterThanOrEqual(asksSent);
      expect(asksInWindow(firstAskOfWindow(asksSent) + 1)).toBe(1);
    }
  });

  test('ends with the release, with its contact, and where nothing is left to send', () => {
    expect(look({ ...alone, isUnderWay: false }, 0)).toBe('end');
    expect(look({ ...alone, contacts: [] }, 0)).toBe('end');
    expect(look(alone, 0, { ...waiting, isVisible: false })).toBe('end');
    expect(look(alone, 0, { ...waiting, status: 'pending' })).toBe('end');
  });
});
