import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { enqueueNotification } from './enqueue.ts';
import { mailTroubledSince, nextDueAt } from './mail-queue.ts';
import { dispatchDue } from './notifications.dispatch.ts';
import { triedForMs } from './notifications.retry.rules.ts';
import { dayMs, hourMs, later, minuteMs, never, ok, prepareNotifications, start } from './notifications.test-world.ts';

const place = prepareNotifications();
/** One permanent refusal ends it. */
const standard = 'delivery.owner-unreachable';
const operator = 'operator@everkept.test';

describe('a permanent refusal', () => {
  it('ends a mail at once while the server takes other mail', async () => {
    const { app, mailer, clock } = place.build();
    mailer.answer(({ to }) => (to.address.startsWith('never') ? never : ok));
    await enqueueNotification(app, place.db, place.email());
    await dispatchDue(app);
    clock.advance(minuteMs);
    await enqueueNotification(app, place.db, place.email({ kind: standard, to: { address: 'never@example.test' } }));
    await dispatchDue(app);
    expect(await place.statuses()).toEqual(['accepted', 'bounced']);
    expect(mailer.tried.map(({ to }) => to.address)).not.toContain(operator);
  });

  it('counts only once another mail got through: where none is on its way, one to the operator finds out', async () => {
    const { app, mailer, clock } = place.build();
    mailer.answer(({ to }) => (to.address.startsWith('never') ? never : ok));
    await enqueueNotification(app, place.db, place.email({ kind: standard, to: { address: 'never@example.test' } }));
    await dispatchDue(app);
    expect(mailer.sent.map(({ to, subject }) => [to.address, subject])).toEqual([
      [operator, 'Everkept: mail gets through'],
    ]);
    expect(await place.statuses()).toEqual(['accepted', 'pending']);
    clock.advance(minuteMs);
    await dispatchDue(app);
    expect(await place.statuses()).toEqual(['accepted', 'bounced']);
    expect(mailer.sent).toHaveLength(1);
  });

  it('by a server that refuses everyone closes no mailbox at any time, and every mail leaves after the repair', async () => {
    const { app, mailer, clock } = place.build();
    mailer.answer(() => never);
    for (const name of ['one', 'two']) {
      await enqueueNotification(app, place.db, place.email({ to: { address: `${name}@example.test` } }));
    }
    for (let hours = 0; hours < 60; hours += 1) {
      await dispatchDue(app);
      clock.advance(hourMs);
    }
    expect(await place.statuses()).toEqual(['pending', 'pending', 'pending']);
    expect((await mailTroubledSince(app, place.db))?.getTime()).toBe(start.getTime());
    expect(mailer.tried.filter(({ to }) => to.address === operator).length).toBeLessThan(25);

    mailer.answer(null);
    clock.advance(6 * hourMs);
    await dispatchDue(app);
    expect(await place.statuses()).toEqual(['accepted', 'accepted', 'accepted']);
    expect(await mailTroubledSince(app, place.db)).toBeNull();
  });

  it("for an address that can't receive mail needs no further evidence", async () => {
    const { app } = place.build();
    await enqueueNotification(app, place.db, place.email({ kind: standard, to: { address: 'not an address' } }));
    await dispatchDue(app);
    expect(await place.statuses()).toEqual(['bounced']);
  });

  it('three times on three days, on each of which its domain took other mail, ends a reminder', async () => {
    const { app, mailer, clock } = place.build();
    const triedAtHours: number[] = [];
    mailer.answer(async ({ to }) => {
      if (to.address !== 'zoe@example.test') return ok;
      triedAtHours.push(Math.floor(((await clock.now()).getTime() - start.getTime()) / hourMs));
      return never;
    });
    for (const days of [0, 1, 2]) {
      const at = new Date(start.getTime() + days * dayMs);
      const to = { address: 'neighbour@example.test' };
      await enqueueNotification(app, place.db, place.email({ kind: 'billing.receipt', to, at, notBefore: at }));
    }
    await dispatchDue(app);
    await enqueueNotification(app, place.db, place.email({ kind: 'release.first_reminder' }));
    for (;;) {
      await dispatchDue(app);
      const next = await nextDueAt(app);
      if (next === null) break;
      clock.set(next);
    }
    expect(triedAtHours).toEqual([0, 24, 48]);
    expect((await place.rows()).find(({ kind }) => kind === 'release.first_reminder')).toMatchObject({
      status: 'bounced',
      refusals: 3,
    });
    expect((await clock.now()).getTime() - start.getTime()).toBeLessThan(2 * dayMs + hourMs);
  });
});

