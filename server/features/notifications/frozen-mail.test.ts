import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { serviceHealth } from '#server/schema/service-health.tables.ts';
import { cancelNotificationsFor } from './cancel.ts';
import { enqueueNotification } from './enqueue.ts';
import { unfreezeMail } from './frozen-mail.ts';
import { mailTroubledSince, nextDueAt } from './mail-queue.ts';
import type { NotificationOutcome } from './mail-reactions.ts';
import { mailReactionsOf } from './mail-reactions.ts';
import { dispatchDue } from './notifications.dispatch.ts';
import { dayMs, hearWakes, later, ok, prepareNotifications, start } from './notifications.test-world.ts';

const place = prepareNotifications();

const freezeAll = (at: Date | null) => place.db.update(serviceHealth).set({ frozenAt: at });
const freezeOwner = (id: string, at: Date | null) =>
  place.db.update(users).set({ releaseFrozenAt: at }).where(eq(users.id, id));
afterEach(() => freezeAll(null));

describe('while everything is frozen', () => {
  it('no letter, question or text of these kinds leaves, all else does, and afterwards they leave once, as they are', async () => {
    const { app, mailer, texter, clock } = place.build();
    await enqueueNotification(app, place.db, place.email({ messageIdSeed: 'a-seed-of-sixteen' }));
    await enqueueNotification(app, place.db, place.text({ kind: 'release.contact_asked' }));
    await enqueueNotification(app, place.db, place.text({ kind: 'release.first_reminder' }));
    await enqueueNotification(app, place.db, place.email({ kind: 'release.first_reminder' }));
    await enqueueNotification(app, place.db, place.email({ kind: 'operator.breaker', userId: null }));
    await freezeAll(start);
    await dispatchDue(app);
    expect(await place.statuses()).toEqual(['accepted', 'accepted', 'accepted', 'pending', 'pending']);
    expect((await place.rows()).filter(({ status }) => status === 'pending')).toMatchObject([
      { attempts: 0 },
      { attempts: 0 },
    ]);

    // A change by hand in the database notifies no process. The sweep finds it within a minute.
    await freezeAll(null);
    clock.advance(60_000);
    await dispatchDue(app);
    await dispatchDue(app);
    expect(mailer.tried).toHaveLength(3);
    expect(mailer.tried.map(({ messageId }) => messageId)).toContain('<a-seed-of-sixteen@everkept.test>');
    expect(texter.sent).toHaveLength(2);
  });

  it('an accepted message without recorded consequences is settled', async () => {
    const { app, mailer, clock, logged } = place.build();
    const outcomes: NotificationOutcome[] = [];
    let isBroken = true;
    mailReactionsOf(app).ended.push({
      kindPrefix: 'delivery.',
      react: async (_tx, outcome) => {
        if (isBroken) throw new Error('Not just now.');
        outcomes.push(outcome);
      },
    });
    await enqueueNotification(app, place.db, place.email());
    await dispatchDue(app);
    expect(logged).toHaveLength(1);
    isBroken = false;
    await freezeAll(start);
    clock.advance(dayMs);
    await dispatchDue(app);
    expect(outcomes).toMatchObject([{ outcome: 'accepted', at: start }]);
    expect(mailer.tried).toHaveLength(1);
  });

  it('a frozen message is out of the queue, and back in it in the transaction that unfreezes it', async () => {
    const { app, mailer, clock } = place.build();
    await enqueueNotification(app, place.db, place.email());
    await enqueueNotification(app, place.db, place.email({ kind: 'release.first_reminder' }));
    await freezeAll(start);
    await dispatchDue(app);
    const onHold = async () => (await place.rows()).map(({ kind, isOnHold }) => [kind, isOnHold]);
    expect(await onHold()).toContainEqual(['delivery.letter', true]);
    expect(await onHold()).toContainEqual(['release.first_reminder', false]);
    await place.db.transaction(async (tx) => {
      await unfreezeMail(tx, { userId: null, at: await clock.now() });
      await tx.update(serviceHealth).set({ frozenAt: null });
    });
    expect(await onHold()).toContainEqual(['delivery.letter', false]);
    await dispatchDue(app);
    expect(mailer.tried).toHaveLength(2);
  });

  it('a withdrawn message stays withdrawn', async () => {
    const { app, mailer } = place.build();
    const mail = place.email();
    await enqueueNotification(app, place.db, mail);
    await freezeAll(start);
    await cancelNotificationsFor(app, place.db, mail.subjectId ?? '', 'letter opened');
    await freezeAll(null);
    await dispatchDue(app);
    expect(await place.statuses()).toEqual(['cancelled']);
    expect(mailer.tried).toEqual([]);
  });

  it('a frozen message says nothing about the mail server, neither meanwhile nor after the freeze, and is not due', async () => {
    const { app, clock } = place.build();
    await enqueueNotification(app, place.db, place.email());
    await freezeAll(start);
    clock.advance(20 * dayMs);
    expect(await mailTroubledSince(app, place.db)).toBeNull();
    expect(await nextDueAt(app)).toBeNull();

    const at = await clock.now();
    await unfreezeMail(place.db, { userId: null, at });
    await freezeAll(null);
    expect(await nextDueAt(app)).toEqual(start);
    expect(await mailTroubledSince(app, place.db)).toEqual(at);
  });

  it.each([
    ['let go by its command', true],
    ['ended by hand in the database', false],
  ])('weeks of it eat nothing of a message’s patience, where it was %s', async (_, isLetGo) => {
    const { app, mailer, clock } = place.build();
    mailer.answer(() => later);
    await enqueueNotification(app, place.db, place.email());
    await dispatchDue(app);
    await freezeAll(start);
    clock.advance(60 * dayMs);
    await dispatchDue(app);
    expect(mailer.tried).toHaveLength(1);
    if (isLetGo) await unfreezeMail(place.db, { userId: null, at: await clock.now() });
    await freezeAll(null);
    await dispatchDue(app);
    expect(await place.statuses()).toEqual(['pending']);
    mailer.answer(() => ok);
    clock.advance(dayMs);
    await dispatchDue(app);
    expect(await place.statuses()).toEqual(['accepted']);
  });
});

