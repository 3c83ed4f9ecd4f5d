import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { Executor } from '#server/platform/db/database.ts';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { smsNotifications } from '#server/schema/notifications.tables.ts';
import { enqueueNotification, enqueueNotifications } from './enqueue.ts';
import { mailTroubledSince, nextDueAt, purgeEndedMessages } from './mail-queue.ts';
import type { NotificationOutcome } from './mail-reactions.ts';
import { mailReactionsOf } from './mail-reactions.ts';
import { dispatchDue } from './notifications.dispatch.ts';
import { dayMs, hearWakes, hourMs, later, never, ok, prepareNotifications, start } from './notifications.test-world.ts';

const place = prepareNotifications();

describe('enqueue', () => {
  it('writes one row for one dedupe key and wakes the outbox of the workers once', async () => {
    const { app } = place.build();
    const wakes = await hearWakes(place);
    const mail = place.email();

    const first = await enqueueNotification(app, place.db, mail);
    const second = await enqueueNotification(app, place.db, { ...mail, mail: { ...mail.mail, subject: 'Other' } });

    expect(second).toBe(first);
    expect(await place.rows()).toHaveLength(1);
    expect(await wakes.heard()).toEqual(['outbox']);
  });

  it.each([
    { by: 'one by one', count: 1 },
    { by: 'as a list', count: 2 },
  ])('wakes the outbox once in each transaction of a connection: $by', async ({ count }) => {
    const { app } = place.build();
    const wakes = await hearWakes(place);
    const enqueue = async (tx: Executor) => {
      if (count === 1) await enqueueNotification(app, tx, place.email());
      else await enqueueNotifications(app, tx, [place.email(), place.email()]);
    };
    for (const _ of ['first', 'second']) {
      await place.db.transaction(async (tx) => {
        await enqueue(tx);
        await enqueue(tx);
      });
      expect(await wakes.heard()).toEqual(['outbox']);
    }
  });

  it('is undone with its cause, and then wakes no worker', async () => {
    const { app } = place.build();
    const wakes = await hearWakes(place);
    const undone = place.db.transaction(async (tx) => {
      await enqueueNotification(app, tx, place.email());
      throw new Error('the cause failed');
    });
    await expect(undone).rejects.toThrow('the cause failed');
    expect(await place.rows()).toEqual([]);
    expect(await wakes.heard()).toEqual([]);
  });

  it('leaves neither link nor address nor words readable in the database', async () => {
    const { app } = place.build();
    await enqueueNotification(app, place.db, place.email());
    await enqueueNotification(app, place.db, place.text());

    const dump = await place.db.execute<{ row: string }>(sql`
      select n::text || encode(n.payload, 'escape') || coalesce(s::text, '') as row
      from notifications n left join sms_notifications s on s.notification_id = n.id`);
    expect(dump.rows).toHaveLength(2);
    for (const { row } of dump.rows) {
      // 'Zoë' as text and as escaped bytes; two letters alone are found in sealed bytes now and then.
      for (const secret of ['canary', 'Canary', 'zoe@', 'Zoë', 'Zo\\303', '900123', 'everkept.test/'])
        expect(row).not.toContain(secret);
    }
    expect(await place.db.select().from(smsNotifications)).toMatchObject([
      { userId: place.ownerId, type: 'accounts.phone-code' },
    ]);
  });

  it('opens a payload in its own row only', async () => {
    const { app, mailer, logged } = place.build();
    await enqueueNotification(app, place.db, place.email());
    await enqueueNotification(app, place.db, place.email());
    await place.db.execute(sql`
      update notifications set payload = (select payload from notifications order by id limit 1)
      where id = (select id from notifications order by id desc limit 1)`);

    await dispatchDue(app);
    expect(mailer.sent).toHaveLength(1);
    expect(logged.join()).toContain('SealBrokenError');
    expect(await place.statuses()).toEqual(['accepted', 'pending']);
  });

  it('wakes no worker for a later message, and sends it at its time', async () => {
    const { app, clock, mailer } = place.build();
    const wakes = await hearWakes(place);
    await enqueueNotification(app, place.db, place.email({ notBefore: new Date(start.getTime() + hourMs) }));

    expect(await wakes.heard()).toEqual([]);
    expect(await dispatchDue(app)).toBe(0);
    expect(await nextDueAt(app)).toEqual(new Date(start.getTime() + hourMs));
    clock.advance(hourMs);
    expect(await dispatchDue(app)).toBe(1);
    expect(mailer.sent).toHaveLength(1);
    expect(await nextDueAt(app)).toBeNull();
  });

  it('derives the Message-ID from its seed and refuses one that could end the header', async () => {
    const { app, mailer } = place.build({ mailFrom: 'Everkept <hello@münchen.test>' });
    const seed = place.serviceKeys.derive('delivery-message-id', 'some-id');
    await enqueueNotification(app, place.db, place.email({ messageIdSeed: seed }));
    await dispatchDue(app);
    expect(mailer.sent.map(({ messageId }) => messageId)).toEqual([`<${seed}@xn--mnchen-3ya.test>`]);
    await expect(
      enqueueNotification(app, place.db, place.email({ messageIdSeed: 'a'.repeat(20).concat('>\r\nBcc: b@c.d') })),
    ).rejects.toThrow(TypeError);
  });

  it('lets an address that no mail can go to bounce, without undoing its cause', async () => {
    const { app } = place.build();
    const outcomes: NotificationOutcome[] = [];
    mailReactionsOf(app).ended.push({
      kindPrefix: 'delivery.',
      react: async (_tx, outcome) => void outcomes.push(outcome),
    });
    await enqueueNotification(
      app,
      place.db,
      place.email({ kind: 'delivery.owner-unreachable', to: { address: 'a@example.test, b@example.test' } }),
    );
    await enqueueNotification(app, place.db, place.email());
    await dispatchDue(app);
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['accepted', 'bounced']);
  });
});

