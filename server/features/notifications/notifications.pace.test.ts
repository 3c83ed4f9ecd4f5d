import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { enqueueNotification } from './enqueue.ts';
import { dispatchDue } from './notifications.dispatch.ts';
import type { NewEmail } from './notifications.messages.ts';
import { minuteMs, prepareNotifications, start } from './notifications.test-world.ts';

const place = prepareNotifications();

test('no more due mails are claimed than the mail server accepts now, and texts leave anyway', async () => {
  let room = 2;
  const memory = createMemoryMailer();
  const mailer = {
    ...memory,
    room: () => room,
    send: (...given: Parameters<typeof memory.send>) => {
      room -= 1;
      return memory.send(...given);
    },
  };
  const { app } = place.build({ mailer });
  for (let mails = 0; mails < 5; mails += 1)
    await enqueueNotification(app, place.db, place.email({ dedupeKey: `${mails}` }));
  expect(await dispatchDue(app)).toBe(2);
  await enqueueNotification(app, place.db, place.text({ dedupeKey: 'text' }));
  expect(await dispatchDue(app)).toBe(1);
  expect(await place.statuses()).toEqual(['accepted', 'accepted', 'accepted', 'pending', 'pending', 'pending']);
  const waiting = (await place.rows()).filter(({ status }) => status === 'pending');
  expect(waiting.map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
  room = 10;
  expect(await dispatchDue(app)).toBe(3);
});

describe('with a rate limit at the mail server', () => {
  const letterOf = (subject: string, change: Partial<NewEmail>) =>
    place.email({ dedupeKey: subject, mail: { subject, html: '<p></p>', text: '' }, ...change });

  /** Sends one message at a time, and returns the owners in order. */
  async function sentInOrder({ isPaced, others }: { isPaced: boolean; others: number }): Promise<string[]> {
    const memory = createMemoryMailer();
    const mailer = { ...memory, room: () => 1, isPaced: () => isPaced };
    const { app } = place.build({ mailer });
    const otherId = randomUUID();
    await place.db.insert(users).values({ id: otherId, email: 'other@example.test' });
    const at = (minutes: number) => new Date(start.getTime() - (60 - minutes) * minuteMs);
    for (let mails = 0; mails < 4; mails += 1) {
      const subject = `one ${mails}`;
      await enqueueNotification(app, place.db, letterOf(subject, { notBefore: at(mails) }));
    }
    for (let mails = 0; mails < others; mails += 1) {
      const subject = `other ${mails}`;
      await enqueueNotification(app, place.db, letterOf(subject, { userId: otherId, notBefore: at(10 + mails) }));
    }
    const reminder = letterOf('reminder', { kind: 'release.first_reminder', notBefore: at(30) });
    await enqueueNotification(app, place.db, reminder);
    for (let rounds = 0; rounds < 5 + others; rounds += 1) await dispatchDue(app, 1);
    return memory.sent.map(({ subject }) => subject);
  }

  test('reminders leave before everything else, and then each owner in turn', async () => {
    expect(await sentInOrder({ isPaced: true, others: 2 })).toEqual([
      'reminder',
      'one 0',
      'other 0',
      'one 1',
      'other 1',
      'one 2',
      'one 3',
    ]);
  });

  test('and with room for every mail, the longest waiting leaves first', async () => {
    const sent = await sentInOrder({ isPaced: false, others: 1 });
    expect(sent).toEqual(['one 0', 'one 1', 'one 2', 'one 3', 'other 0', 'reminder']);
  });

  test('two workers at once take nothing twice', async () => {
    const mailer = { ...createMemoryMailer(), room: () => 50, isPaced: () => true };
    const [one, other] = [place.build({ mailer }), place.build({ mailer })];
    for (let mails = 0; mails < 40; mails += 1)
      await enqueueNotification(one.app, place.db, place.email({ dedupeKey: `${mails}` }));
    await Promise.all([dispatchDue(one.app), dispatchDue(other.app)]);
    expect(await place.statuses()).toEqual(Array(40).fill('accepted'));
    expect((await place.rows()).map(({ attempts }) => attempts)).toEqual(Array(40).fill(1));
  });
});
