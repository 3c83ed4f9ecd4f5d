import { expect, test } from 'vitest';
import { waitsForReminders } from '#server/features/release-core/facts.rules.ts';
import { live, worldOf } from '#server/features/release-core/release-core.test-world.ts';
import { waitsOf } from './under-way.words.ts';

const account = {
  account: 'sam@ashworth.example',
  isFrozenByName: false,
  isClockBehind: false,
  failing: 0,
  repliedAt: null,
};

test('a release by silence names no day while a reminder does not reach the owner, and names it afterwards', () => {
  const life = live(worldOf(), (to, day) => (to === 'owner' && day > 46 && day < 125 ? 'later' : 'accepted'));
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

test('an early release under review names the review and the silence, and no waiting period of the owner', () => {
  const life = live(worldOf());
  life.change({ stops: { ...life.world.stops, isEarlyStopped: true } });
  life.until(10);
  life.does({ kind: 'emergency', contactId: 'ada' });
  life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
  life.until(20);
  const waits = () => waitsOf({ ...account, world: life.world, now: life.now });
  expect(waits()).toEqual([
    { what: expect.stringMatching(/^Your review: .*everkept release resume sam@ashworth.example$/), until: null },
    { what: 'Without your review: the end of a long silence', until: expect.any(Date) },
  ]);
  const silenceDay = waits()[1]?.until?.getTime() ?? 0;
  life.until(80);
  expect(waits()[1]?.until?.getTime()).toBe(silenceDay);
});

test('a letter with a day of its own is named with its day, and a declined one is not: it has none', () => {
  const letter = { id: 'kit', state: 'later', dueAtMs: Date.parse('2031-05-04') } as const;
  const waits = (isDeclined: boolean) => {
    const waitingLetters = [{ ...letter, ...(isDeclined ? { isDeclined } : {}) } as const];
    return waitsOf({ ...account, world: worldOf({ waitingLetters }), now: { atMs: 0, healthyMs: 0 } });
  };
  expect(waits(false)).toEqual([{ what: '1 letter with a day of its own', until: new Date(letter.dueAtMs) }]);
  expect(waits(true)).toEqual([]);
});
