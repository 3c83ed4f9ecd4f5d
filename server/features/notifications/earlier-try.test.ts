import { expect, it } from 'vitest';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { cancelNotificationsFor } from './cancel.ts';
import { enqueueNotification } from './enqueue.ts';
import { dispatchDue } from './notifications.dispatch.ts';
import { hourMs, later, never, prepareNotifications } from './notifications.test-world.ts';

const place = prepareNotifications();

it('a mail that is cancelled between the claim and DATA of its second try does not leave', async () => {
  const mailer = createMemoryMailer();
  const mail = place.email();
  let cancel: () => Promise<void> = async () => undefined;
  const asked: boolean[] = [];
  const { app, clock } = place.build({
    mailer: {
      ...mailer,
      send: async (outgoing, mayLeave) => {
        await cancel();
        return mailer.send(outgoing, async () => {
          const may = (await mayLeave?.()) ?? true;
          asked.push(may);
          return may;
        });
      },
    },
  });
  mailer.answer(() => later);
  await enqueueNotification(app, place.db, mail);
  await dispatchDue(app);
  expect(mailer.tried).toHaveLength(1);

  mailer.answer(null);
  cancel = () => cancelNotificationsFor(app, place.db, mail.subjectId ?? '', 'letter opened');
  clock.advance(hourMs);
  await dispatchDue(app);
  expect(asked).toEqual([true, false]);
  expect(mailer.sent).toEqual([]);
  expect(await place.statuses()).toEqual(['cancelled']);
});

it('the late refusal of an earlier try changes nothing of the try that another worker has begun', async () => {
  const [one, other] = [place.build(), place.build()];
  const refuse = Promise.withResolvers<void>();
  const isHandedOver = Promise.withResolvers<void>();
  one.mailer.answer(async () => {
    isHandedOver.resolve();
    await refuse.promise;
    return never;
  });
  await enqueueNotification(one.app, place.db, place.email());
  const first = dispatchDue(one.app);
  await isHandedOver.promise;

  let during: Awaited<ReturnType<typeof place.rows>> = [];
  other.mailer.answer(async () => {
    refuse.resolve();
    await first;
    during = await place.rows();
    return later;
  });
  other.clock.advance(hourMs);
  await dispatchDue(other.app);
  expect(during).toMatchObject([{ status: 'sending', attempts: 2, refusals: 0, refusedAt: null }]);
  expect(await place.rows()).toMatchObject([{ status: 'pending', attempts: 2, refusals: 0, lastReplyCode: 451 }]);
});
