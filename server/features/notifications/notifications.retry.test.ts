import { describe, expect, it } from 'vitest';
import type { NewEmail, NotificationOutcome } from './notifications.service.ts';
import { hourMs, later, ok, prepareNotifications, start } from './notifications.test-world.ts';

const place = prepareNotifications();

const looksLimit = 500;

describe('over the days', () => {
  /** Runs the worker whenever something is due. Returns the hours since the start at which it tried. */
  async function liveThrough(change: Partial<NewEmail>, answer: typeof later) {
    const built = place.build();
    const outcomes: NotificationOutcome[] = [];
    const triedAtHours: number[] = [];
    built.notifications.onOutcome('delivery.', async (_tx, outcome) => void outcomes.push(outcome));
    built.mailer.answer(async ({ to }) => {
      // Mail as a whole is well.
      if (to.address === 'operator@everkept.test') return ok;
      triedAtHours.push(((await built.clock.now()).getTime() - start.getTime()) / hourMs);
      return answer;
    });
    await built.notifications.enqueue(place.db, place.email(change));
    for (let looks = 0; looks < looksLimit; looks += 1) {
      await built.notifications.dispatchDue();
      const next = await built.notifications.nextDueAt();
      if (next === null) break;
      built.clock.set(next);
    }
    return { triedAtHours, outcomes: outcomes.map(({ outcome }) => outcome) };
  }

  it('a standard mail is tried for three days and is then dead', async () => {
    const { triedAtHours, outcomes } = await liveThrough({ policy: 'standard' }, later);
    expect(outcomes).toEqual(['dead']);
    expect(triedAtHours.at(-1)).toBeGreaterThan(66);
    expect(triedAtHours.at(-1)).toBeLessThanOrEqual(72);
  });

  it('a letter is tried for thirty days', async () => {
    const { triedAtHours, outcomes } = await liveThrough({ policy: 'patient' }, later);
    expect(outcomes).toEqual(['dead']);
    expect(triedAtHours.at(-1)).toBeGreaterThan(29 * 24);
    // The last witness may be more than half a day old by then: one more attempt comes after the next.
    expect(triedAtHours.at(-1)).toBeLessThanOrEqual(30 * 24 + 6);
  });

  it('nothing is tried twice within a minute, however often the worker looks', async () => {
    const { notifications, mailer, clock } = place.build();
    mailer.answer(() => later);
    await notifications.enqueue(place.db, place.email());
    for (let seconds = 0; seconds < 60; seconds += 1) {
      await notifications.dispatchDue();
      clock.advance(1_000);
    }
    expect(mailer.tried).toHaveLength(1);
    await notifications.dispatchDue();
    expect(mailer.tried).toHaveLength(2);
  });
});
