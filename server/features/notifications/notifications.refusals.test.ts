import { describe, expect, it } from 'vitest';
import { dayMs, hourMs, minuteMs, never, ok, prepareNotifications, start } from './notifications.test-world.ts';

const place = prepareNotifications();
const operator = 'operator@everkept.test';

describe('a refusal for good', () => {
  it('ends a mail at once while the server takes other mail', async () => {
    const { notifications, mailer, clock } = place.build();
    mailer.answer(({ to }) => (to.address.startsWith('never') ? never : ok));
    await notifications.enqueue(place.db, place.email());
    await notifications.dispatchDue();
    clock.advance(minuteMs);
    await notifications.enqueue(place.db, place.email({ to: { address: 'never@example.test' } }));
    await notifications.dispatchDue();
    expect(await place.statuses()).toEqual(['accepted', 'bounced']);
    expect(mailer.tried.map(({ to }) => to.address)).not.toContain(operator);
  });

  it('counts only once another mail got through: where none is on its way, one to the operator finds out', async () => {
    const { notifications, mailer, clock } = place.build();
    mailer.answer(({ to }) => (to.address.startsWith('never') ? never : ok));
    await notifications.enqueue(place.db, place.email({ to: { address: 'never@example.test' } }));
    await notifications.dispatchDue();
    expect(mailer.sent.map(({ to, subject }) => [to.address, subject])).toEqual([
      [operator, 'Everkept: mail gets through'],
    ]);
    expect(await place.statuses()).toEqual(['accepted', 'pending']);
    clock.advance(minuteMs);
    await notifications.dispatchDue();
    expect(await place.statuses()).toEqual(['accepted', 'bounced']);
    expect(mailer.sent).toHaveLength(1);
  });

  it('by a server that refuses everybody closes no mailbox, however long, and everything leaves once it is mended', async () => {
    const { notifications, mailer, clock } = place.build();
    mailer.answer(() => never);
    for (const name of ['one', 'two']) {
      await notifications.enqueue(
        place.db,
        place.email({ policy: 'patient', to: { address: `${name}@example.test` } }),
      );
    }
    for (let hours = 0; hours < 60; hours += 1) {
      await notifications.dispatchDue();
      clock.advance(hourMs);
    }
    expect(await place.statuses()).toEqual(['pending', 'pending', 'pending']);
    expect((await notifications.mailTroubledSince(place.db))?.getTime()).toBe(start.getTime());
    expect(mailer.tried.filter(({ to }) => to.address === operator).length).toBeLessThan(25);

    mailer.answer(null);
    clock.advance(6 * hourMs);
    await notifications.dispatchDue();
    expect(await place.statuses()).toEqual(['accepted', 'accepted', 'accepted']);
    expect(await notifications.mailTroubledSince(place.db)).toBeNull();
  });

  it('of an address that no mail can go to needs no other word', async () => {
    const { notifications } = place.build();
    await notifications.enqueue(place.db, place.email({ to: { address: 'not an address' } }));
    await notifications.dispatchDue();
    expect(await place.statuses()).toEqual(['bounced']);
  });

  it('three times on three days, each vouched for, ends a reminder to an owner’s closed mailbox', async () => {
    const { notifications, mailer, clock } = place.build();
    const triedAtHours: number[] = [];
    mailer.answer(async ({ to }) => {
      if (to.address === operator) return ok;
      triedAtHours.push(Math.floor(((await clock.now()).getTime() - start.getTime()) / hourMs));
      return never;
    });
    await notifications.enqueue(place.db, place.email({ policy: 'owner-reminder' }));
    for (;;) {
      await notifications.dispatchDue();
      const next = await notifications.nextDueAt();
      if (next === null) break;
      clock.set(next);
    }
    expect([...new Set(triedAtHours)]).toEqual([0, 24, 48]);
    expect((await place.rows()).find(({ kind }) => kind === 'delivery.letter')).toMatchObject({
      status: 'bounced',
      refusals: 3,
    });
    expect((await clock.now()).getTime() - start.getTime()).toBeLessThan(2 * dayMs + hourMs);
  });
});
