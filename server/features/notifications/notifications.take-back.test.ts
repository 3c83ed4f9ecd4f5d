import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { takeBackUntried } from './cancel.ts';
import { enqueueNotification, enqueueNotifications } from './enqueue.ts';
import { dispatchDue } from './notifications.dispatch.ts';
import { later, prepareNotifications } from './notifications.test-world.ts';

const place = prepareNotifications();
const kind = 'delivery.letter';

it('withdraws untried messages, and returns their subjects', async () => {
  const { app, mailer } = place.build();
  const [one, other, foreign] = [randomUUID(), randomUUID(), randomUUID()];
  for (const subjectId of [one, other]) await enqueueNotification(app, place.db, place.email({ kind, subjectId }));
  await enqueueNotification(app, place.db, place.email({ kind: 'delivery.reminder', subjectId: foreign }));
  expect(await takeBackUntried(app, place.db, { subjectIds: [one, foreign], kind })).toEqual([one]);
  expect(await takeBackUntried(app, place.db, { subjectIds: [one], kind })).toEqual([]);
  expect(await takeBackUntried(app, place.db, { subjectIds: [], kind })).toEqual([]);
  await dispatchDue(app);
  expect(mailer.sent).toHaveLength(2);
});

it('leaves a message that was tried before and may have arrived', async () => {
  const { app, mailer } = place.build();
  const subjectId = randomUUID();
  await enqueueNotification(app, place.db, place.email({ kind, subjectId }));
  mailer.answer(async () => later);
  await dispatchDue(app);
  expect(await takeBackUntried(app, place.db, { subjectIds: [subjectId], kind })).toEqual([]);
});

it('either takes a mail back or lets it leave, never both, however both are tried at once', async () => {
  const { app, mailer } = place.build();
  const subjects = Array.from({ length: 120 }, () => randomUUID());
  await enqueueNotifications(
    app,
    place.db,
    subjects.map((subjectId) => place.email({ kind, subjectId, dedupeKey: `letter ${subjectId}` })),
  );
  const back: string[] = [];
  const taking = (async () => {
    for (const subjectId of subjects)
      back.push(...(await takeBackUntried(app, place.db, { subjectIds: [subjectId], kind })));
  })();
  await Promise.all([taking, dispatchDue(app), dispatchDue(app)]);
  await dispatchDue(app);
  expect(mailer.sent.length + back.length).toBe(subjects.length);
  expect(new Set(await place.statuses())).toEqual(
    new Set([...(back.length > 0 ? ['cancelled'] : []), ...(mailer.sent.length > 0 ? ['accepted'] : [])]),
  );
});
