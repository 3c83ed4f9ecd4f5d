import { drizzle } from 'drizzle-orm/node-postgres';
import { expect, it } from 'vitest';
import { createManualClock } from '#server/platform/clock/clock.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { enqueueNotification, enqueueNotifications } from './enqueue.ts';
import { dispatchDue, stopRetrying } from './notifications.dispatch.ts';
import { hourMs, ok, prepareNotifications, start } from './notifications.test-world.ts';

const place = prepareNotifications();

/** Decides if a statement gets through. A transaction passes no words. With `unheard`, the answer is lost. */
type Gate = (words: string) => boolean | 'unheard';

/** Notifications whose database refuses statements by `gate`, and another process with a healthy database. */
function prepareRefusals() {
  const state: { gate: Gate; refused: number } = { gate: () => true, refused: 0 };
  const refusedOr = async (isLet: boolean | 'unheard', go: () => unknown) => {
    if (isLet === true) return go();
    if (isLet === 'unheard') await go();
    state.refused += 1;
    throw new Error('connect ECONNREFUSED');
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

it('records an acceptance as soon as a lost database answers again, and sends the message once', async () => {
  const { state, manual, mailer, app, logged } = prepareRefusals();
  mailer.answer(async () => {
    // In the moment of the 250, and for a few attempts to record it.
    state.gate = () => state.refused >= 4;
    return ok;
  });
  await enqueueNotification(app, place.db, place.email());
  await dispatchDue(app);
  expect(state.refused).toBe(4);
  expect(await place.statuses()).toEqual(['accepted']);

  manual.advance(hourMs);
  await dispatchDue(app);
  expect(mailer.tried).toHaveLength(1);
  expect(logged).toEqual([]);
});

it('goes on sending in the other lanes while it waits to record', async () => {
  const { state, mailer, app, logged } = prepareRefusals();
  const mails = Array.from({ length: 6 }, () => place.email());
  await enqueueNotifications(app, place.db, mails);
  // Claims and departure checks get through, but no statement that records an outcome.
  state.gate = (words) =>
    /^\s*(with ("due"|free|front) as|update "notifications" set is_leaving)/.test(words) || words === 'select now()';
  const dispatching = dispatchDue(app);
  await expect.poll(() => mailer.sent.length).toBe(mails.length);
  expect(await place.statuses()).toEqual(mails.map(() => 'sending'));

  state.gate = () => true;
  await dispatching;
  expect(await place.statuses()).toEqual(mails.map(() => 'accepted'));
  expect(mailer.tried).toHaveLength(mails.length);
  expect(logged.length).toBeGreaterThan(0);
});

it('leaves it to its lease when the process is about to end', async () => {
  const { state, manual, mailer, app } = prepareRefusals();
  mailer.answer(async () => {
    state.gate = () => false;
    return ok;
  });
  await enqueueNotification(app, place.db, place.email());
  const dispatching = dispatchDue(app);
  const ended = expect(dispatching).rejects.toThrow('ECONNREFUSED');
  await expect.poll(() => state.refused).toBeGreaterThan(1);
  stopRetrying(app);
  await ended;
  expect(await place.statuses()).toEqual(['sending']);

  state.gate = () => true;
  manual.advance(hourMs);
  mailer.answer(null);
  await dispatchDue(app);
  expect(mailer.tried).toHaveLength(2);
  expect(new Set(mailer.tried.map(({ messageId }) => messageId)).size).toBe(1);
});

/** The answer to the first of these statements is lost, after it was carried out. */
function loseFirst(state: { gate: Gate }, isMeant: RegExp) {
  let isLost = false;
  state.gate = (words) => {
    if (isLost || !isMeant.test(words)) return true;
    isLost = true;
    return 'unheard';
  };
}

it.each([
  ['took messages', /^\s*with "due" as/],
  ['let a message leave', /^\s*update "notifications" set is_leaving/],
])('sends everything at once and once where the answer was lost to what %s', async (_what, statement) => {
  const { state, mailer, app, logged } = prepareRefusals();
  loseFirst(state, statement);
  const mails = [place.email(), place.email(), place.email()];
  await enqueueNotifications(app, place.db, mails);
  await dispatchDue(app);
  expect(state.refused).toBe(1);
  expect(await place.statuses()).toEqual(mails.map(() => 'accepted'));
  expect(mailer.tried).toHaveLength(mails.length);
  expect(logged).toEqual([]);
});

it('sends nothing with a claim that another process took for its own lost one', async () => {
  const one = prepareRefusals();
  // Both claim in the same millisecond: the other one's mail is being handed over, and has not been let leave.
  const handingOver = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  const mailer = createMemoryMailer();
  const slow: Mailer = {
    ...mailer,
    send: async (...mail) => {
      handingOver.resolve();
      await goesOn.promise;
      return mailer.send(...mail);
    },
  };
  const other = place.build({ clock: one.manual, mailer: slow });
  await enqueueNotification(one.app, place.db, place.email());
  const dispatching = dispatchDue(other.app);
  await handingOver.promise;
  loseFirst(one.state, /^\s*with "due" as/);
  await dispatchDue(one.app);
  expect(one.mailer.sent).toHaveLength(1);
  goesOn.resolve();
  await dispatching;
  expect(mailer.sent).toEqual([]);
  expect(await place.statuses()).toEqual(['accepted']);
});
