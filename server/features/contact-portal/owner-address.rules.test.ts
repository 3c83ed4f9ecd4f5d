import { describe, expect, test } from 'vitest';
import { addressesPerRequest, askedOf, isOfReader, knownPersonOf, takeAddress } from './owner-address.rules.ts';

const reader = (email: string) => ({ name: null, relation: null, email });
const facts = {
  ownerEmail: 'sam@gmail.com',
  contactEmails: ['priya@post.example', 'tom@post.example'],
  messages: [
    { visibleToTrustedContact: true, recipients: [reader('nell@family.example')] },
    { visibleToTrustedContact: false, recipients: [reader('ravi@family.example')] },
  ],
};

describe('a typed address', () => {
  test.each([
    ['s.am+vault@googlemail.com', 'owner'],
    ['sam@gmail.com', 'owner'],
    ['tom@post.example', 'other'],
    ['nell+1@family.example', 'other'],
    ['ravi@family.example', null],
    ['sam@elsewhere.example', null],
  ])('%s is known to the contact as of: %s', (address, person) => {
    expect(knownPersonOf(address, facts)).toBe(person);
  });

  test('that belongs to a reader of an unseen letter is recognised too', () => {
    expect(isOfReader('ravi@family.example', facts.messages)).toBe(true);
    expect(isOfReader('sam@elsewhere.example', facts.messages)).toBe(false);
  });
});

describe('another address of the owner', () => {
  const given = (contactId: string) => ({ contactId, mailboxKey: `of ${contactId}` });
  const full = Array.from({ length: addressesPerRequest }, (_, number) => given(`${number}`));

  test('is kept from a contact who gave none', () => {
    expect(takeAddress(given('a'), { before: [given('b')], isKnown: false })).toEqual({ step: 'keep' });
  });

  test('changes nothing if the same contact gives it again, also when there is no room', () => {
    expect(takeAddress(given('0'), { before: full, isKnown: true })).toEqual({ step: 'nothing' });
  });

  test('is refused as a second one, as a fourth one, and if it was given before', () => {
    const second = { contactId: 'a', mailboxKey: 'another' };
    expect(takeAddress(second, { before: [given('a')], isKnown: false })).toEqual({ refused: 'given' });
    expect(takeAddress(given('a'), { before: full, isKnown: false })).toEqual({ refused: 'enough' });
    expect(takeAddress(given('a'), { before: [], isKnown: true })).toEqual({ refused: 'known' });
  });

  test('is asked of each contact until contacts gave three', () => {
    expect(askedOf([given('b')], 'a')).toBe('asked');
    expect(askedOf([given('a')], 'a')).toBe('given');
    expect(askedOf(full, 'a')).toBe('enough');
  });
});
