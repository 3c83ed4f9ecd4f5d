import { expect, it } from 'vitest';
import { namesTogether, readerName, yourRelation } from './reader-names.ts';

it('calls a reader by their name, and by their address where there is none', () => {
  expect(readerName({ name: 'Nell', email: 'nell@ashworth.example' })).toBe('Nell');
  expect(readerName({ name: ' ', email: ' nell@ashworth.example' })).toBe('nell@ashworth.example');
  expect(readerName({ name: null, email: 'nell@ashworth.example' })).toBe('nell@ashworth.example');
});

it.each([
  [['Nell'], 'Nell'],
  [['Nell', 'Joss'], 'Nell and Joss'],
  [['Nell', 'Tom', 'Ada'], 'Nell, Tom and Ada'],
  [['Nell', 'Tom', 'Ada', 'Ben', 'Ruth'], 'Nell, Tom and 3 others'],
])('names %j together', (names, words) => {
  expect(namesTogether(names)).toBe(words);
});

it.each([
  ['daughter', 'your daughter'],
  ['my daughter', 'your daughter'],
  ['My GP', 'your GP'],
  ['Friend of old', 'your friend of old'],
  [' ', ''],
  [null, ''],
])('says of “%s” what they are to the writer', (relation, words) => {
  expect(yourRelation(relation)).toBe(words);
});
