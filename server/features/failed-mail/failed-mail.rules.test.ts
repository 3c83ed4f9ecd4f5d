import { describe, expect, test } from 'vitest';
import { type FailedFacts, isFound, reasonOf, retryOf, stateOf } from './failed-mail.rules.ts';

const now = Date.parse('2026-11-20T09:00:00.000Z');
const later = Date.parse('2026-11-20T15:00:00.000Z');
const facts = (given: Partial<FailedFacts> = {}): FailedFacts => ({
  isLetter: false,
  status: 'pending',
  code: 451,
  refusals: 0,
  wasRefused: false,
  wasReturned: false,
  nextTryMs: later,
  isFrozen: false,
  ...given,
});

describe('"Try again" of a failed mail', () => {
  test.each<[string, Partial<FailedFacts>, ReturnType<typeof retryOf>]>([
    ['a mail that waits for its next try goes now', {}, 'now'],
    ['a policy refusal goes now', { code: 550 }, 'now'],
    ['a mail of a frozen account waits for the freeze', { isFrozen: true }, 'frozen'],
    ['a mail that is due is queued already', { nextTryMs: now }, 'queued'],
    ['a mail in the hands of a worker is queued already', { status: 'sending' }, 'queued'],
    ['a mail that its mailbox refused waits for its day', { refusals: 1, code: 550 }, 'waits'],
    ['a refusal that does not count yet waits for its day too', { wasRefused: true, code: 550 }, 'waits'],
    ['a returned mail waits for its day', { wasReturned: true }, 'waits'],
    ['a refused letter follows the rules of its release', { isLetter: true, status: 'bounced' }, 'letters'],
    ['a letter that was given up follows them too', { isLetter: true, status: 'dead' }, 'letters'],
    ['a question to a contact that has ended stays ended', { status: 'bounced' }, 'ended'],
    ['a reset that was given up stays ended', { status: 'dead' }, 'ended'],
    ['a withdrawn mail stays ended', { status: 'cancelled' }, 'ended'],
    ['an accepted mail stays ended', { status: 'accepted' }, 'ended'],
  ])('%s', (_, given, retry) => {
    expect(retryOf(facts(given), now)).toBe(retry);
  });
});

test.each<[Partial<FailedFacts>, RegExp]>([
  [{ code: null }, /^No mail server answered/],
  [{ code: null, status: 'bounced' }, /^No mail can go to this address/],
  [{ code: 451 }, /try again later/],
  [{ code: 421 }, /try again later/],
  [{ code: 452 }, /full/],
  [{ code: 552, status: 'bounced' }, /full/],
  [{ code: 550 }, /refuses our email/],
  [{ code: 554, status: 'dead' }, /refuses our email/],
  [{ code: 550, refusals: 1 }, /does not exist or is closed/],
  [{ code: 550, status: 'bounced' }, /does not exist or is closed/],
  [{ code: 550, wasReturned: true }, /reported later/],
])('the reason of %o is said in plain words', (given, words) => {
  expect(reasonOf(facts(given))).toMatch(words);
});

test('an ended mail is refused, returned or given up', () => {
  const states = [{ status: 'bounced' }, { status: 'bounced', wasReturned: true }, { status: 'dead' }] as const;
  expect(states.map((state) => stateOf(facts(state)))).toEqual(['refused', 'returned', 'given_up']);
});

test.each([
  ['zoe@post.example', 'zoe@post.example', true],
  ['Zoe@Post.example', 'zoe@post.example', true],
  ['zoe@post.example', 'post.example', true],
  ['zoe@post.example', '@post.example', true],
  ['zoe@outpost.example', 'post.example', false],
  ['zoe@post.example', 'oe@post.example', false],
  ['zoe@post.example', 'example', false],
  [null, 'post.example', false],
])('%s is found by %s: %s', (address, search, found) => {
  expect(isFound(address, search)).toBe(found);
});
