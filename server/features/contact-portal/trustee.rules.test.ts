import { describe, expect, it } from 'vitest';
import type { Refusal } from '#server/features/release-core/events.rules.ts';
import { waitEndsAtMs } from '#server/features/release-core/facts.rules.ts';
import { contact, live, plainOwner, worldOf } from '#server/features/release-core/release-core.test-world.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { neededOf, triggeredMessage, triggerFromMs, triggerRefusal, trusteeState } from './trustee.rules.ts';

/** Sam with two trustees, of whom both must confirm unless the test says otherwise. */
const lifeOf = (changes: Parameters<typeof worldOf>[0] = {}) =>
  live(worldOf({ owner: { ...plainOwner, quorum: 2 }, contacts: [contact('priya'), contact('tom')], ...changes }));
const press = { kind: 'trustee', contactId: 'priya' } as const;
type Life = ReturnType<typeof live>;
const seen = ({ world }: Life) => [trusteeState(world, 'priya'), trusteeState(world, 'tom')];

describe('a trustee’s view of a release', () => {
  it('is nothing before they have confirmed, whatever others do', () => {
    const life = lifeOf();
    expect(seen(life)).toEqual(['none', 'none']);
    life.does(press);
    expect(seen(life)).toEqual(['waiting_for_others', 'none']);
    life.does({ kind: 'answer', contactId: 'tom', says: 'no' });
    expect(seen(life), 'a no ends an early request').toEqual(['none', 'none']);
  });

  it('follows their own confirmation to its end', () => {
    const life = lifeOf();
    life.does(press);
    life.does({ kind: 'answer', contactId: 'tom', says: 'yes' });
    expect(seen(life)).toEqual(['waiting_time', 'waiting_time']);
    life.until(4);
    expect(seen(life)).toEqual(['released', 'released']);
  });

  it('is a pause where another contact’s first no holds a request by silence, and nothing once it is over', () => {
    const life = lifeOf();
    life.until(91);
    life.does({ kind: 'answer', contactId: 'priya', says: 'yes' });
    life.does({ kind: 'answer', contactId: 'tom', says: 'no' });
    expect(seen(life)).toEqual(['paused', 'none']);
    life.until(122);
    expect(seen(life), 'what was said before the pause counts no more').toEqual(['none', 'none']);
  });

  it('asks again after a withdrawn confirmation', () => {
    const life = lifeOf();
    life.does(press);
    life.does({ kind: 'take_back', contactId: 'priya' });
    expect(seen(life)).toEqual(['none', 'none']);
  });

  it('says when the waiting time ends, once it has begun, and that an outage is no time to answer', () => {
    const life = lifeOf({ owner: { ...plainOwner, quorum: 1 } });
    life.does(press);
    expect(waitEndsAtMs(life.world, life.now)).toBe(3 * dayMs);
    life.outage(5);
    expect(waitEndsAtMs(life.world, life.now)).toBe(8 * dayMs);

    const unread = live(worldOf({ contacts: [contact('priya')] }), () => 'later');
    unread.does(press);
    expect(waitEndsAtMs(unread.world, unread.now)).toBeNull();
  });

  it('counts by the announced terms, and never more people than there are', () => {
    const life = lifeOf({ owner: { ...plainOwner, quorum: 3 } });
    expect(neededOf(life.world)).toBe(2);
    life.does(press);
    life.change({ owner: { ...plainOwner, quorum: 1 } });
    expect(neededOf(life.world)).toBe(2);
  });

  it('says from when a fresh contact can act, who has a fresh relationship or a fresh proof', () => {
    const now = { atMs: 10 * dayMs, healthyMs: 9 * dayMs };
    const priya = contact('priya', 0);
    const early = { request: null };
    expect(triggerFromMs(early, { contact: priya, accountMs: [] }, now)).toBeNull();
    expect(triggerFromMs(early, { contact: priya, accountMs: [now.atMs - dayMs, 0] }, now)).toBe(now.atMs + 2 * dayMs);
    expect(triggerFromMs(early, { contact: contact('priya', 8), accountMs: [0] }, now)).toBe(now.atMs + 2 * dayMs);
    expect(triggerFromMs(early, { contact: contact('priya', 6), accountMs: [now.atMs - 3 * dayMs] }, now)).toBeNull();
  });

  it('lets a fresh contact act at once if silence asks, but not from a fresh account', () => {
    const now = { atMs: 92 * dayMs, healthyMs: 92 * dayMs };
    const life = lifeOf();
    life.until(91);
    const fresh = contact('priya', 91);
    expect(life.world.request?.cause).toBe('silence');
    expect(triggerFromMs(life.world, { contact: fresh, accountMs: [0] }, now)).toBeNull();
    expect(triggerFromMs(life.world, { contact: fresh, accountMs: [91 * dayMs] }, now)).toBe(94 * dayMs);
  });
});

describe('the answer to a trustee’s press', () => {
  const days = { waitingDays: 1, until: '10 September 2026' };
  const pressed = { state: 'waiting_for_others', missing: 2, ...days, firstName: 'Sam' } as const;

  it('says that messages were released only where they were', () => {
    expect(triggeredMessage({ ...pressed, state: 'released' })).toContain('have been released');
    expect(triggeredMessage(pressed)).toContain('2 more trusted contacts confirm');
    expect(triggeredMessage(pressed)).toContain('Then we try to reach Sam for 1 day first.');
    const waiting = { ...pressed, state: 'waiting_time' } as const;
    expect(triggeredMessage(waiting)).toContain('We try to reach Sam until 10 September 2026. Then the letters go.');
    expect(triggeredMessage({ ...waiting, waitingDays: 0 })).toContain(
      'Nothing is sent before our email has told Sam.',
    );
    expect(triggeredMessage({ ...pressed, missing: 0 })).toContain('Nothing is sent yet');
  });

  it('gives a reason in plain words for every refusal, and hides owners from strangers', () => {
    const reasons: Refusal[] = [
      'too_late',
      'already_answered',
      'paused',
      'frozen',
      'nothing_ready',
      'not_verified',
      'budget_spent',
      'stopped_before',
      'contact_too_new',
    ];
    for (const refused of reasons) expect(triggerRefusal(refused, 'Sam'), refused).toMatchObject({ type: 'CONFLICT' });
    expect(triggerRefusal('not_a_contact', 'Sam')).toMatchObject({ type: 'NOT_FOUND' });
    expect(triggerRefusal('nothing_open', 'Sam')).toMatchObject({ type: 'NOT_FOUND' });
  });

  it('names the day from which it can be tried again, where one is known', () => {
    const again = '4 May 2027';
    expect(triggerRefusal('stopped_before', 'Sam', again).message).toContain('Try again from 4 May 2027.');
    expect(triggerRefusal('budget_spent', 'Sam', again).message).toContain('Try again from 4 May 2027.');
    expect(triggerRefusal('budget_spent', 'Sam').message).toContain('Try again in a week.');
  });
});
