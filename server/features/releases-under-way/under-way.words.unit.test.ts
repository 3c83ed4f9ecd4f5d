import { expect, test } from 'vitest';
import { waitsForReminders } from '#server/features/release-core/facts.rules.ts';
import { live, worldOf } from '#server/features/release-core/release-core.test-world.ts';
import { waitsOf } from './under-way.words.ts';

test('a release by silence names no day while a reminder does not reach the owner, and names it afterwards', () => {
  const life = live(worldOf(), (to, day) => (to === 'owner' && day > 46 && day < 125 ? 'later' : 'accepted'));
  const account = {
    account: 'sam@ashworth.example',
    isFrozenByName: false,
    isClockBehind: false,
    failing: 0,
    repliedAt: null,
  };
  const waits = () => waitsOf({ ...account, world: life.world, now: life.now });

  life.until(115);
  expect(life.lines(/contact_asked/)[0]).toBe('110 contact_asked ada');
  expect(waitsForReminders(life.world)).toBe(true);
  expect(waits()).toEqual([{ what: 'Confirmations: 0 of 1, or a reminder that reaches the owner', until: null }]);
  life.until(126);
  expect(waitsForReminders(life.world)).toBe(false);
  expect(waits()).toMatchObject([
    { what: 'Confirmations: 0 of 1, or the end of the answer time', until: expect.any(Date) },
  ]);
});
