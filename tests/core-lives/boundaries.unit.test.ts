import { describe, expect, test } from 'vitest';
import { type Boundary, boundaries } from './boundaries.ts';
import { earlyBoundaries } from './early-boundaries.ts';
import { furtherBoundaries } from './further-boundaries.ts';
import { mailBoundaries } from './mail-boundaries.ts';
import { outageBoundaries } from './outage-boundaries.ts';

const rows = [...boundaries, ...earlyBoundaries, ...furtherBoundaries, ...mailBoundaries, ...outageBoundaries];

describe.each(rows)('$page', ({ number, is, isSo }: Boundary) => {
  const [before, at, after] = is === 'from' ? [false, true, true] : [true, true, false];

  test(`${number}: one before, the number itself and one after`, () => {
    expect([number - 1, number, number + 1].map(isSo)).toEqual([before, at, after]);
  });
});

test('each row of the table has a sentence of its own', () => {
  expect(new Set(rows.map(({ page, number }) => `${page} ${number}`)).size).toBe(rows.length);
});
