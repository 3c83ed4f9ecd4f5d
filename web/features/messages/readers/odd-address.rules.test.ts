import { expect, it } from 'vitest';
import { isOneSlip, likelyMeant } from './odd-address.rules.ts';

it.each([
  ['joss@gamil.com', 'joss@gmail.com'],
  ['joss@gmal.com', 'joss@gmail.com'],
  ['joss@gmaill.com', 'joss@gmail.com'],
  ['Joss@GMAIL.con ', 'joss@gmail.com'],
  ['joss@gmial.con', 'joss@gmail.com'],
  ['joss@hotmal.co.uk', 'joss@hotmail.co.uk'],
  ['joss@btinternt.com', 'joss@btinternet.com'],
  ['joss@yahoo,co.uk', 'joss@yahoo.co.uk'],
  ['joss@gmail.co', 'joss@gmail.com'],
  ['joss@ashworth.con', 'joss@ashworth.com'],
])('asks about %s', (typed, meant) => {
  expect(likelyMeant(typed)).toBe(meant);
});

it.each([
  'joss@gmail.com',
  'joss@ashworth.example',
  'joss@mail.com',
  'joss@live.com',
  'joss',
  'joss@',
  '@gmail.com',
  '',
])('lets “%s” be', (typed) => {
  expect(likelyMeant(typed)).toBeUndefined();
});

it('asks about an address that is one letter off one that was used before', () => {
  const known = ['nell@ashworth.example', 'tom@post.example'];
  expect(likelyMeant('nel@ashworth.example', known)).toBe('nell@ashworth.example');
  expect(likelyMeant('nell@ashworth.example', known)).toBeUndefined();
  expect(likelyMeant('ada@post.example', known)).toBeUndefined();
});

it('knows a slip: one letter more, less, other, or two changed about', () => {
  expect(['gmaill', 'gmil', 'gmaik', 'gamil', 'mgail', 'gmai'].map((typed) => isOneSlip(typed, 'gmail'))).toEqual(
    Array(6).fill(true),
  );
  expect(['gmail', 'gml', 'gimal2', 'liamg'].map((typed) => isOneSlip(typed, 'gmail'))).toEqual(Array(4).fill(false));
});
