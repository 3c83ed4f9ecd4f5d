import { expect, test } from 'vitest';
import { caught, guardAlone, unguarded } from './catch.ts';
import { guardsMistakes } from './guards-mistakes.ts';
import { theCore } from './lives.ts';
import { mistakes } from './mistakes.ts';
import { guardForbids } from './world.ts';

/** The rarest of them shows within 4,800 years. */
const yearsMax = 8_000;

test.each(mistakes)('is caught by the judge alone: $name', (mistake) => {
  expect(caught(unguarded(theCore), mistake, yearsMax)?.fault.code).toEqual(expect.any(String));
});

test.each(guardsMistakes)('is caught by the guard of production alone: $name', (mistake) => {
  const { code, message } = caught(theCore, mistake, yearsMax, { forgiven: guardAlone })?.fault ?? {};
  expect(code).toBe(guardForbids);
  expect(message).toContain(mistake.forbidden);
});
