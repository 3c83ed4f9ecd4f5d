import { expect, test } from 'vitest';
import { caught } from './catch.ts';
import { theCore } from './lives.ts';
import { mistakes } from './mistakes.ts';

/** The rarest of them shows within 4,800 years. */
const yearsMax = 8_000;

test.each(mistakes)('is caught: $name', (mistake) => {
  expect(caught(theCore, mistake, yearsMax)?.fault.code).toEqual(expect.any(String));
});
