import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createMemoryTexter } from '#server/platform/sms/memory-texter.ts';
import { smsNotifications } from '#server/schema/notifications.tables.ts';
import { enqueueNotification, enqueueNotifications } from './enqueue.ts';
import type { NotificationOutcome } from './mail-reactions.ts';
import { mailReactionsOf } from './mail-reactions.ts';
import { dispatchDue, stopRetrying } from './notifications.dispatch.ts';
import {
  dayMs,
  hearWakes,
  hourMs,
  minuteMs,
  never,
  ok,
  prepareNotifications,
  start,
} from './notifications.test-world.ts';

const place = prepareNotifications();

describe('dispatch', () => {
  it('sends each recipient a mail of their own and tells the feature that asked, once', async () => {
    const { app, mailer } = place.build();
    const outcomes: NotificationOutcome[] = [];
    mailReactionsOf(app).ended.push({
      kindPrefix: 'delivery.',
      react: async (_tx, outcome) => void outcomes.push(outcome),
    });
    mailReactionsOf(app).ended.push({
      kindPrefix: 'release.',
      react: async () => expect.unreachable('another feature was told'),
    });
    const mails = ['a', 'b', 'c'].map((name) => place.email({ to: { address: `${name}@example.test` } }));
    for (const mail of mails) await enqueueNotification(app, place.db, mail);

    expect(await dispatchDue(app)).toBe(3);
    expect(await dispatchDue(app)).toBe(0);

    expect(mailer.sent.map(({ to }) => to).toSorted((a, b) => a.address.localeCompare(b.address))).toEqual([
      { address: 'a@example.test' },
      { address: 'b@example.test' },
      { address: 'c@example.test' },
    ]);
    expect(new Set(mailer.sent.map(({ messageId }) => messageId)).size).toBe(3);
    expect(outcomes).toHaveLength(3);
    expect(outcomes[0]).toMatchObject({
      outcome: 'accepted',
      kind: 'delivery.letter',
      userId: place.ownerId,
      at: start,
    });
  });

  it('writes many emails of one transaction together, each once, and wakes the workers once', async () => {
    const { app, mailer } = place.build();
    const wakes = await hearWakes(place);
    const mails = [place.email(), place.email(), place.email()];
    await place.db.transaction((tx) => enqueueNotifications(app, tx, mails));
    await place.db.transaction((tx) => enqueueNotifications(app, tx, mails));
    expect(await wakes.heard()).toEqual(['outbox']);
    expect(await dispatchDue(app)).toBe(3);
    expect(mailer.sent).toHaveLength(3);
  });

  it('calls no handler for a text that stays in the outbox', async () => {
    const { app } = place.build({ texter: createMemoryTexter({ kind: 'outbox' }) });
    const heard: string[] = [];
    for (const kindPrefix of ['delivery.', 'accounts.phone-code'] as const)
      mailReactionsOf(app).ended.push({ kindPrefix, react: async (_tx, { kind }) => void heard.push(kind) });
    await enqueueNotification(app, place.db, place.email());
    await enqueueNotification(app, place.db, place.text());
    await dispatchDue(app);
    expect(await place.statuses()).toEqual(['accepted', 'accepted']);
    expect(heard).toEqual([place.email().kind]);
  });

  it('sends texts to the number in its international form and keeps the provider’s id', async () => {
    const { app, texter } = place.build();
    await enqueueNotification(app, place.db, place.text());
    await dispatchDue(app);
    expect(texter.sent).toEqual([{ to: '+447700900123', text: 'Canary: are you well?' }]);
    const [row] = (await place.db.execute(sql`select provider_id, status from notifications`)).rows;
    expect(row).toEqual({ provider_id: 'memory-1', status: 'accepted' });
    expect(await place.db.select().from(smsNotifications)).toMatchObject([{ status: 'sent', sentAt: start }]);
  });

  it('does not let one recipient stop the others, whatever the driver does', async () => {
    const { app, mailer, logged } = place.build();
    mailer.answer(({ to }) => {
      if (to.address.startsWith('broken')) throw new Error('canary broken@example.test');
      return to.address.startsWith('never') ? never : ok;
    });
    await enqueueNotification(app, place.db, place.email());
    await dispatchDue(app);
    for (const name of ['never', 'broken', 'one', 'two', 'three', 'four', 'five', 'six']) {
      const kind = 'delivery.owner-unreachable';
      await enqueueNotification(app, place.db, place.email({ kind, to: { address: `${name}@example.test` } }));
    }
    expect(await dispatchDue(app)).toBe(8);
    expect(mailer.sent).toHaveLength(7);
    expect(await place.statuses()).toEqual([...Array(7).fill('accepted'), 'bounced', 'pending']);
    expect(logged.join()).not.toContain('canary');
    expect(logged).toHaveLength(1);
  });

  it('records every message whose consequences can be written, and sends none again', async () => {
    const { app, mailer, clock, logged } = place.build();
    const mails = Array.from({ length: 5 }, () => place.email());
    let isBroken = true;
    mailReactionsOf(app).ended.push({
      kindPrefix: 'delivery.',
      react: async (_tx, { dedupeKey }) => {
        if (isBroken && dedupeKey === mails[2]?.dedupeKey) throw new Error('This one cannot be settled.');
      },
    });
    for (const mail of mails) await enqueueNotification(app, place.db, mail);

    expect(await dispatchDue(app)).toBe(5);
    expect(await place.statuses()).toEqual([...Array(4).fill('accepted'), 'sending']);
    expect(logged).toHaveLength(1);

    isBroken = false;
    clock.advance(2 * minuteMs);
    expect(await dispatchDue(app)).toBe(1);
    expect(await place.statuses()).toEqual(Array(5).fill('accepted'));
    expect(mailer.sent).toHaveLength(5);
  });

  it('tries to write the consequences of an acceptance ever more rarely, and sends nothing meanwhile', async () => {
    const { app, mailer, clock } = place.build();
    let tries = 0;
    mailReactionsOf(app).ended.push({
      kindPrefix: 'delivery.',
      react: async () => {
        tries += 1;
        throw new Error('This one cannot be settled.');
      },
    });
    await enqueueNotification(app, place.db, place.email());
    const triesAfter = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        clock.advance(minuteMs);
        await dispatchDue(app);
      }
      return tries;
    };
    await dispatchDue(app);
    expect(tries).toBe(1);
    // After one minute, two, four, eight …, and then every hour.
    expect(await triesAfter(64)).toBe(8);
    clock.advance(24 * hourMs);
    expect(await triesAfter(1)).toBe(9);
    expect(await triesAfter(59)).toBe(9);
    expect(await triesAfter(1)).toBe(10);
    expect(mailer.sent).toHaveLength(1);
  });

  it('sends no more than it was asked to, oldest first', async () => {
    const { app, mailer, clock } = place.build();
    clock.advance(hourMs);
    for (const minutes of [3, 1, 2]) {
      await enqueueNotification(
        app,
        place.db,
        place.email({
          at: new Date(start.getTime() + minutes * minuteMs),
          to: { address: `m${minutes}@example.test` },
        }),
      );
    }
    expect(await dispatchDue(app, 1)).toBe(1);
    expect(mailer.sent.map(({ to }) => to.address)).toEqual(['m1@example.test']);
    expect(await dispatchDue(app, 2)).toBe(2);
  });

  it('sends each mail once when two workers dispatch at the same time', async () => {
    const one = place.build();
    const two = place.build();
    let handled = 0;
    for (const { app, mailer } of [one, two]) {
      mailReactionsOf(app).ended.push({
        kindPrefix: 'delivery.',
        react: async () => {
          handled += 1;
        },
      });
      mailer.answer(async () => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        return ok;
      });
    }
    for (let count = 0; count < 60; count += 1) await enqueueNotification(one.app, place.db, place.email());

    const tried = await Promise.all([one, two, one, two].map(({ app }) => dispatchDue(app)));

    const sent = [...one.mailer.sent, ...two.mailer.sent].map(({ messageId }) => messageId);
    expect(sent).toHaveLength(60);
    expect(new Set(sent).size).toBe(60);
    expect(one.mailer.sent.length).toBeGreaterThan(0);
    expect(two.mailer.sent.length).toBeGreaterThan(0);
    expect(tried.reduce((sum, count) => sum + count)).toBe(60);
    expect(handled).toBe(60);
  });
});

