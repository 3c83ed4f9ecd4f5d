import { drizzle } from 'drizzle-orm/node-postgres';
import { expect, it } from 'vitest';
import { createManualClock } from '#server/platform/clock/clock.ts';
import { hourMs, ok, prepareNotifications, start } from './notifications.test-world.ts';

const place = prepareNotifications();

/** Whether a statement gets through; a transaction is asked for by no words. */
type Gate = (words: string) => boolean;

/** Notifications whose database refuses what `gate` says, and another process beside them, whose database is well. */
function prepareRefusals() {
  const state: { gate: Gate; refused: number } = { gate: () => true, refused: 0 };
  const refusedOr = (isLet: boolean, go: () => unknown) => {
    if (isLet) return go();
    state.refused += 1;
    return Promise.reject(new Error('connect ECONNREFUSED'));
  };
  const client = new Proxy(place.pool, {
    get(pool, name) {
      if (name === 'connect') return () => refusedOr(state.gate(''), () => pool.connect());
      if (name === 'query') {
        return (...query: Parameters<typeof pool.query>) => {
          const [asked] = query as unknown as [string | { text: string }];
          return refusedOr(state.gate(typeof asked === 'string' ? asked : asked.text), () => pool.query(...query));
        };
      }
      const value: unknown = Reflect.get(pool, name);
      return typeof value === 'function' ? value.bind(pool) : value;
    },
  });
  const manual = createManualClock(start);
  // As the clock of production, it asks the database.
  const now = () => refusedOr(state.gate('select now()'), manual.now) as Promise<Date>;
  return { state, manual, ...place.build({ db: drizzle({ client }), clock: { ...manual, now } }) };
}

it('writes down what was accepted as soon as a database that was away answers again, and sends it once', async () => {
  const { state, manual, mailer, notifications, logged } = prepareRefusals();
  mailer.answer(async () => {
    // In the very moment of the 250, and for a few tries of whoever wants to write it down.
    state.gate = () => state.refused >= 4;
    return ok;
  });
  await notifications.enqueue(place.db, place.email());
  await expect(notifications.dispatchDue()).rejects.toThrow('ECONNREFUSED');
  expect(state.refused).toBe(4);
  expect(await place.statuses()).toEqual(['accepted']);

  manual.advance(hourMs);
  await notifications.dispatchDue();
  expect(mailer.tried).toHaveLength(1);
  expect(logged).toEqual([]);
});

it('goes on sending while it waits to write down, as far as may be unrecorded', async () => {
  const { state, mailer, notifications, logged } = prepareRefusals();
  const mails = Array.from({ length: 12 }, () => place.email());
  await notifications.enqueueAll(place.db, mails);
  // What takes messages, and asks whether they may leave, gets through, and nothing that says what became of them.
  state.gate = (words) => /^\s*with ("due"|waiting) as/.test(words) || words === 'select now()';
  const dispatching = notifications.dispatchDue();
  await expect.poll(() => mailer.sent.length).toBe(mails.length);
  expect(await place.statuses()).toEqual(mails.map(() => 'sending'));

  state.gate = () => true;
  await dispatching;
  expect(await place.statuses()).toEqual(mails.map(() => 'accepted'));
  expect(mailer.tried).toHaveLength(mails.length);
  expect(logged.length).toBeGreaterThan(0);
});

it('leaves it to its lease when the process is about to end', async () => {
  const { state, manual, mailer, notifications } = prepareRefusals();
  mailer.answer(async () => {
    state.gate = () => false;
    return ok;
  });
  await notifications.enqueue(place.db, place.email());
  const dispatching = notifications.dispatchDue();
  const ended = expect(dispatching).rejects.toThrow('ECONNREFUSED');
  await expect.poll(() => state.refused).toBeGreaterThan(1);
  notifications.stopRetrying();
  await ended;
  expect(await place.statuses()).toEqual(['sending']);

  state.gate = () => true;
  manual.advance(hourMs);
  mailer.answer(null);
  await notifications.dispatchDue();
  expect(mailer.tried).toHaveLength(2);
  expect(new Set(mailer.tried.map(({ messageId }) => messageId)).size).toBe(1);
});
