import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { smsNotifications } from '#server/schema/notifications.tables.ts';
import type { NotificationOutcome } from './notifications.service.ts';
import { dayMs, hearWakes, hourMs, later, never, ok, prepareNotifications, start } from './notifications.test-world.ts';

const place = prepareNotifications();

describe('enqueue', () => {
  it('writes one row for one dedupe key and wakes the outbox of the workers once', async () => {
    const { notifications } = place.build();
    const wakes = await hearWakes(place);
    const mail = place.email();

    const first = await notifications.enqueue(place.db, mail);
    const second = await notifications.enqueue(place.db, { ...mail, mail: { ...mail.mail, subject: 'Other' } });

    expect(second).toBe(first);
    expect(await place.rows()).toHaveLength(1);
    expect(await wakes.heard()).toEqual(['outbox']);
  });

  it('is undone with its cause, and then wakes no worker', async () => {
    const { notifications } = place.build();
    const wakes = await hearWakes(place);
    const undone = place.db.transaction(async (tx) => {
      await notifications.enqueue(tx, place.email());
      throw new Error('the cause failed');
    });
    await expect(undone).rejects.toThrow('the cause failed');
    expect(await place.rows()).toEqual([]);
    expect(await wakes.heard()).toEqual([]);
  });

  it('leaves neither link nor address nor words readable in the database', async () => {
    const { notifications } = place.build();
    await notifications.enqueue(place.db, place.email());
    await notifications.enqueue(place.db, place.text());

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
      { userId: place.ownerId, type: 'release.reminder' },
    ]);
  });

  it('opens a payload in its own row only', async () => {
    const { notifications, mailer, logged } = place.build();
    await notifications.enqueue(place.db, place.email());
    await notifications.enqueue(place.db, place.email());
    await place.db.execute(sql`
      update notifications set payload = (select payload from notifications order by id limit 1)
      where id = (select id from notifications order by id desc limit 1)`);

    await notifications.dispatchDue();
    expect(mailer.sent).toHaveLength(1);
    expect(logged.join()).toContain('SealBrokenError');
    expect(await place.statuses()).toEqual(['accepted', 'pending']);
  });

  it('wakes no worker for a later message, and sends it at its time', async () => {
    const { notifications, clock, mailer } = place.build();
    const wakes = await hearWakes(place);
    await notifications.enqueue(place.db, place.email({ notBefore: new Date(start.getTime() + hourMs) }));

    expect(await wakes.heard()).toEqual([]);
    expect(await notifications.dispatchDue()).toBe(0);
    expect(await notifications.nextDueAt()).toEqual(new Date(start.getTime() + hourMs));
    clock.advance(hourMs);
    expect(await notifications.dispatchDue()).toBe(1);
    expect(mailer.sent).toHaveLength(1);
    expect(await notifications.nextDueAt()).toBeNull();
  });

  it('derives the Message-ID from its seed and refuses one that could end the header', async () => {
    const { notifications, mailer } = place.build({ mailFrom: 'Everkept <hello@münchen.test>' });
    const seed = place.serviceKeys.derive('delivery-message-id', 'some-id');
    await notifications.enqueue(place.db, place.email({ messageIdSeed: seed }));
    await notifications.dispatchDue();
    expect(mailer.sent.map(({ messageId }) => messageId)).toEqual([`<${seed}@xn--mnchen-3ya.test>`]);
    await expect(
      notifications.enqueue(place.db, place.email({ messageIdSeed: 'a'.repeat(20).concat('>\r\nBcc: b@c.d') })),
    ).rejects.toThrow(TypeError);
  });

  it('lets an address that no mail can go to bounce, without undoing its cause', async () => {
    const { notifications } = place.build();
    const outcomes: NotificationOutcome[] = [];
    notifications.onOutcome('delivery.', async (_tx, outcome) => void outcomes.push(outcome));
    await notifications.enqueue(place.db, place.email({ to: { address: 'a@example.test, b@example.test' } }));
    await notifications.enqueue(place.db, place.email());
    await notifications.dispatchDue();
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['accepted', 'bounced']);
  });
});

describe('the health of mail', () => {
  it('is well if nothing is due, and troubled since a due mail has waited or since the last acceptance', async () => {
    const { notifications, mailer, clock } = place.build();
    const trouble = () => notifications.mailTroubledSince(place.db);
    expect(await trouble()).toBeNull();

    mailer.answer(() => later);
    await notifications.enqueue(place.db, place.email());
    await notifications.dispatchDue();
    clock.advance(dayMs);
    expect(await trouble()).toEqual(start);

    mailer.answer(({ to }) => (to.address.startsWith('good') ? ok : later));
    await notifications.enqueue(place.db, place.email({ at: await clock.now(), to: { address: 'good@example.test' } }));
    await notifications.dispatchDue();
    clock.advance(hourMs);
    expect(await trouble()).toEqual(new Date(start.getTime() + dayMs));

    mailer.answer(null);
    clock.advance(dayMs);
    await notifications.dispatchDue();
    expect(await trouble()).toBeNull();
  });

  it('is not troubled by texts, by later messages, or by a closed mailbox', async () => {
    const { notifications, mailer, texter, clock } = place.build();
    mailer.answer(({ to }) => (to.address.startsWith('operator') ? ok : never));
    texter.answer(() => later);
    await notifications.enqueue(place.db, place.text());
    await notifications.enqueue(place.db, place.email({ policy: 'owner-reminder' }));
    await notifications.enqueue(place.db, place.email({ notBefore: new Date(start.getTime() + 9 * dayMs) }));
    await notifications.dispatchDue();
    clock.advance(2 * hourMs);
    await notifications.dispatchDue();
    expect(await notifications.mailTroubledSince(place.db)).toBeNull();
  });
});

describe('purge', () => {
  it('empties what ended thirty days ago, a few at a time, and keeps what still waits', async () => {
    const { notifications, clock } = place.build();
    for (let count = 0; count < 3; count += 1) await notifications.enqueue(place.db, place.email());
    await notifications.dispatchDue();
    await notifications.enqueue(place.db, place.email({ notBefore: new Date(start.getTime() + 90 * dayMs) }));

    clock.advance(30 * dayMs);
    expect(await notifications.purge()).toBe(0);
    clock.advance(1);
    expect(await notifications.purge(2)).toBe(2);
    expect(await notifications.purge(2)).toBe(1);
    expect(await notifications.purge(2)).toBe(0);
    const [left] = (await place.db.execute(sql`select count(payload) from notifications`)).rows;
    expect(left).toEqual({ count: '1' });
  });

  it('keeps messages in the outbox, because they are stored nowhere else', async () => {
    const built = place.build({ mailer: createMemoryMailer({ kind: 'outbox' }) });
    await built.notifications.enqueue(place.db, place.email());
    await built.notifications.enqueue(place.db, place.text());
    await built.notifications.dispatchDue();
    built.clock.advance(90 * dayMs);
    expect(await built.notifications.purge()).toBe(1);
  });
});
