import { expect, test } from 'vitest';
import { type SheetFacts, sheetSections } from './sheet.rules.ts';

const facts: SheetFacts = {
  ownerName: 'Sam Ashworth',
  product: 'Everkept',
  baseUrl: 'https://vault.example',
  operatorAddress: 'help@vault.example',
  letters: { ready: 3, drafts: 1, delivered: 0 },
  documents: { all: 4, visible: 2 },
  firstWeeks: { isNoted: true, readers: 1 },
  contactNames: ['Priya Shah', 'Tom Lee'],
  waitingContacts: 1,
  release: { method: 'trusted_contact', inactivityDays: 180, answerDays: 7, waitingDays: 3, quorum: 2 },
};
const wordsOf = (changes: Partial<SheetFacts> = {}) =>
  sheetSections({ ...facts, ...changes })
    .flatMap(({ lines }) => lines)
    .join(' ');

test('a sheet says what there is in numbers, whom to ask, and how a release starts', () => {
  expect(sheetSections(facts).map(({ title }) => title)).toEqual([
    'What there is',
    'Whom to ask',
    'How a release starts',
    'What this sheet can’t do',
  ]);
  const words = wordsOf();
  for (const sentence of [
    '3 letters are ready to be sent.',
    '1 letter is a draft, which no one gets.',
    '4 documents are stored. The trusted contacts can download 2 of them after a release.',
    '1 contact reads it after a release.',
    'The trusted contacts are Priya Shah and Tom Lee.',
    '1 more person was asked and had not accepted.',
    'Questions about Everkept go to help@vault.example.',
    'hears nothing from Sam Ashworth for 180 days',
    'The letters go once 2 contacts confirm.',
    'Without a contact’s yes nothing is sent.',
    'https://vault.example/emergency-activation. Then we first try to reach the owner for 3 days.',
  ]) {
    expect(words).toContain(sentence);
  }
});

test('a sheet for release by silence says when the letters go without an answer', () => {
  const release = { ...facts.release, method: 'inactivity' as const, waitingDays: 0, quorum: 3 };
  const words = wordsOf({ release, contactNames: ['Priya Shah'] });
  expect(words).toContain('If no contact answers within 7 days, the letters go without an answer.');
  expect(words).toContain('The letters go once 1 contact confirms.');
  expect(words).toContain('The trusted contact is Priya Shah.');
  expect(words).toContain('Then we write to the owner as well.');
});

test('a sheet without contacts says so', () => {
  expect(wordsOf({ contactNames: [], waitingContacts: 0 })).toContain('No trusted contact has accepted yet.');
});

test('a sheet has as many names as there is room for, and says how many are left out', () => {
  const contactNames = Array.from({ length: 20 }, (_, number) => `${'a'.repeat(98)}${number % 10}`);
  expect(wordsOf({ contactNames })).toMatch(/, a{98}9 and 10 more\.|and 10 more\./);
});
