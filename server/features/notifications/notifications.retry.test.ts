import { describe, expect, it } from 'vitest';
import { enqueueNotification } from './enqueue.ts';
import { nextDueAt } from './mail-queue.ts';
import type { NotificationOutcome } from './mail-reactions.ts';
import { mailReactionsOf } from './mail-reactions.ts';
import { dispatchDue } from './notifications.dispatch.ts';
import type { NewEmail } from './notifications.messages.ts';
import { hourMs, later, ok, prepareNotifications, start } from './notifications.test-world.ts';

const place = prepareNotifications();

const looksLimit = 500;

describe('over the days', () => {
  /** Runs the worker whenever something is due. Returns the hours since the start at which it tried. */
  async function liveThrough(change: Partial<NewEmail>, answer: typeof later) {
    const built = place.build();
    const outcomes: NotificationOutcome[] = [];
    const triedAtHours: number[] = [];
    mailReactionsOf(built.app).ended.push({
      kindPrefix: 'delivery.',
      react: async (_tx, outcome) => void outcomes.push(outcome),
    });
    built.mailer.answer(async ({ to }) => {
      // Mail as a whole is well.
      if (to.address === 'operator@everkept.test') return ok;
      triedAtHours.push(((await built.clock.now()).getTime() - start.getTime()) / hourMs);
      return answer;
    });
    await enqueueNotification(built.app, place.db, place.email(change));
    for (let looks = 0; looks < looksLimit; looks += 1) {
      await dispatchDue(built.app);
      const next = await nextDueAt(built.app);
      if (next === null) break;
      built.clock.set(next);
    }
    return { triedAtHours, outcomes: outcomes.map(({ outcome }) => outcome) };
  }

  it('a standard mail is tried for three days and is then dead', async () => {
    const { triedAtHours, outcomes } = await liveThrough({ kind: 'delivery.owner-unreachable' }, later);
    expect(outcomes).toEqual(['dead']);
    expect(triedAtHours.at(-1)).toBeGreaterThan(66);
    expect(triedAtHours.at(-1)).toBeLessThanOrEqual(72);
  });

  it('a letter is tried for thirty days', async () => {
    const { triedAtHours, outcomes } = await liveThrough({}, later);
    expect(outcomes).toEqual(['dead']);
    expect(triedAtHours.at(-1)).toBeGreaterThan(29 * 24);
    // The last witness may be more than half a day old by then: one more attempt comes after the next.
    expect(triedAtHours.at(-1)).toBeLessThanOrEqual(30 * 24 + 6);
  });

  it('nothing is tried twice within a minute, however often the worker looks', async () => {
    const { app, mailer, clock } = place.build();
    mailer.answer(() => later);
    await enqueueNotification(app, place.db, place.email());
    for (let seconds = 0; seconds < 60; seconds += 1) {
      await dispatchDue(app);
      clock.advance(1_000);
    }
    expect(mailer.tried).toHaveLength(1);
    await dispatchDue(app);
    expect(mailer.tried).toHaveLength(2);
  });
});
