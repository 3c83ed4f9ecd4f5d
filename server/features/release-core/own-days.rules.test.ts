import { describe, expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import type { Event } from './events.rules.ts';
import type { World } from './model.rules.ts';
import { isForgotten } from './notice-facts.rules.ts';
import { brokenPromise } from './promises.rules.ts';
import { contact, live, worldOf } from './release-core.test-world.ts';

/** Days from the beginning, as dates; a release by silence begins on day 97. */
const dateOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);
/** In winter eight o'clock in London is a third of a day after midnight in UTC; the first of January 1970 had summer time. */
const laterOn = (day: number) => new Map([['tom', dateOf(day)]]);
const ofLetters = /released|letters_due|release_done|release_closed|release_undone/;

function releasedWith(changes: Partial<World> = {}) {
  return live(worldOf({ readyLetters: ['nell', 'tom'], ownDays: laterOn(120), ...changes }));
}

describe('a letter with a day of its own', () => {
  test('waits for it: the release is done without it, and it goes by itself', () => {
    const life = releasedWith();
    life.until(98);
    life.does({ kind: 'letter_ended', letterId: 'nell', outcome: 'accepted' });
    expect(life.world.release).toMatchObject({ isDone: true, letters: [{ state: 'accepted' }, { state: 'later' }] });
    life.until(119.9);
    expect(life.lines(/letters_due/)).toEqual([]);
    life.until(121);
    expect(life.lines(/letters_due/)).toEqual(['120.29 letters_due']);
    expect(life.world.release?.letters).toContainEqual({ id: 'tom', state: 'waiting' });
  });

  test('keeps no release open if nothing else is ready', () => {
    const life = releasedWith({ readyLetters: ['tom'] });
    life.until(98);
    expect(life.lines(ofLetters)).toEqual(['97 released', '97 release_done']);
  });

  test('leaves with the others if that day is past', () => {
    const life = releasedWith({ ownDays: laterOn(50) });
    life.until(98);
    expect(life.world.release?.letters.map(({ state }) => state)).toEqual(['waiting', 'waiting']);
  });

  test('is taken back with the others by its owner', () => {
    const life = releasedWith();
    life.until(100);
    life.does({ kind: 'is_owner', takesBack: true });
    life.until(130);
    expect([life.world.waitingLetters, life.lines(/letters_due/)]).toEqual([[], []]);
  });

  test('goes on its day where its owner leaves it so, whatever is open by then', () => {
    const life = releasedWith();
    life.until(100);
    life.does({ kind: 'is_owner', takesBack: false });
    expect(life.world).toMatchObject({ release: null, waitingLetters: [{ id: 'tom' }] });
    life.does({ kind: 'life' });
    life.until(130);
    expect(life.lines(/letters_due/)).toEqual(['120.29 letters_due']);
    expect(life.world.waitingLetters).toEqual([]);
  });

  test('waits past its day if its reader wants no more letters, and the guard of production holds it', () => {
    const kit = { id: 'kit', state: 'later', dueAtMs: 10 * dayMs } as const;
    const declined = worldOf({ waitingLetters: [{ ...kit, isDeclined: true }] });
    const life = live(declined);
    life.until(30);
    expect(life.lines(/letters_due/)).toEqual([]);
    const now = { atMs: 30 * dayMs, healthyMs: 30 * dayMs };
    const due: Event[] = [{ kind: 'letters_due', letters: ['kit'] }];
    expect(brokenPromise(declined, due, now)).toBe('a reader who wants no more letters gets none');
    const again = worldOf({ waitingLetters: [kit] });
    expect(brokenPromise(again, due, now)).toBeNull();
    const other = live(again);
    other.until(30);
    expect(other.lines(/letters_due/)).toHaveLength(1);
  });

  test('is ready again where a first no undoes the release before anything has left', () => {
    const two = [contact('ada'), contact('bo')];
    const life = releasedWith({ contacts: two });
    life.until(91);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    expect(life.does({ kind: 'answer', contactId: 'bo', says: 'no' })).toBeNull();
    expect(life.world.readyLetters.toSorted()).toEqual(['nell', 'tom']);
  });

  test('waits while everything is frozen, and while the person who signed in has not answered', () => {
    for (const held of ['freeze', 'question'] as const) {
      const life = releasedWith();
      life.until(100);
      life.does({ kind: 'letter_ended', letterId: 'nell', outcome: 'accepted' });
      if (held === 'freeze') life.change({ stops: { isFrozen: true, isSilenceStopped: false } });
      else life.does({ kind: 'signed_in' });
      life.until(125);
      expect(life.lines(/letters_due/), held).toEqual([]);
      if (held === 'freeze') life.change({ stops: { isFrozen: false, isSilenceStopped: false } });
      else life.does({ kind: 'is_not_owner' });
      life.until(127);
      expect(life.lines(/letters_due/), held).toHaveLength(1);
    }
  });

  test('leaves an hour after an outage into which that day falls', () => {
    const life = releasedWith();
    life.until(110);
    life.outage(20);
    life.change({ stops: { isFrozen: false, isSilenceStopped: false, outageEndedMs: 130 * dayMs } });
    life.until(131);
    expect(life.lines(/letters_due/)).toEqual(['130.04 letters_due']);
  });
});

