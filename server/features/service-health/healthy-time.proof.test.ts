import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEverkept, dayMs, type Everkept, type Owner } from '#tests/support/everkept.ts';

/** An outage of the site alone: the worker goes on, mail goes out, and nobody can press a button. */

let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const minuteMs = 60_000;
const healthyMs = async () => {
  const { rows } = await everkept.database.db.execute<{ ms: string }>(
    sql`select healthy_ms as ms from service_health where id = 1`,
  );
  return Number(rows[0]?.ms);
};
/** What a worker that asks has found, and goes on finding: the site answered once, and does not now. */
const findSite = (isThere: boolean) =>
  everkept.database.db.execute(sql`
    insert into site_watch (id, address, asked_at, answered_at, failing_since)
    select 1, 'http://localhost:3000', at, ${isThere ? sql`at` : sql`at - interval '1 hour'`}, ${isThere ? sql`null` : sql`at`}
    from (select clock_timestamp() + clock_offset_ms * interval '1 millisecond' as at from service_health) here
    on conflict (id) do update set asked_at = excluded.asked_at,
      answered_at = case when ${isThere} then excluded.asked_at else site_watch.answered_at end,
      back_at = case when ${isThere} and site_watch.failing_since is not null then excluded.asked_at else site_watch.back_at end,
      failing_since = case when ${isThere} then null else coalesce(site_watch.failing_since, excluded.asked_at) end`);

/** Lives so long in steps, as a machine does whose worker beats; it asks the site where told so, and finds it or not. */
async function liveFor(ms: number, { stepMs = minuteMs, isSiteThere }: { stepMs?: number; isSiteThere?: boolean }) {
  for (let livedMs = 0; livedMs < ms; livedMs += stepMs) {
    await everkept.database.db.execute(sql`
      update service_health set clock_offset_ms = clock_offset_ms + ${stepMs}, clock_lived_ms = clock_lived_ms + ${stepMs}`);
    if (isSiteThere !== undefined) await findSite(isSiteThere);
    await everkept.releases.beat();
  }
}

test('an outage of the site eats nothing of the time that contacts have to answer', async () => {
  const owner: Owner = await everkept.signUp();
  await everkept.write(owner);
  await everkept.befriend(owner, { name: 'Priya Shah', email: 'priya@friends.example' });
  const settings = { releaseMethod: 'inactivity', inactivityDays: 90 };
  await owner.browser.send('PUT', '/api/user/release-settings', { body: settings });
  const state = async () => (await everkept.ownersRelease.overview(owner.userId)).state;
  await everkept.live(91);
  expect(await state()).toBe('asking');

  await findSite(true);
  const before = await healthyMs();
  // Longer than the week in which contacts answer.
  await liveFor(8 * dayMs, { stepMs: 14 * minuteMs, isSiteThere: false });
  await everkept.work();
  expect(await healthyMs()).toBe(before);
  expect(await state()).toBe('asking');

  await liveFor(5 * minuteMs, { isSiteThere: true });
  // The minute in which it came back counts from its answer on.
  expect((await healthyMs()) - before).toBeGreaterThanOrEqual(4 * minuteMs);
  expect((await healthyMs()) - before).toBeLessThan(5 * minuteMs + minuteMs / 2);
  await everkept.live(8);
  expect(await state()).toMatch(/^releas/);
});

test('a site that nobody asks any more stops no time', async () => {
  await findSite(true);
  await liveFor(minuteMs, { isSiteThere: false });
  const before = await healthyMs();
  await liveFor(60 * minuteMs, {});
  expect((await healthyMs()) - before).toBeGreaterThan(54 * minuteMs);
});
