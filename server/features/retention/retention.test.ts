import { eq, inArray, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pruneAudit, verifyAudit } from '#server/features/audit/audit.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { checkins, users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { payments } from '#server/schema/billing.tables.ts';
import { bulkEmailRecipients, bulkEmails } from '#server/schema/bulk-emails.tables.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { messageEnclosures, messages } from '#server/schema/messages.tables.ts';
import { notifications, smsNotifications } from '#server/schema/notifications.tables.ts';
import { releaseRequests, releaseSilences } from '#server/schema/release.tables.ts';
import { plans } from '#shared/rules/plans.ts';
import { adminEmail, createEverkept, dayMs, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { releaseRow, silenceRow } from '#tests/support/request-rows.ts';
import { removeExpired, removeExpiredAudit } from './expiry.ts';
import { addMoreThanFreeHolds } from './retention.test-world.ts';

let everkept: Everkept;
let idle: Owner;
let administrator: Owner;
let waiting: Owner;
let lapsed: Owner;
let silent: Owner;
let free: Owner;
let paid: Owner;
let yearsAgo: (years: number) => Date;

beforeAll(async () => {
  everkept = await createEverkept({ hasDailyTasks: true });
  idle = await signUp('Ida');
  administrator = await everkept.signUp({ email: adminEmail });
  waiting = await signUp('Walt');
  lapsed = await signUp('Lena');
  silent = await signUp('Silas');
  free = await signUp('Fred');
  paid = await signUp('Paula');
  const now = Date.now();
  yearsAgo = (years) => new Date(now - years * 366 * dayMs);
  await prepare();
  // What is told on the first day; then somebody comes to look; then the days pass.
  await everkept.live(2);
  await everkept.signIn(lapsed);
  await everkept.live(91);
});
afterAll(() => everkept.close());

const signUp = (firstName: string) => everkept.signUp({ firstName });

const change = (owner: Owner, row: Partial<typeof users.$inferInsert>) =>
  everkept.database.db.update(users).set(row).where(eq(users.id, owner.userId));

async function prepare() {
  const { db } = everkept.database;
  for (const owner of [idle, administrator]) await change(owner, { lastCheckinAt: yearsAgo(4) });
  // Nobody would have to be asked, so silence can still lead to delivery.
  await everkept.write(waiting);
  await change(waiting, { lastCheckinAt: yearsAgo(4), releaseFrozenAt: new Date() });

  for (const owner of [lapsed, silent]) {
    await change(owner, { plan: 'essential' });
    for (const title of ['one', 'two', 'three']) await everkept.write(owner, { title });
    await everkept.write(owner, { title: 'draft', status: 'draft' });
    if (owner === lapsed) await addMoreThanFreeHolds(db, owner.userId);
    await change(owner, { plan: 'free', subscriptionEnd: new Date(Date.now() - 200 * dayMs), inactivityDays: 365 });
  }
  for (const owner of [free, paid]) {
    await everkept.write(owner, { title: 'long delivered' });
    await everkept.write(owner, { title: 'just delivered' });
    const deliveredAt = (days: number) => ({
      status: 'delivered' as const,
      deliveredAt: new Date(Date.now() - days * dayMs),
    });
    const mine = await db.select().from(messages).where(eq(messages.userId, owner.userId)).orderBy(messages.createdAt);
    await db
      .update(messages)
      .set(deliveredAt(200))
      .where(eq(messages.id, mine[0]?.id ?? ''));
    await db
      .update(messages)
      .set(deliveredAt(10))
      .where(eq(messages.id, mine[1]?.id ?? ''));
  }
  await change(paid, { plan: 'premium' });

  await db
    .update(checkins)
    .set({ createdAt: yearsAgo(1.1) })
    .where(eq(checkins.userId, free.userId));
  const payment = { payerId: crypto.randomUUID(), provider: 'sandbox', plan: 'premium', term: 'monthly' } as const;
  for (const [index, years] of [8, 6].entries()) {
    await db.insert(payments).values({
      ...payment,
      id: crypto.randomUUID(),
      providerPaymentId: `payment-${index}`,
      amountPence: 999,
      currency: 'GBP',
      status: 'paid',
      paidAt: yearsAgo(years),
      createdAt: yearsAgo(years),
    });
  }
}

const subjectsTo = ({ email }: Owner) =>
  everkept.mailer.sent.filter(({ to }) => to.address === email).map(({ subject }) => subject);
const messagesOf = async ({ userId }: Owner) => {
  const rows = await everkept.database.db.select().from(messages).where(eq(messages.userId, userId));
  return rows.length;
};
const rowOf = async ({ userId }: Owner) =>
  (await everkept.database.db.select().from(users).where(eq(users.id, userId)))[0];
const actionsOf = async ({ userId }: Owner) => {
  const rows = await everkept.database.db.select().from(auditLogs).where(eq(auditLogs.userId, userId));
  return rows.map(({ action }) => action);
};

describe('an account that nobody has used for three years', () => {
  test('is notified, and 90 days later begins to be deleted as if its owner had asked', async () => {
    expect(subjectsTo(idle).filter((subject) => subject.startsWith('Your account is kept until'))).toHaveLength(1);
    expect((await rowOf(idle))?.deletionRequestedAt).toBeInstanceOf(Date);
    expect(subjectsTo(idle).at(-1)).toMatch(/^Your account will be deleted on/);
    expect(await actionsOf(idle)).toEqual(expect.arrayContaining(['retention.notified', 'account.deletion_requested']));
  });

  test('stays if a release is open or was stopped by the operator, and no one is notified', async () => {
    expect((await rowOf(waiting))?.deletionRequestedAt).toBeNull();
    expect(subjectsTo(waiting).filter((subject) => subject.startsWith('Your account is kept'))).toEqual([]);
  });
});

/** A date, so that nobody reads the subject as “continues”. */
const deletesSome = /^On \d+ \w+ \d{4} we delete some of what you keep here$/;

test('the designated administrator’s account stays, and nobody is told that it would go', async () => {
  expect((await rowOf(administrator))?.deletionRequestedAt).toBeNull();
  expect(await actionsOf(administrator)).not.toContain('retention.notified');
});

describe('what was not delivered, 6 months after the last payment', () => {
  test('goes as its owner was told: ready messages too, where there are more than the two that stay', async () => {
    const mail = everkept.mailer.sent.find(
      ({ to, subject }) => to.address === lapsed.email && deletesSome.test(subject),
    );
    const words = mail?.text.replace(/\s+/g, ' ');
    const { messageLimit, storageLimitMb } = plans.free;
    expect(words).toContain(`at most ${messageLimit} stay: those marked as ready come first`);
    expect(words).toContain('All others go with their attachments, even ready ones.');
    expect(words).toContain(`up to ${storageLimitMb} MB stays`);

    const { db } = everkept.database;
    const left = await db.select().from(messages).where(eq(messages.userId, lapsed.userId));
    // Three were ready, and one was a draft.
    expect(left.map(({ status }) => status)).toEqual(Array(messageLimit).fill('ready'));
  });

  test('goes as far as it is more than the free plan holds, after its owner was told and has been here', async () => {
    expect(subjectsTo(lapsed).filter((subject) => deletesSome.test(subject))).toHaveLength(1);
    expect(await messagesOf(lapsed)).toBe(2);
    expect((await actionsOf(lapsed)).filter((action) => action === 'message.expired')).toHaveLength(2);
  });

  test('goes file by file where they are more than a megabyte, and the log says of each what it was', async () => {
    const { db } = everkept.database;
    const left = await db.select().from(documents).where(eq(documents.userId, lapsed.userId));
    expect(left.map(({ fileSize }) => fileSize)).toEqual([700_000]);
    const kept = await db.select().from(messages).where(eq(messages.userId, lapsed.userId));
    expect(kept.map(({ hasAttachment, attachmentPath }) => [hasAttachment, attachmentPath])).toEqual([
      [false, null],
      [false, null],
    ]);
    const actions = await actionsOf(lapsed);
    expect(await db.$count(messageEnclosures, eq(messageEnclosures.userId, lapsed.userId))).toBe(0);
    for (const action of ['document.expired', 'attachment.expired', 'enclosure.expired']) {
      expect([action, actions.filter((each) => each === action)]).toEqual([action, [action]]);
    }
  });

  test('stays while its owner is silent and it could still be released', async () => {
    expect(subjectsTo(silent).filter((subject) => deletesSome.test(subject))).toHaveLength(1);
    expect(await messagesOf(silent)).toBe(4);
  });
});

describe('what was delivered', () => {
  test('goes 6 months later on the free plan, with notice; younger items stay', async () => {
    expect(subjectsTo(free).filter((subject) => subject.startsWith('Letters that were delivered'))).toHaveLength(1);
    expect(await messagesOf(free)).toBe(1);
    expect(await actionsOf(free)).toContain('message.expired');
  });

  test('stays for 12 months on a paid plan', async () => {
    expect(await messagesOf(paid)).toBe(2);
    expect(subjectsTo(paid).filter((subject) => subject.startsWith('Letters that were delivered'))).toEqual([]);
  });
});

describe('records of the service', () => {
  test('go by the calendar: sign-ins after a year, payments after seven, and the log says how many', async () => {
    const { db } = everkept.database;
    const old = await db.select().from(checkins).where(eq(checkins.userId, free.userId));
    expect(old.filter(({ createdAt }) => createdAt < yearsAgo(1))).toEqual([]);
    expect((await db.select().from(payments)).map(({ providerPaymentId }) => providerPaymentId)).toEqual(['payment-1']);
    const removed = await db.select().from(auditLogs).where(eq(auditLogs.action, 'retention.records_removed'));
    // Each kind by itself: that one has many batches costs the others nothing.
    const kinds = removed.map(({ details }) => (details as { of: string }).of);
    expect(kinds).toEqual(expect.arrayContaining(['check_ins', 'payments']));
    expect(removed.map(({ details }) => Object.keys(details ?? {}))).toEqual(removed.map(() => ['of', 'rows']));
  });

  test('of news go 30 days after somebody wanted none any more, and that they want none stays', async () => {
    const { db } = everkept.database;
    const now = await createDatabaseClock(db, { testClock: true }).now();
    const stopped = { long: await signUp('Lou'), lately: await signUp('Lea'), never: await signUp('Noor') };
    const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);
    await change(stopped.long, { newsStoppedAt: daysAgo(29.5) });
    await change(stopped.lately, { newsStoppedAt: daysAgo(27.5) });
    const id = crypto.randomUUID();
    await db
      .insert(bulkEmails)
      .values({ id, payload: Buffer.from('sealed'), state: 'sending', createdAt: daysAgo(60) });
    const sent = Object.values(stopped).map(({ userId }) => ({ bulkEmailId: id, userId, state: 'sent' as const }));
    await db.insert(bulkEmailRecipients).values(sent);
    // A round comes a day after the last one, so one comes on the second day.
    await everkept.live(2);
    const left = await db.select().from(bulkEmailRecipients).where(eq(bulkEmailRecipients.bulkEmailId, id));
    expect(left.map(({ userId }) => userId).toSorted()).toEqual(
      [stopped.lately.userId, stopped.never.userId].toSorted(),
    );
    expect((await rowOf(stopped.long))?.newsStoppedAt).toEqual(daysAgo(29.5));
  });

  test('of texts go after 30 days, but not while an answer to one may come', async () => {
    const { db } = everkept.database;
    const now = await createDatabaseClock(db, { testClock: true }).now();
    const people = { well: await signUp('Wim'), asked: await signUp('Ann'), gone: await signUp('Gus') };
    const { asked, gone } = people;
    await db.insert(releaseSilences).values([asked, gone].map(({ userId }) => silenceRow({ userId, openedAt: now })));
    await db.insert(releaseRequests).values(releaseRow({ userId: gone.userId, openedAt: now, doneAt: now }));
    const text = { phone: 'sealed', message: 'sealed', type: 'release.first_reminder', sentAt: now };
    const sentTo = ({ userId }: Owner, days: number) => {
      const createdAt = new Date(now.getTime() - days * dayMs);
      return { ...text, id: crypto.randomUUID(), userId, createdAt };
    };
    const old = Object.values(people).map((owner) => sentTo(owner, 31));
    const young = sentTo(people.well, 29);
    await db.insert(smsNotifications).values([...old, young]);
    await removeExpired(everkept.opened, 'texts');
    const left = await db.select({ id: smsNotifications.id }).from(smsNotifications);
    expect(left.map(({ id }) => id).toSorted()).toEqual([old[1]?.id, young.id].toSorted());
  });

  test('of mails go two years after they ended, but not while what they asked is open', async () => {
    const { db } = everkept.database;
    const now = await createDatabaseClock(db, { testClock: true }).now();
    const [well, asked] = [await signUp('Una'), await signUp('Abe')];
    await db.insert(releaseSilences).values(silenceRow({ userId: asked.userId, openedAt: now }));
    const ended = (userId: string, endedAt: Date | null) => {
      const id = crypto.randomUUID();
      const times = { notBefore: now, createdAt: now, endedAt };
      const status = endedAt ? ('accepted' as const) : ('pending' as const);
      return { id, userId, channel: 'email' as const, kind: 'a.kind', dedupeKey: id, messageId: id, status, ...times };
    };
    const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);
    const longAgo = daysAgo(740);
    const [old, young, open, waiting] = [
      ended(well.userId, longAgo),
      ended(well.userId, daysAgo(720)),
      ended(asked.userId, longAgo),
      ended(well.userId, null),
    ] as const;
    const all = [old, young, open, waiting];
    await db.insert(notifications).values(all);
    await removeExpired(everkept.opened, 'mails');
    const isOneOfThese = inArray(
      notifications.id,
      all.map(({ id }) => id),
    );
    const left = await db.select({ id: notifications.id }).from(notifications).where(isOneOfThese);
    expect(left.map(({ id }) => id).toSorted()).toEqual([young.id, open.id, waiting.id].toSorted());
  });

  test('of the audit log go only together with the line that says so', async () => {
    const { db } = everkept.database;
    const inThreeYears = { ...createDatabaseClock(db, { testClock: true }), now: async () => yearsAgo(-3) };
    const rowsNow = () => db.$count(auditLogs);
    const before = await rowsNow();
    await db.execute(sql`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`);
    await db.execute(sql`
      create trigger refuse before insert on audit_logs for each row
      when (new.action = 'retention.audit_pruned') execute function refuse()`);
    await expect(removeExpiredAudit({ ...everkept.opened, clock: inThreeYears })).rejects.toThrow();
    await db.execute(sql`drop function refuse cascade`);
    expect(await rowsNow()).toBe(before);
    expect(await verifyAudit(everkept.opened)).toMatchObject({ ok: true });
  });

  test('of the audit log are left for another time where somebody is writing', async () => {
    const { db } = everkept.database;
    const chains = () => db.selectDistinct({ chain: auditLogs.chain }).from(auditLogs);
    const now = await createDatabaseClock(db, { testClock: true }).now();
    await db.transaction(async (writer) => {
      await recordAudit(everkept.opened, writer, {
        userId: silent.userId,
        action: 'test.held',
        resource: 'account',
        at: now,
      });
      await expect(
        db.transaction(async (tx) => {
          expect(
            await pruneAudit(everkept.opened, tx, { before: yearsAgo(-3), limit: 100_000, at: new Date() }),
          ).toBeGreaterThan(0);
          expect(await tx.selectDistinct({ chain: auditLogs.chain }).from(auditLogs)).toEqual([
            { chain: silent.userId },
          ]);
          throw new Error('taken back');
        }),
      ).rejects.toThrow('taken back');
    });
    expect((await chains()).length).toBeGreaterThan(1);
  });

  test('of the audit log go after two years, and the rest verifies', async () => {
    const { db } = everkept.database;
    const { rows } = await verifyAudit(everkept.opened);
    const times = (await db.select({ at: auditLogs.createdAt }).from(auditLogs)).map(({ at }) => at.getTime());
    const middle = new Date(times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0);
    let pruned = 0;
    for (let gone = 1; gone > 0; pruned += gone)
      gone = await db.transaction((tx) =>
        pruneAudit(everkept.opened, tx, { before: middle, limit: 7, at: new Date() }),
      );
    expect(pruned).toBeGreaterThan(10);
    expect(await verifyAudit(everkept.opened)).toMatchObject({ ok: true, rows: rows - pruned });
    await recordAudit(everkept.opened, db, {
      userId: free.userId,
      action: 'test.more',
      resource: 'account',
      at: new Date(),
    });
    expect(await verifyAudit(everkept.opened)).toMatchObject({ ok: true, rows: rows - pruned + 1 });

    await db.execute(sql`delete from audit_logs where id = (
      select id from audit_logs where chain = ${paid.userId} order by position limit 1)`);
    expect(await verifyAudit(everkept.opened)).toMatchObject({ ok: false, firstBroken: { chain: paid.userId } });
  });
});
