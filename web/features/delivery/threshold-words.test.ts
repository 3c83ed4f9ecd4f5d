import { expect, test } from 'vitest';
import { commonDay, isLongName, nameOnCover, numberWord, placeBefore } from './threshold-words.ts';

const listed = {
  token: 'a',
  title: 'x',
  position: 1,
  sealed: false,
  enclosures: 0,
  openedAt: null,
  keptUntil: '2027-06-23T10:00:00Z',
};
const letter = {
  title: 'x',
  content: 'x',
  encryptedContent: null,
  createdAt: '2026-03-02T10:00:00Z',
  deliveredAt: '2027-05-24T10:00:00Z',
  expiresAt: '2027-06-23T10:00:00Z',
  senderName: 'Sam Ashworth',
  recipientName: 'Nell Ashworth',
  openedAt: null,
  attachment: null,
  enclosures: [],
  alsoFor: [],
  letters: [listed],
  all: { letters: 1, opened: 0 },
};
const openedAt = '2027-05-25T10:00:00Z';

test.each([
  [letter, false, 'envelope'],
  [{ ...letter, openedAt }, false, 'letter'],
  [{ ...letter, isDamaged: true as const }, false, 'letter'],
  [{ ...letter, letters: [listed, listed] }, false, 'envelopes'],
  [{ ...letter, openedAt, letters: [listed, listed] }, false, 'envelopes'],
  [{ ...letter, letters: [listed, listed] }, true, 'envelope'],
  [{ ...letter, openedAt, letters: [listed, listed] }, true, 'letter'],
] as const)(
  'a link leads to the envelope first, and to all of them where there are several (%#)',
  (given, isChosen, place) => {
    expect(placeBefore({ ...given, letters: [...given.letters] }, isChosen)).toBe(place);
  },
);

test('the name on the envelope is the one its writer used', () => {
  expect(nameOnCover('Nell Ashworth')).toBe('Nell');
  expect(nameOnCover('Mum & Dad')).toBe('Mum & Dad');
  expect(nameOnCover('Auntie Jean')).toBe('Auntie Jean');
  expect(nameOnCover('The Smith family')).toBe('The Smith family');
  expect(nameOnCover(null)).toBe('For you');
  expect([isLongName('Nell'), isLongName('Great-aunt Philippa')]).toEqual([false, true]);
});

test('numbers are words as far as people write them so', () => {
  expect([numberWord(2), numberWord(10), numberWord(11)]).toEqual(['two', 'ten', '11']);
});

test('one day is said for all where it is the same', () => {
  expect(commonDay([listed, { keptUntil: '2027-06-23T11:00:00Z' }])).toBe(listed.keptUntil);
  expect(commonDay([listed, { keptUntil: '2027-06-24T11:00:00Z' }])).toBeNull();
});
