import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { adminStateSchema } from '#shared/contract/admin-state.ts';
import { createBrowser } from '#tests/support/app.ts';
import { adminEmail, createEverkept, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;
let administrator: Owner;
let owner: Owner;
const path = '/api/admin/state';
const hour = 3_600_000;

beforeAll(async () => {
  everkept = await createEverkept();
  owner = await everkept.signUp({ firstName: 'Winifred', lastName: 'Ashdown' });
  await everkept.write(owner, { title: 'Under the stairs', content: 'The blue tin.' });
  administrator = await everkept.signUp({ email: adminEmail });
});
afterAll(() => everkept.close());
beforeEach(() => everkept.releases.beat());

const run = (statement: ReturnType<typeof sql>) => everkept.database.db.execute(statement);
async function read() {
  const answer = await administrator.browser.send('GET', path);
  expect(answer.statusCode).toBe(200);
  return adminStateSchema.parse(answer.json());
}
const here = sql`(select clock_timestamp() + clock_offset_ms * interval '1 millisecond' from service_health)`;

describe('the state of the service', () => {
  test('is told whole on a quiet day', async () => {
    await everkept.work();
    const state = await read();
    expect(state).toMatchObject({
      isOperatorSet: true,
      worker: { state: 'runs' },
      site: { state: 'unknown', address: 'http://localhost:3000', answeredAt: null },
      clock: { isRight: true, behindUntil: null },
      mail: { isSetUp: true, waiting: 0, failing: 0, oldestDueAt: null, givenUp: 0, troubledSince: null },
      texts: { isSetUp: true, waiting: 0, accepted: 0 },
      releases: { open: [], frozen: null, silenceStoppedAt: null, frozenOwners: 0, heldMailboxes: 0, earlyReviews: 0 },
      seals: { isLate: false, broken: 0 },
      log: { anchoredOn: state.at.toISOString().slice(0, 10) },
      alerts: [],
    });
    expect(state.mail.accepted).toBeGreaterThan(0);
  });

  test('is refused to everybody but the administrator, and tells them nothing', async () => {
    const refusal = { type: 'FORBIDDEN', message: 'Only the administrator can do this.' };
    const others = [await owner.browser.send('GET', path), await createBrowser(everkept.app).send('GET', path)];
    expect(others.map(({ statusCode }) => statusCode)).toEqual([403, 401]);
    expect(others[0]?.json()).toEqual(refusal);
  });

  test('holds no name, address, title or letter, in any state', async () => {
    await everkept.befriend(owner, { name: 'Priya Shah', email: 'priya@friends.example' });
    const { body } = await administrator.browser.send('GET', path);
    expect(body).not.toMatch(/Winifred|Ashdown|people\.example|friends\.example|Priya|stairs|blue tin/);
    expect(body).not.toContain(owner.userId);
  });

  test('is read again and again without a trace: no row changes, no session stays awake', async () => {
    await everkept.jump(5 / 1_440);
    const before = await dumpRows(everkept.database, { except: ['rate_limits'] });
    expect(before.some((row) => row.startsWith('public.sessions:'))).toBe(true);
    for (let polls = 0; polls < 5; polls += 1) await read();
    expect(await dumpRows(everkept.database, { except: ['rate_limits'] })).toEqual(before);
    // The administrator's idle time goes on: after twenty minutes of polling alone the session wants proof again.
    await everkept.jump(16 / 1_440);
    expect((await administrator.browser.send('GET', path)).statusCode).not.toBe(200);
    await everkept.signIn(administrator);
  });

  test('says when the worker was last heard of, and that none ever ran', async () => {
    await run(sql`update service_health set last_beat_at = ${here} - interval '15 minutes'`);
    const { worker, at } = await read();
    expect(worker.state).toBe('silent');
    expect(at.getTime() - (worker.lastBeatAt?.getTime() ?? 0)).toBeGreaterThanOrEqual(15 * 60_000);
    await run(sql`update service_health set last_beat_at = null`);
    expect((await read()).worker).toEqual({ state: 'never', lastBeatAt: null });
  });

  test('says how the site looks from outside, and nothing of another address or of long ago', async () => {
    await run(sql`insert into site_watch (address, asked_at, answered_at)
      select 'http://localhost:3000', at, at from (select ${here} as at) now`);
    expect((await read()).site).toMatchObject({ state: 'answers', silentSince: null });
    await run(sql`update site_watch set failing_since = asked_at, reason = 'CERT_HAS_EXPIRED'`);
    const { site } = await read();
    expect(site).toMatchObject({ state: 'silent', reason: 'CERT_HAS_EXPIRED' });
    expect(site.silentSince).not.toBeNull();
    await run(sql`update site_watch set asked_at = asked_at - interval '10 minutes'`);
    expect((await read()).site.state).toBe('unknown');
    await run(sql`update site_watch set address = 'https://before.example', asked_at = ${here}`);
    expect((await read()).site).toMatchObject({ state: 'unknown', answeredAt: null });
  });

  test('counts mail and texts apart: what waits, fails and was given up, and how long the oldest waits', async () => {
    await everkept.work();
    const write = (given: { channel: string; status: string; attempts: number; hoursAgo: number }) =>
      run(sql`insert into notifications (id, channel, kind, dedupe_key, message_id, status, attempts, not_before,
          next_attempt_at, ended_at, created_at)
        select ${randomUUID()}::uuid, ${given.channel}, 'test', ${randomUUID()}, 'x', ${given.status}, ${given.attempts}, at,
          case when ${given.status} = 'pending' then at + interval '400 days' end,
          case when ${given.status} in ('dead', 'bounced') then at end, at
        from (select ${here} - ${given.hoursAgo} * interval '1 hour' as at) then_`);
    await write({ channel: 'email', status: 'pending', attempts: 3, hoursAgo: 5 });
    await write({ channel: 'email', status: 'pending', attempts: 0, hoursAgo: 2 });
    await write({ channel: 'email', status: 'pending', attempts: 0, hoursAgo: -24 });
    await write({ channel: 'email', status: 'bounced', attempts: 3, hoursAgo: 24 });
    await write({ channel: 'email', status: 'dead', attempts: 3, hoursAgo: 24 * 8 });
    await write({ channel: 'sms', status: 'dead', attempts: 3, hoursAgo: 1 });
    const { mail, texts, at } = await read();
    expect(mail).toMatchObject({ waiting: 2, failing: 1, givenUp: 1 });
    expect(texts).toMatchObject({ waiting: 0, failing: 0, givenUp: 1, oldestDueAt: null });
    const oldestMs = at.getTime() - (mail.oldestDueAt?.getTime() ?? 0);
    expect(oldestMs).toBeGreaterThan(5 * hour - 1_000);
    expect(oldestMs).toBeLessThan(5 * hour + 60_000);
    await run(sql`delete from notifications where kind = 'test'`);
  });

  test('says since when no mail was accepted, once that is longer than a round', async () => {
    await run(sql`update service_health set mail_troubled_since = ${here} - interval '10 minutes'`);
    expect((await read()).mail.troubledSince).toBeNull();
    await run(sql`update service_health set mail_troubled_since = ${here} - interval '20 minutes'`);
    expect((await read()).mail.troubledSince).not.toBeNull();
    await run(sql`update service_health set mail_troubled_since = null`);
  });

  test('says who stopped releases, since when and why: the operator, the breaker, a name, a mailbox', async () => {
    const { releases } = everkept;
    await releases.freeze('A look at the clock.');
    const { frozen } = (await read()).releases;
    expect(frozen).toMatchObject({ by: 'operator', reason: 'A look at the clock.' });
    await releases.resume();
    await run(sql`update service_health set silence_stopped_at = ${here}`);
    await releases.freezeOwner(owner.email);
    const stopped = (await read()).releases;
    expect(stopped.frozen).toBeNull();
    expect(stopped.silenceStoppedAt).not.toBeNull();
    expect(stopped.frozenOwners).toBe(1);
    await releases.resumeOwner(owner.email);
    await run(sql`update service_health set silence_stopped_at = null`);
  });

  test('says that the clock was ahead, that seals are broken, and that the check of them is late', async () => {
    await run(sql`update service_health set highest_seen_at = ${here} + interval '3 days'`);
    const ahead = (await read()).clock;
    expect(ahead.isRight).toBe(false);
    expect(ahead.behindUntil).not.toBeNull();
    await run(sql`update service_health set highest_seen_at = null`);
    await run(sql`insert into integrity_rounds (started_at, finished_at)
      select at, at from (select ${here} - interval '10 days' as at) now`);
    await run(sql`insert into integrity_events (table_name, column_name, row_id, first_seen_at, last_seen_at)
      select 'messages', 'content', ${randomUUID()}, at, at from (select ${here} as at) now`);
    expect((await read()).seals).toMatchObject({ isLate: true, broken: 1 });
  });

  test('names what the operator is being told of', async () => {
    await run(sql`insert into service_alerts (trouble, since, is_told, told_at)
      select 'worker', at, true, at from (select ${here} as at) now`);
    await run(sql`insert into service_alerts (trouble, since) select 'site', ${here}`);
    const { alerts } = await read();
    expect(alerts.map(({ trouble, toldAt }) => [trouble, toldAt !== null])).toEqual([
      ['worker', true],
      ['site', false],
    ]);
  });
});
