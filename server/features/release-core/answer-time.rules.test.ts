import { describe, expect, test } from 'vitest';
import type { Notice } from './model.rules.ts';
import { brokenPromise } from './promises.rules.ts';
import { contact, live, plainOwner, worldOf } from './release-core.test-world.ts';

const steps = /reminder_written|answer_time|^\S+ released/;

/** Lives until a day and lets a mail of this topic bounce. */
function bounce(life: ReturnType<typeof live>, topic: Notice['topic'], day: number): void {
  life.until(day);
  const notice = life.world.notices.findLast((each) => each.topic === topic);
  life.does({ kind: 'notice_bounced', notice: notice?.id ?? 0, channel: 'email' });
}

/** The steps of a life from the day on which contacts are asked. */
const stepsSince90 = (life: ReturnType<typeof live>) =>
  life.lines(steps).filter((line) => Number.parseFloat(line) >= 90);

describe('the answer time', () => {
  test('stops if the last reminder bounces, until it was accepted again and 10 days have passed', () => {
    const life = live(worldOf());
    bounce(life, 'last_reminder', 92);
    life.until(130);
    expect(stepsSince90(life)).toEqual([
      '92 answer_time_stopped',
      '92 last_reminder_written',
      '102 answer_time_resumed',
      '107 released',
    ]);
  });

  test('stops if the first reminder bounces, until the last one was accepted again and 10 days have passed', () => {
    const life = live(worldOf());
    bounce(life, 'first_reminder', 93);
    life.until(140);
    expect(stepsSince90(life)).toEqual([
      '93 answer_time_stopped',
      '93 first_reminder_written',
      '100 last_reminder_written',
      '110 answer_time_resumed',
      '114 released',
    ]);
  });

  test('stands still for as long as the reminder is not accepted', () => {
    const life = live(worldOf(), (to, day) => (to === 'owner' && day > 91 && day < 100 ? 'later' : 'accepted'));
    bounce(life, 'last_reminder', 92);
    life.until(130);
    expect(stepsSince90(life).slice(-2)).toEqual(['110 answer_time_resumed', '115 released']);
  });

  test('stops again with each further bounce, and loses no day to it', () => {
    const life = live(worldOf());
    bounce(life, 'last_reminder', 92);
    bounce(life, 'last_reminder', 104);
    life.until(130);
    // Days 90 to 92 and 102 to 104 are used; of seven days three are left.
    expect(stepsSince90(life).slice(-2)).toEqual(['114 answer_time_resumed', '117 released']);
  });

  test('is not stopped twice by a second bounce while it stands still', () => {
    const life = live(worldOf());
    bounce(life, 'last_reminder', 92);
    bounce(life, 'last_reminder', 95);
    life.until(130);
    expect(life.lines(/answer_time|^\S+ released/)).toEqual([
      '92 answer_time_stopped',
      '105 answer_time_resumed',
      '110 released',
    ]);
  });

  test.each([92, 95])('is whole for a contact who is asked on day %i, while it stands still', (day) => {
    const life = live(worldOf());
    bounce(life, 'last_reminder', 92);
    life.until(day);
    life.change({ contacts: [contact('ada'), contact('ben', 94)] });
    life.until(130);
    expect(life.lines(/^\S+ released/)).toEqual(['109 released']);
  });

  test('is whole after a pause, and a bounce in the pause still stops it', () => {
    const life = live(worldOf());
    life.until(91);
    life.does({ kind: 'answer', contactId: 'ada', says: 'no' });
    bounce(life, 'last_reminder', 120);
    life.until(160);
    expect(life.lines(/asked_anew|answer_time|^\S+ released/)).toEqual([
      '120 answer_time_stopped',
      '121 asked_anew',
      '130 answer_time_resumed',
      '137 released',
    ]);
  });

  test('is not stopped by a bounced email if the text of the same reminder was accepted', () => {
    const life = live(worldOf({ owner: { ...plainOwner, hasPhone: true } }));
    bounce(life, 'last_reminder', 92);
    life.until(130);
    expect(life.lines(/answer_time|^\S+ released/)).toEqual(['97 released']);
  });

  test('that has stopped does not hold back what enough contacts confirm for longer than 14 days', () => {
    const life = live(worldOf());
    bounce(life, 'last_reminder', 92);
    life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
    life.until(130);
    expect(life.lines(/wait_began|^\S+ released/)).toEqual(['92 wait_began', '106 released']);
  });

  test('that has stopped is known to the guard', () => {
    const life = live(worldOf());
    bounce(life, 'last_reminder', 92);
    life.until(101);
    const { world, now } = life;
    const released = { kind: 'released', letters: ['nell'], later: [] } as const;
    const later = { atMs: now.atMs * 2, healthyMs: now.healthyMs * 2 };
    expect(brokenPromise(world, [released], later)).toBe(
      'the answer time stands still until the reminder was accepted again',
    );
    life.until(106);
    expect(brokenPromise(life.world, [released], life.now)).toBe('the time to answer is not over');
  });
});