describe('while one owner is frozen', () => {
  it('messages about them are frozen, and messages about others, or about no owner, leave', async () => {
    const { app, mailer, clock } = place.build();
    const wakes = await hearWakes(place);
    const otherId = randomUUID();
    await place.db.insert(users).values({ id: otherId, email: 'other@example.test' });
    await freezeOwner(place.ownerId, start);
    await enqueueNotification(app, place.db, place.email({ to: { address: 'mine@example.test' } }));
    await enqueueNotification(app, place.db, place.email({ userId: otherId, to: { address: 'theirs@example.test' } }));
    await enqueueNotification(app, place.db, place.email({ userId: null, to: { address: 'nobodys@example.test' } }));
    await dispatchDue(app);
    expect(mailer.sent.map(({ to }) => to.address).toSorted()).toEqual(['nobodys@example.test', 'theirs@example.test']);

    await wakes.heard();
    await place.db.transaction(async (tx) => {
      await freezeOwner(place.ownerId, null);
      await unfreezeMail(tx, { userId: place.ownerId, at: await clock.now() });
    });
    expect(await wakes.heard()).toEqual(['outbox']);
    await dispatchDue(app);
    expect(mailer.sent.map(({ to }) => to.address)).toContain('mine@example.test');
  });
});

describe('ten thousand frozen letters at the head of the queue', () => {
  it('keep nothing else back', async () => {
    const { app, mailer } = place.build();
    await place.db.execute(sql`
      insert into notifications (id, user_id, channel, kind, dedupe_key, message_id, not_before, next_attempt_at, created_at)
      select gen_random_uuid(), ${place.ownerId}, 'email', 'delivery.letter', 'held:' || n, '<' || n || '@x>', t, t, t
      from generate_series(1, 10000) n, (select ${start.toISOString()}::timestamptz - interval '1 hour' as t) past`);
    await place.db.execute(sql`analyze notifications`);
    await freezeOwner(place.ownerId, start);
    await enqueueNotification(app, place.db, place.email({ kind: 'release.first_reminder' }));
    expect(await dispatchDue(app)).toBe(1);
    expect(mailer.sent).toHaveLength(1);
  });
});
