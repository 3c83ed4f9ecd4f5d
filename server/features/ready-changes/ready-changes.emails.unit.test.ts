import { expect, test } from 'vitest';
import { type ReadyChangesFacts, readyChangesEmail } from './ready-changes.emails.ts';
import { readyChangeKinds } from './ready-changes.rules.ts';

const at = new Date('2026-07-20T09:30:00Z');
const later = new Date('2026-07-20T21:05:00Z');
const facts: ReadyChangesFacts = {
  firstName: 'Sam',
  tallies: [{ kind: 'deleted', count: 2, firstAt: at, lastAt: later }],
  readers: [],
  readersCount: 0,
  browsers: ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/130.0', null],
  baseUrl: 'https://everkept.example',
};
const oneLine = (given: Partial<ReadyChangesFacts> = {}) =>
  readyChangesEmail({ ...facts, ...given }).text.replace(/\s+/g, ' ');

test('times are in London time, from the first change to the last', () => {
  expect(oneLine()).toContain(
    '2 messages were deleted: 10:30 (UK time) on 20 July 2026 to 22:05 (UK time) on 20 July 2026',
  );
});

test('one change has one time', () => {
  const tallies = [{ kind: 'ready', count: 1, firstAt: at, lastAt: at }] as const;
  expect(oneLine({ tallies })).toContain('1 message became ready: 10:30 (UK time) on 20 July 2026');
  expect(oneLine({ tallies })).not.toContain(' to 10:30');
});

test('devices are named, and a change without a browser is said to be one', () => {
  expect(oneLine()).toContain('Devices: Firefox on Windows, no browser (the operator, or a program).');
});

test('the email says what to do if it was not the owner, and links to the sign-in alone', () => {
  const text = oneLine();
  expect(text).toContain('If this was not you, sign in');
  expect(text).toContain('change your password, sign out your other devices');
  expect(new Set(text.match(/https:\/\/\S+/g))).toEqual(
    new Set(['https://everkept.example/login', 'https://everkept.example/']),
  );
});

test('every kind of change has words, in the order of the list', () => {
  const tallies = readyChangeKinds.map((kind) => ({ kind, count: 1, firstAt: at, lastAt: at })).toReversed();
  const lines = oneLine({ tallies }).match(/1 message [a-z ,]+/g) ?? [];
  expect(lines).toHaveLength(readyChangeKinds.length);
  expect(lines[0]).toBe('1 message became ready');
});

test('a name with markup stays text', () => {
  const readers = [{ name: '<b>Nell</b>', email: 'nell@family.example' }];
  expect(readyChangesEmail({ ...facts, readers, readersCount: 1 }).html).not.toContain('<b>Nell');
});

test.each([
  [{ readers: [], readersCount: 1 }, 'One reader was added to ready messages: - 1 in total, not listed here'],
  [{ readers: [{ name: null, email: 'a@b.example' }], readersCount: 3 }, '- a@b.example - 2 more, not listed here'],
])('readers without an address to show are counted', (given, words) => {
  expect(oneLine(given)).toContain(words);
});

test.each([
  [['words'], 'Your ready messages changed'],
  [['words', 'forgotten'], 'Ready messages were deleted from your account'],
  [['deleted', 'readers'], 'The readers of your ready messages changed'],
] as const)('the subject of %j names the gravest change', (kinds, subject) => {
  const tallies = kinds.map((kind) => ({ kind, count: 1, firstAt: at, lastAt: at }));
  expect(readyChangesEmail({ ...facts, tallies }).subject).toBe(subject);
});