describe('after a crash', () => {
  it('between claim and send the mail is sent once the lease has ended', async () => {
    const crashed = place.build();
    // The process stops while it speaks to the server: nothing is ever answered.
    crashed.mailer.answer(() => new Promise(() => {}));
    await enqueueNotification(crashed.app, place.db, place.email());
    void dispatchDue(crashed.app);
    await expect.poll(place.statuses).toEqual(['sending']);

    const next = place.build();
    expect(await dispatchDue(next.app)).toBe(0);
    next.clock.advance(6 * minuteMs);
    expect(await dispatchDue(next.app)).toBe(1);
    expect(await place.statuses()).toEqual(['accepted']);
    expect((await place.rows())[0]?.attempts).toBe(2);
  });

  it('between send and record the same Message-ID is sent again and the feature is called once', async () => {
    const first = place.build();
    let told = 0;
    let isAlive = true;
    const lost = new Error('the process died');
    const dying = new Proxy(place.db, {
      get: (target, name) => {
        if (isAlive || (name !== 'transaction' && name !== 'update')) return Reflect.get(target, name);
        return () => {
          throw lost;
        };
      },
    });
    const crashed = place.build({ db: dying, mailer: first.mailer });
    mailReactionsOf(crashed.app).ended.push({
      kindPrefix: 'delivery.',
      react: async () => {
        told += 1;
      },
    });
    first.mailer.answer(() => {
      isAlive = false;
      // The crashed process can't try again.
      stopRetrying(crashed.app);
      return ok;
    });
    await enqueueNotification(crashed.app, place.db, place.email());
    await expect(dispatchDue(crashed.app)).rejects.toThrow('the process died');
    expect(await place.statuses()).toEqual(['sending']);

    const next = place.build({ mailer: first.mailer });
    mailReactionsOf(next.app).ended.push({
      kindPrefix: 'delivery.',
      react: async () => {
        told += 1;
      },
    });
    next.clock.advance(6 * minuteMs);
    await dispatchDue(next.app);

    expect(first.mailer.sent).toHaveLength(2);
    expect(new Set(first.mailer.sent.map(({ messageId, text: words }) => messageId + words)).size).toBe(1);
    expect(told).toBe(1);
    expect(await place.statuses()).toEqual(['accepted']);
  });

  it('between an acceptance and its consequences, the mail is not sent again and the feature is called later', async () => {
    const { app, mailer, clock, logged } = place.build();
    let tries = 0;
    mailReactionsOf(app).ended.push({
      kindPrefix: 'delivery.',
      react: async (tx) => {
        tries += 1;
        await tx.execute(sql`update users set first_name = ${`told ${tries}`} where id = ${place.ownerId}`);
        if (tries === 1) throw new Error('the feature stumbled');
      },
    });
    await enqueueNotification(app, place.db, place.email());

    await dispatchDue(app);
    expect(await place.rows()).toMatchObject([{ status: 'sending', acceptedAt: start }]);
    clock.advance(2 * minuteMs);
    await dispatchDue(app);

    expect(mailer.sent).toHaveLength(1);
    expect(await place.rows()).toMatchObject([{ status: 'accepted', acceptedAt: start, attempts: 1 }]);
    const owner = await place.db.execute(sql`select first_name from users`);
    expect(owner.rows).toEqual([{ first_name: 'told 2' }]);
    expect(logged).toHaveLength(1);
  });

  it('nothing that this process is still sending is taken for lost, however far the clock is moved', async () => {
    const { app, mailer, clock } = place.build();
    let release = () => {};
    mailer.answer(async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return ok;
    });
    await enqueueNotification(app, place.db, place.email());
    const sending = dispatchDue(app);
    await expect.poll(() => mailer.tried.length).toBe(1);
    clock.advance(dayMs);
    expect(await dispatchDue(app)).toBe(0);
    release();
    await sending;
    expect(mailer.sent).toHaveLength(1);
  });
});
