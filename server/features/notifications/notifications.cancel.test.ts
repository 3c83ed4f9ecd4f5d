import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { smsNotifications } from '#server/schema/notifications.tables.ts';
import type { NotificationOutcome } from './notifications.service.ts';
import { dayMs, later, never, ok, prepareNotifications } from './notifications.test-world.ts';

const place = prepareNotifications();

describe('cancelling', () => {
  it('withdraws unsent messages, of the named kinds only', async () => {
    const { notifications, mailer } = place.build();
    const subjectId = randomUUID();
    await notifications.enqueue(place.db, place.email({ subjectId, kind: 'delivery.letter' }));
    await notifications.enqueue(place.db, place.email({ subjectId, kind: 'delivery.reminder' }));
    await notifications.enqueue(place.db, place.text({ subjectId, kind: 'delivery.letter' }));
    await notifications.enqueue(place.db, place.email());

    await notifications.cancelFor(place.db, subjectId, ['delivery.letter']);
    expect(await place.statuses()).toEqual(['cancelled', 'cancelled', 'pending', 'pending']);
    expect(await place.db.select().from(smsNotifications)).toMatchObject([{ status: 'cancelled' }]);
    await notifications.cancelFor(place.db, subjectId);
    await notifications.dispatchDue();
    expect(mailer.sent).toHaveLength(1);
  });

  it.each([
    ['is accepted after all: it counts as accepted and the feature is told', ok, 'accepted', 1],
    ['is refused for now: it is never tried again', later, 'cancelled', 0],
    ['is refused for good: it stays cancelled', never, 'cancelled', 0],
  ] as const)('comes while a mail is under way that %s', async (_, answer, status, told) => {
    const { notifications, mailer, clock } = place.build();
    const outcomes: NotificationOutcome[] = [];
    notifications.onOutcome('delivery.', async (_tx, outcome) => void outcomes.push(outcome));
    const mail = place.email();
    mailer.answer(async () => {
      await notifications.cancelFor(place.db, mail.subjectId ?? '');
      return answer;
    });
    await notifications.enqueue(place.db, mail);
    await notifications.dispatchDue();
    clock.advance(30 * dayMs);
    await notifications.dispatchDue();

    expect(await place.statuses()).toEqual([status]);
    expect(mailer.tried).toHaveLength(1);
    expect(outcomes).toHaveLength(told);
  });

  it('changes nothing about accepted messages', async () => {
    const { notifications } = place.build();
    const mail = place.email();
    await notifications.enqueue(place.db, mail);
    await notifications.dispatchDue();
    await notifications.cancelFor(place.db, mail.subjectId ?? '');
    expect(await place.statuses()).toEqual(['accepted']);
  });

  it('and recording an outcome do not wait for each other for ever', async () => {
    const { notifications, mailer } = place.build();
    notifications.onOutcome('delivery.', async (tx) => {
      await tx.execute(sql`select id from users where id = ${place.ownerId} for update`);
    });
    const mail = place.email();
    let cancelled = Promise.resolve();
    mailer.answer(async () => {
      await new Promise<void>((locked) => {
        cancelled = place.db.transaction(async (tx) => {
          await tx.execute(sql`select id from users where id = ${place.ownerId} for update`);
          locked();
          await new Promise((resolve) => setTimeout(resolve, 50));
          await notifications.cancelFor(tx, mail.subjectId ?? '');
        });
      });
      return ok;
    });
    await notifications.enqueue(place.db, mail);
    await notifications.dispatchDue();
    await cancelled;
    expect(await place.statuses()).toEqual(['accepted']);
  });
});
