import { expect, it } from 'vitest';
import { createStatementNames } from './statement-names.ts';

const byId = 'select email from users where id = $1';

it('names a statement at its second use, always with one name', () => {
  const names = createStatementNames();
  expect(names(byId, [1])).toBeUndefined();
  const name = names(byId, [2]);
  expect(name).toMatch(/^\w{1,63}$/);
  expect(names(byId, [3])).toBe(name);
});

it('gives each text a name of its own', () => {
  const names = createStatementNames();
  const texts = Array.from({ length: 20 }, (_, count) => `select ${count} + $1`);
  for (const text of texts) names(text, [1]);
  expect(new Set(texts.map((text) => names(text, [1]))).size).toBe(texts.length);
});

it('names no more than it may, and goes on naming those', () => {
  const names = createStatementNames(2);
  const texts = Array.from({ length: 5 }, (_, count) => `select ${count} + $1`);
  for (const text of texts) names(text, [1]);
  const given = texts.map((text) => names(text, [1]));
  expect(given.filter((name) => name !== undefined)).toHaveLength(2);
  expect(texts.map((text) => names(text, [1]))).toEqual(given);
});

it('has room for repeated statements, however many were used once', () => {
  const names = createStatementNames(2, 10);
  for (let count = 0; count < 1_000; count += 1) names(`select ${count} + $1`, [1]);
  names(byId, [1]);
  expect(names(byId, [1])).toBeDefined();
  expect(names('select 0 + $1', [1])).toBeUndefined();
});

it.each([
  'begin',
  'set local statement_timeout = 0',
  'select 1; select 2',
  'truncate users',
  'create table numbers (value int)',
])('leaves “%s” without a name, which is no statement to keep', (text) => {
  const names = createStatementNames();
  expect([names(text, undefined), names(text, [])]).toEqual([undefined, undefined]);
});

it.each(['select clock_timestamp()', ' \n with due as (select 1) select * from due'])(
  'keeps “%s”, which has no values',
  (text) => {
    const names = createStatementNames();
    names(text, []);
    expect(names(text, undefined)).toBeDefined();
  },
);
