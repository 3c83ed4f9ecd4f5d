import { describe, expect, test } from 'vitest';
import { contact, live, plainOwner, worldOf } from './release-core.test-world.ts';

/* Notices of a delivery that comes later than announced: recipients and times. */

const two = [contact('ada'), contact('ben')];
const told = /delivery_delayed|told( \w+)? delayed|^\S+ released/;

describe('people who were notified of a delivery day', () => {
  test('get no further notice if the delivery comes on that day', () => {
    const life = live(worldOf({ contacts: two }));
    life.until(130);
    expect(life.lines(told)).toEqual(['97 released']);
  });

  test('are notified on that day that an outage made the delivery later', () => {
    const life = live(worldOf({ contacts: two }));
    life.until(92);
    life.outage(3);
    life.until(130);
    expect(life.lines(told)).toEqual([
      '97.04 delivery_delayed',
      '97.04 contact_told ada delayed',
      '97.04 contact_told ben delayed',
      '97.04 owner_told delayed',
      '100 released',
    ]);
  });

  test('are notified on that day that a bounced reminder stopped the answer time', () => {
    const life = live(worldOf());
    life.until(92);
    life.does({ kind: 'notice_bounced', notice: life.world.silence?.lastNotice ?? 0, channel: 'email' });
    life.until(98);
    expect(life.world.request?.toldUntilMs).toBe(107 * 86_400_000);
    life.until(130);
    expect(life.lines(told)).toEqual([
      '97.04 delivery_delayed',
      '97.04 contact_told ada delayed',
      '97.04 owner_told delayed',
      '107 released',
    ]);
  });

  test('are notified each time that the new day passes', () => {
    const life = live(worldOf(), (to, day) => (to === 'owner' && day > 91 && day < 105 ? 'later' : 'accepted'));
    life.until(92);
    life.does({ kind: 'notice_bounced', notice: life.world.silence?.lastNotice ?? 0, channel: 'email' });
    life.until(140);
    expect(life.lines(/delivery_delayed|^\S+ released/)).toEqual([
      '97.04 delivery_delayed',
      '112.08 delivery_delayed',
      '120 released',
    ]);
  });

  test('are notified that the owner set a longer answer time meanwhile', () => {
    const life = live(worldOf());
    life.until(91);
    life.change({ owner: { ...plainOwner, answerDays: 10 } });
    life.until(130);
    expect(life.lines(told)).toEqual([
      '97.04 delivery_delayed',
      '97.04 contact_told ada delayed',
      '97.04 owner_told delayed',
      '100 released',
    ]);
  });

  test('are notified of the new day if another contact is asked after the day was moved', () => {
    const life = live(worldOf());
    life.until(91);
    life.change({ owner: { ...plainOwner, inactivityDays: 135 } });
    life.until(98);
    life.change({ contacts: two });
    life.until(140);
    expect(life.lines(/told ben delayed|^\S+ released/)).toEqual(['98 contact_told ben delayed', '135 released']);
  });

  test('hear of no delay while a refused reminder kept their question without a day', () => {
    const life = live(worldOf(), (to, day) => (to === 'owner' && day > 46 && day < 160 ? 'later' : 'accepted'));
    life.until(159);
    expect(life.lines(/contact_asked/)).toEqual(['110 contact_asked ada', '140 contact_asked ada']);
    expect(life.lines(told)).toEqual([]);
    expect(life.world.request?.toldUntilMs).toBeNull();
  });

  test('hear of a delay if a question that was sent again named the first day', () => {
    const life = live(worldOf(), (to, day) => (to === 'owner' && day > 46 && day < 135 ? 'later' : 'accepted'));
    life.change({ owner: { ...plainOwner, answerDays: 30 } });
    life.until(141);
    expect(life.lines(/contact_asked/)).toEqual(['110 contact_asked ada', '140 contact_asked ada']);
    const named = Math.round((life.world.request?.toldUntilMs ?? 0) / 86_400_000);
    expect(named).toBe(145);
    life.outage(6);
    life.until(200);
    expect(life.lines(told)).toEqual([
      '147 delivery_delayed',
      '147 contact_told ada delayed',
      '147 owner_told delayed',
      '151 released',
    ]);
  });

  test('hear of a delay alone, beside a contact whose question named no day', () => {
    const life = live(worldOf(), (to, day) => (to === 'owner' && day > 46 && day < 112 ? 'later' : 'accepted'));
    life.until(113);
    life.change({ contacts: two });
    life.until(114);
    life.outage(20);
    life.until(170);
    expect(life.lines(/contact_asked|told \w+ delayed|^\S+ released/)).toEqual([
      '110 contact_asked ada',
      '113 contact_asked ben',
      '134 contact_told ben delayed',
      '142 released',
    ]);
  });

  test('are notified of no day while the breaker stops silence, since the operator decides then', () => {
    const life = live(worldOf());
    life.until(92);
    life.change({ stops: { isFrozen: false, isSilenceStopped: true } });
    life.until(110);
    expect(life.lines(told)).toEqual([]);
  });

  test('are notified of no day if people alone decide', () => {
    const life = live(worldOf({ owner: { ...plainOwner, method: 'trusted_contact' } }));
    life.until(92);
    life.outage(3);
    life.until(130);
    expect(life.lines(told)).toEqual([]);
  });
});

describe('an owner who was told a day of delivery', () => {
  test('is told if the one question came back, and its contact reads the new day in the next one alone', () => {
    const life = live(worldOf());
    life.until(92);
    life.does({ kind: 'notice_bounced', notice: life.world.request?.asks[0]?.notice ?? 0, channel: 'email' });
    life.until(130);
    expect(life.lines(/contact_asked|delivery_delayed|told( \w+)? delayed|^\S+ released/)).toEqual([
      '90 contact_asked ada',
      '92 contact_asked ada',
      '97.04 delivery_delayed',
      '97.04 owner_told delayed',
      '99 released',
    ]);
  });

  test('is told if the one question was refused for days', () => {
    const life = live(worldOf(), (to, day) => (to === 'ada' && day < 94 ? 'later' : 'accepted'));
    life.until(130);
    expect(life.lines(told)).toEqual(['97.04 delivery_delayed', '97.04 owner_told delayed', '101 released']);
  });
});