describe('the health of mail', () => {
  it('is well if nothing is due, and troubled since a due mail has waited or since the last acceptance', async () => {
    const { app, mailer, clock } = place.build();
    const trouble = () => mailTroubledSince(app, place.db);
    expect(await trouble()).toBeNull();

    mailer.answer(() => later);
    await enqueueNotification(app, place.db, place.email());
    await dispatchDue(app);
    clock.advance(dayMs);
    expect(await trouble()).toEqual(start);

    mailer.answer(({ to }) => (to.address.startsWith('good') ? ok : later));
    await enqueueNotification(
      app,
      place.db,
      place.email({ at: await clock.now(), to: { address: 'good@example.test' } }),
    );
    await dispatchDue(app);
    clock.advance(hourMs);
    expect(await trouble()).toEqual(new Date(start.getTime() + dayMs));

    mailer.answer(null);
    clock.advance(dayMs);
    await dispatchDue(app);
    expect(await trouble()).toBeNull();
  });

  it('is not troubled by texts, by later messages, or by a closed mailbox', async () => {
    const { app, mailer, texter, clock } = place.build();
    mailer.answer(({ to }) => (to.address.startsWith('operator') ? ok : never));
    texter.answer(() => later);
    await enqueueNotification(app, place.db, place.text());
    await enqueueNotification(app, place.db, place.email({ kind: 'release.first_reminder' }));
    await enqueueNotification(app, place.db, place.email({ notBefore: new Date(start.getTime() + 9 * dayMs) }));
    await dispatchDue(app);
    clock.advance(2 * hourMs);
    await dispatchDue(app);
    expect(await mailTroubledSince(app, place.db)).toBeNull();
  });
});

describe('purge', () => {
  it('empties what ended thirty days ago, a few at a time, and keeps what still waits', async () => {
    const { app, clock } = place.build();
    for (let count = 0; count < 3; count += 1) await enqueueNotification(app, place.db, place.email());
    await dispatchDue(app);
    await enqueueNotification(app, place.db, place.email({ notBefore: new Date(start.getTime() + 90 * dayMs) }));

    clock.advance(30 * dayMs);
    expect(await purgeEndedMessages(app)).toBe(0);
    clock.advance(1);
    expect(await purgeEndedMessages(app, 2)).toBe(2);
    expect(await purgeEndedMessages(app, 2)).toBe(1);
    expect(await purgeEndedMessages(app, 2)).toBe(0);
    const [left] = (await place.db.execute(sql`select count(payload) from notifications`)).rows;
    expect(left).toEqual({ count: '1' });
  });

  it('keeps messages in the outbox, because they are stored nowhere else', async () => {
    const built = place.build({ mailer: createMemoryMailer({ kind: 'outbox' }) });
    await enqueueNotification(built.app, place.db, place.email());
    await enqueueNotification(built.app, place.db, place.text());
    await dispatchDue(built.app);
    built.clock.advance(90 * dayMs);
    expect(await purgeEndedMessages(built.app)).toBe(1);
  });
});
