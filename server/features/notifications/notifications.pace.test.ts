import { expect, test } from 'vitest';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { prepareNotifications } from './notifications.test-world.ts';

const place = prepareNotifications();

test('of what is due no more is taken than the mail server takes now, and texts leave all the same', async () => {
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
  const { notifications } = place.build({ mailer });
  for (let mails = 0; mails < 5; mails += 1)
    await notifications.enqueue(place.db, place.email({ dedupeKey: `${mails}` }));
  expect(await notifications.dispatchDue()).toBe(2);
  await notifications.enqueue(place.db, place.text({ dedupeKey: 'text' }));
  expect(await notifications.dispatchDue()).toBe(1);
  expect(await place.statuses()).toEqual(['accepted', 'accepted', 'accepted', 'pending', 'pending', 'pending']);
  const waiting = (await place.rows()).filter(({ status }) => status === 'pending');
  expect(waiting.map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
  room = 10;
  expect(await notifications.dispatchDue()).toBe(3);
});