describe('a mailbox that always refuses temporarily', () => {
  const full = { to: { address: 'full@example.test' } };

  /** Moves from one due moment to the next. Returns the longest time of mail trouble. */
  async function liveThrough(days: number, { app, clock }: ReturnType<typeof place.build>) {
    const endMs = (await clock.now()).getTime() + days * dayMs;
    let troubledMs = 0;
    for (;;) {
      const next = Math.min(endMs, (await nextDueAt(app))?.getTime() ?? endMs);
      clock.set(new Date(Math.max(next, (await clock.now()).getTime())));
      const since = await mailTroubledSince(app, place.db);
      if (since) troubledMs = Math.max(troubledMs, (await clock.now()).getTime() - since.getTime());
      if (next >= endMs) return troubledMs;
      await dispatchDue(app);
    }
  }

  it('is no outage: mails to the operator show that other mail gets through, once or twice a day, and it ends as dead', async () => {
    const built = place.build();
    built.mailer.answer(({ to }) => (to.address === operator ? ok : later));
    await enqueueNotification(built.app, place.db, place.email({ ...full, kind: 'release.first_reminder' }));
    expect(await liveThrough(31, built)).toBeLessThan(dayMs);
    expect((await place.rows()).find(({ kind }) => kind === 'release.first_reminder')).toMatchObject({
      status: 'dead',
    });
    const checks = built.mailer.sent.filter(({ to }) => to.address === operator);
    expect(checks.length).toBeGreaterThanOrEqual(30);
    expect(checks.length).toBeLessThanOrEqual(60);
    const words = checks[0]?.text.replace(/\s+/g, ' ');
    expect(words).toContain('has not been accepted for half a day or longer');
    expect(words).toContain('Your mail program may file emails with this subject away');
    // One conversation in the operator's mailbox, not sixty.
    const conversations = checks.map(({ subject, headers }) => `${subject} ${headers?.References}`);
    expect([...new Set(conversations)]).toEqual([
      expect.stringMatching(/^Everkept: mail gets through <mail-check@\S+>$/),
    ]);
    expect(checks.map(({ headers }) => headers)).not.toContainEqual(expect.objectContaining({ References: undefined }));
  });

  it('sends no test mail if other mail gets through', async () => {
    const built = place.build();
    built.mailer.answer(({ to }) => (to.address === full.to.address ? later : ok));
    await enqueueNotification(built.app, place.db, place.email({ ...full }));
    for (let half = 0; half < 8; half += 1) {
      const at = await built.clock.now();
      await enqueueNotification(built.app, place.db, place.email({ at }));
      expect(await liveThrough(0.4, built)).toBeLessThan(dayMs);
    }
    expect(built.mailer.tried.map(({ to }) => to.address)).not.toContain(operator);
  });

  it('is an outage where nothing else gets through either, and no check is written while one is on its way', async () => {
    const built = place.build();
    built.mailer.answer(() => later);
    await enqueueNotification(built.app, place.db, place.email({ ...full }));
    expect(await liveThrough(2, built)).toBeGreaterThanOrEqual(dayMs);
    expect((await place.rows()).filter(({ kind }) => kind === 'operator.mail-check')).toHaveLength(1);
    expect((await place.rows()).map(({ status }) => status)).toEqual(['pending', 'pending']);
  });

  it('takes no blame for the days on which nothing left us at all, however many', async () => {
    const built = place.build();
    built.mailer.answer(() => later);
    const at = new Date(start.getTime() - 29 * dayMs);
    await enqueueNotification(built.app, place.db, place.email({ ...full, at }));
    // Earlier attempts, on days on which other mail left.
    const attempts = 120;
    expect(triedForMs(attempts)).toBeGreaterThan(28 * dayMs);
    await place.db.execute(sql`update notifications set attempts = ${attempts}`);
    await liveThrough(4, built);
    const letter = async () => (await place.rows()).find(({ kind }) => kind === 'delivery.letter');
    const waiting = await letter();
    expect(waiting?.status).toBe('pending');
    expect(waiting?.attempts).toBeGreaterThan(attempts + 14);
    expect(waiting?.attemptsInVain).toBe((waiting?.attempts ?? 0) - attempts);

    built.mailer.answer(null);
    await liveThrough(0.5, built);
    expect(await letter()).toMatchObject({ status: 'accepted' });
  });

  it('sends no test mail if it is a phone', async () => {
    const built = place.build();
    built.texter.answer(() => ({ outcome: 'temporary', replyCode: null }));
    await enqueueNotification(built.app, place.db, place.text({ kind: 'release.contact_asked' }));
    await liveThrough(2, built);
    expect((await place.rows()).map(({ kind }) => kind)).toEqual(['release.contact_asked']);
  });
});
