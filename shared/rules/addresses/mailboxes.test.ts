import { describe, expect, test } from 'vitest';
import { findByMailbox, hasKnownSpellings, isSameMailbox, mailboxOf, personOf } from './mailboxes.ts';

describe('a mailbox', () => {
  test.each([
    ['ann@mail.example', 'ann@mail.example'],
    [' Ann@Mail.Example ', 'ann@mail.example'],
    ['ann+legacy@mail.example', 'ann@mail.example'],
    ['ann+a+b@mail.example', 'ann@mail.example'],
    ['a.nn@mail.example', 'a.nn@mail.example'],
    ['fred.smith@googlemail.com', 'fredsmith@gmail.com'],
    ['fred.smith+x@gmail.com', 'fredsmith@gmail.com'],
    ['FredSmith@GMAIL.com', 'fredsmith@gmail.com'],
    ['fred.smith@gmail.com.example', 'fred.smith@gmail.com.example'],
    ['+ann@mail.example', '+ann@mail.example'],
  ])('the mailbox of %s is %s', (address, mailbox) => {
    expect(mailboxOf(address)).toBe(mailbox);
  });

  test.each([
    ['ann@mail.example', 'ann@post.example'],
    ['ann@mail.example', 'anna@mail.example'],
    ['p.s@mail.example', 'ps@mail.example'],
    ['+ann@mail.example', '+tom@mail.example'],
  ])('the mailbox of %s differs from that of %s', (one, other) => {
    expect(isSameMailbox(one, other)).toBe(false);
  });

  test('with twenty spellings is one mailbox', () => {
    const spellings = Array.from({ length: 20 }, (_, index) => `victim+${index}@mail.example`);
    expect(new Set(spellings.map(mailboxOf)).size).toBe(1);
  });
});

test('spellings are known at Google alone', () => {
  const addresses = ['Fred@Gmail.com ', 'fred@googlemail.com', 'fred@gmail.com.example', 'fred@mail.example', 'fred'];
  expect(addresses.map(hasKnownSpellings)).toEqual([true, true, false, false, false]);
});

test.each([
  ['Fred.Smith+x@googlemail.com', 'fredsmith@gmail.com'],
  [' Smith+Mum@Family.example', 'smith+mum@family.example'],
  ['smith+dad@family.example', 'smith+dad@family.example'],
])('the person with %s is told apart by %s', (address, person) => {
  expect(personOf(address)).toBe(person);
});

test('a search by mailbox prefers the exact spelling', () => {
  const items = [{ email: 'ann+old@mail.example' }, { email: 'ann@mail.example' }];
  expect(findByMailbox(items, 'ann@mail.example')).toBe(items[1]);
  expect(findByMailbox(items, 'ann+new@mail.example')).toBe(items[0]);
  expect(findByMailbox(items, 'tom@mail.example')).toBeUndefined();
});
