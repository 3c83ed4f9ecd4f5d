import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { later, prepareNotifications } from './notifications.test-world.ts';

const place = prepareNotifications();
const kind = 'delivery.letter';

it('withdraws untried messages, and returns their subjects', async () => {
  const { notifications, mailer } = place.build();
  const [one, other, foreign] = [randomUUID(), randomUUID(), randomUUID()];
  for (const subjectId of [one, other]) await notifications.enqueue(place.db, place.email({ kind, subjectId }));
  await notifications.enqueue(place.db, place.email({ kind: 'delivery.reminder', subjectId: foreign }));
  expect(await notifications.takeBackUntried(place.db, [one, foreign], kind)).toEqual([one]);
  expect(await notifications.takeBackUntried(place.db, [one], kind)).toEqual([]);
  expect(await notifications.takeBackUntried(place.db, [], kind)).toEqual([]);
  await notifications.dispatchDue();
  expect(mailer.sent).toHaveLength(2);
});

it('leaves a message that was tried before and may have arrived', async () => {
  const { notifications, mailer } = place.build();
  const subjectId = randomUUID();
  await notifications.enqueue(place.db, place.email({ kind, subjectId }));
  mailer.answer(async () => later);
  await notifications.dispatchDue();
  expect(await notifications.takeBackUntried(place.db, [subjectId], kind)).toEqual([]);
});

it('either takes a mail back or lets it leave, never both, however both are tried at once', async () => {
  const { notifications, mailer } = place.build();
  const subjects = Array.from({ length: 120 }, () => randomUUID());
  await notifications.enqueueAll(
    place.db,
    subjects.map((subjectId) => place.email({ kind, subjectId, dedupeKey: `letter ${subjectId}` })),
  );
  const back: string[] = [];
  const taking = (async () => {
    for (const subjectId of subjects) back.push(...(await notifications.takeBackUntried(place.db, [subjectId], kind)));
  })();
  await Promise.all([taking, notifications.dispatchDue(), notifications.dispatchDue()]);
  await notifications.dispatchDue();
  expect(mailer.sent.length + back.length).toBe(subjects.length);
  expect(new Set(await place.statuses())).toEqual(
    new Set([...(back.length > 0 ? ['cancelled'] : []), ...(mailer.sent.length > 0 ? ['accepted'] : [])]),
  );
});
