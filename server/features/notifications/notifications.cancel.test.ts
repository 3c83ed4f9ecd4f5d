import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { smsNotifications } from '#server/schema/notifications.tables.ts';
import { cancelNotificationsFor } from './cancel.ts';
import { enqueueNotification } from './enqueue.ts';
import type { NotificationOutcome } from './mail-reactions.ts';
import { mailReactionsOf } from './mail-reactions.ts';
import { dispatchDue } from './notifications.dispatch.ts';
import { dayMs, later, never, ok, prepareNotifications } from './notifications.test-world.ts';

const place = prepareNotifications();

describe('cancelling', () => {
  it('withdraws unsent messages of the kinds that end so, and no others', async () => {
    const { app, mailer } = place.build();
    const subjectId = randomUUID();
    await enqueueNotification(app, place.db, place.email({ subjectId, kind: 'delivery.letter' }));
    await enqueueNotification(app, place.db, place.email({ subjectId, kind: 'delivery.reminder' }));
    await enqueueNotification(app, place.db, place.text({ subjectId, kind: 'delivery.letter' }));
    await enqueueNotification(app, place.db, place.email());

    await cancelNotificationsFor(app, place.db, subjectId, 'letter opened');
    expect(await place.statuses()).toEqual(['cancelled', 'cancelled', 'pending', 'pending']);
    expect(await place.db.select().from(smsNotifications)).toMatchObject([{ status: 'cancelled' }]);
    await cancelNotificationsFor(app, place.db, subjectId, 'all letters opened');
    await dispatchDue(app);
    expect(mailer.sent).toHaveLength(1);
  });

  it.each([
    ['is accepted after all: it counts as accepted and the feature is told', ok, 'accepted', 1],
    ['is refused for now: it is never tried again', later, 'cancelled', 0],
    ['is refused for good: it stays cancelled', never, 'cancelled', 0],
  ] as const)('comes while a mail is under way that %s', async (_, answer, status, told) => {
    const { app, mailer, clock } = place.build();
    const outcomes: NotificationOutcome[] = [];
    mailReactionsOf(app).ended.push({
      kindPrefix: 'delivery.',
      react: async (_tx, outcome) => void outcomes.push(outcome),
    });
    const mail = place.email();
    mailer.answer(async () => {
      await cancelNotificationsFor(app, place.db, mail.subjectId ?? '', 'letter opened');
      return answer;
    });
    await enqueueNotification(app, place.db, mail);
    await dispatchDue(app);
    clock.advance(30 * dayMs);
    await dispatchDue(app);

    expect(await place.statuses()).toEqual([status]);
    expect(mailer.tried).toHaveLength(1);
    expect(outcomes).toHaveLength(told);
  });

  it('changes nothing about accepted messages', async () => {
    const { app } = place.build();
    const mail = place.email();
    await enqueueNotification(app, place.db, mail);
    await dispatchDue(app);
    await cancelNotificationsFor(app, place.db, mail.subjectId ?? '', 'letter opened');
    expect(await place.statuses()).toEqual(['accepted']);
  });

  it('and recording an outcome do not wait for each other for ever', async () => {
    const { app, mailer } = place.build();
    mailReactionsOf(app).ended.push({
      kindPrefix: 'delivery.',
      react: async (tx) => {
        await tx.execute(sql`select id from users where id = ${place.ownerId} for update`);
      },
    });
    const mail = place.email();
    let cancelled = Promise.resolve();
    mailer.answer(async () => {
      await new Promise<void>((locked) => {
        cancelled = place.db.transaction(async (tx) => {
          await tx.execute(sql`select id from users where id = ${place.ownerId} for update`);
          locked();
          await new Promise((resolve) => setTimeout(resolve, 50));
          await cancelNotificationsFor(app, tx, mail.subjectId ?? '', 'letter opened');
        });
      });
      return ok;
    });
    await enqueueNotification(app, place.db, mail);
    await dispatchDue(app);
    await cancelled;
    expect(await place.statuses()).toEqual(['accepted']);
  });
});