describe('the promises', () => {
  const mark = (day: number) => ({ atMs: day * dayMs, healthyMs: day * dayMs });
  const waiting = { id: 'tom', state: 'later' as const, dueAtMs: 120 * dayMs };
  const due = (letters: readonly string[]): Event[] => [{ kind: 'letters_due', letters }];

  test('no letter leaves before its day, nor one that waits for none, nor while all is stopped', () => {
    const world = worldOf({ waitingLetters: [waiting] });
    expect(brokenPromise(world, due(['tom']), mark(121))).toBeNull();
    expect(brokenPromise(world, due(['tom']), mark(119))).toBe('no letter leaves before its day');
    expect(brokenPromise(world, due(['nell']), mark(121))).toBe('only a letter that waits for its day leaves on it');
    const frozen = { ...world, stops: { isFrozen: true, isSilenceStopped: false } };
    expect(brokenPromise(frozen, due(['tom']), mark(121))).toBe('frozen means no forward step');
  });
});

describe('after a restore, which lost the letters that had left or were withdrawn', () => {
  const held = /letters_held|letters_let_go|letters_due/;
  const restored = (changes: Partial<World> = {}, restoredDay = 119) => {
    const life = releasedWith(changes);
    life.until(98);
    life.does({ kind: 'letter_ended', letterId: 'nell', outcome: 'accepted' });
    life.until(restoredDay);
    return life;
  };

  test('a letter whose day comes waits behind the notice to its owner, and goes then', () => {
    const life = restored();
    expect(life.world.release?.isDone).toBe(true);
    life.does({ kind: 'begin_anew' });
    life.until(125);
    expect(life.lines(held)).toEqual(['119 letters_held', '122 letters_let_go', '122 letters_due']);
  });

  test('one whose day is far goes on it', () => {
    const life = restored({ ownDays: laterOn(140) });
    life.does({ kind: 'begin_anew' });
    life.until(145);
    expect(life.lines(held)).toEqual(['119 letters_held', '122 letters_let_go', '140.29 letters_due']);
  });

  test('one whose day is still to come waits again where the notice came back behind its days', () => {
    const life = restored({ ownDays: laterOn(140) });
    life.does({ kind: 'begin_anew' });
    life.until(139);
    const notice = life.world.notices.find(({ topic }) => topic === 'letters_wait')?.id ?? 0;
    life.does({ kind: 'notice_bounced', notice, channel: 'email' });
    life.until(145);
    const again = ['139 letters_held', '142 letters_let_go', '142 letters_due'];
    expect(life.lines(held)).toEqual(['119 letters_held', '122 letters_let_go', ...again]);
  });

  test('one that its owner had left as it was waits as well, and whatever they do since leaves the notice on its way', () => {
    const life = live(worldOf({ waitingLetters: [{ id: 'tom', state: 'later', dueAtMs: 2 * dayMs }] }), (to, day) =>
      to === 'owner' && day < 3 ? 'later' : 'accepted',
    );
    life.until(1);
    life.does({ kind: 'begin_anew' });
    life.does({ kind: 'life' });
    life.until(7);
    expect(life.lines(held)).toEqual(['1 letters_held', '6 letters_let_go', '6 letters_due']);
  });

  test('the notice is kept until the last letter of a release that was left as it was has gone: it may still come back', () => {
    const life = live(worldOf({ waitingLetters: [{ id: 'tom', state: 'later', dueAtMs: 20 * dayMs }] }));
    life.until(1);
    life.does({ kind: 'begin_anew' });
    const isKept = () => {
      const notice = life.world.notices.find(({ topic }) => topic === 'letters_wait');
      return notice !== undefined && !isForgotten(life.world, notice, life.now);
    };
    life.until(19);
    expect([life.world.restart, isKept()]).toEqual([null, true]);
    life.until(21);
    expect([life.world.waitingLetters, isKept()]).toEqual([[], false]);
  });

  test('a withdrawn letter no longer waits, and no contact is notified that it waits', () => {
    const life = restored();
    life.does({ kind: 'begin_anew' });
    life.does({ kind: 'is_owner', takesBack: true });
    expect(life.world.restart).toBeNull();
    life.until(130);
    expect(life.lines(held)).toEqual(['119 letters_held']);
  });

  test('a letter that the owner left as it is still waits', () => {
    const life = restored();
    life.does({ kind: 'begin_anew' });
    life.does({ kind: 'is_owner', takesBack: false });
    life.until(130);
    expect(life.lines(held)).toEqual(['119 letters_held', '122 letters_let_go', '122 letters_due']);
  });

  test('a guard of its own refuses a letter that would leave before', () => {
    const life = restored();
    life.does({ kind: 'begin_anew' });
    const day = { atMs: 121 * dayMs, healthyMs: 121 * dayMs };
    expect(brokenPromise(life.world, [{ kind: 'letters_due', letters: ['tom'] }], day)).toMatch(/frozen/);
  });
});
