import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { beginningOfLondonDay, londonDay } from '#shared/rules/london-day.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

const quarterOfAnHour = 1 / 24 / 4;

let everkept: Everkept;
let owner: Owner;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());
beforeEach(async () => {
  await everkept.database.pool.query('delete from users');
  owner = await everkept.signUp({ firstName: 'Ines' });
});

const now = () => createDatabaseClock(everkept.database.db, { testClock: true }).now();
const inDays = async (days: number) => londonDay((await now()).getTime() + days * dayMs);
const say = (until: unknown, path = '/api/release/away') =>
  owner.browser.send('PUT', path, { body: typeof until === 'object' && until ? until : { until } });
const overview = async (): Promise<ReleaseOverview> => (await owner.browser.send('GET', '/api/release')).json();
const pointsOf = ({ timeline }: ReleaseOverview) => timeline.map(({ what, at }) => [what, londonDay(Date.parse(at))]);
const kindsSent = async () => {
  const sql = 'select kind from notifications where user_id = $1 order by created_at, id';
  return (await everkept.database.pool.query(sql, [owner.userId])).rows.map(({ kind }) => kind);
};

describe('an owner who goes away', () => {
  test('says until when, and silence is counted from that day', async () => {
    const until = await inDays(100);
    const answer = await say(until);
    expect(answer.statusCode).toBe(200);
    expect(answer.json().awayUntil).toBe(until);
    const shown = await overview();
    expect(shown.awayUntil).toBe(until);
    // Whole days of twenty-four hours from its first moment, whatever clocks do meanwhile.
    const dayAfter = (days: number) => londonDay(beginningOfLondonDay(until).getTime() + days * dayMs);
    expect(pointsOf(shown)).toEqual([
      ['last_activity', await inDays(0)],
      ['away_until', until],
      ['next_checkin', dayAfter(30)],
      ['first_reminder', dayAfter(45)],
      ['last_reminder', dayAfter(80)],
      ['contacts_asked', dayAfter(90)],
      ['automatic_delivery', dayAfter(97)],
    ]);
    expect((await owner.browser.send('GET', '/api/user/activity')).json().entries[0].words).toBe(
      'You said how long you are away, or that you are back',
    );
  });

  test('is left alone until then, and reminded from then on', async () => {
    await say(await inDays(60));
    await everkept.live(89);
    expect(await kindsSent()).not.toContain('release.nudge');
    await everkept.live(2);
    expect(await kindsSent()).toContain('release.nudge');
    expect((await everkept.ownersRelease.overview(owner.userId)).awayUntil).toBeNull();
    await everkept.live(15);
    expect(await kindsSent()).toContain('release.first_reminder');
  });

  test('shows life by saying so', async () => {
    const before = await overview();
    await everkept.jump(quarterOfAnHour / 3);
    await say(await inDays(10));
    expect((await overview()).lastActivityAt > before.lastActivityAt).toBe(true);
  });

  test('takes it back at any time, without a fresh sign-in, and silence counts from that day', async () => {
    await say(await inDays(180));
    await everkept.jump(quarterOfAnHour);
    const answer = await say(null);
    expect([answer.statusCode, answer.json().awayUntil]).toEqual([200, null]);
    expect(pointsOf(await overview())).toContainEqual(['first_reminder', await inDays(45)]);
  });

  test('needs a fresh sign-in to say so, and to make it later', async () => {
    // The quarter of an hour may lead over midnight.
    const until = await inDays(10);
    await say(until);
    await everkept.jump(quarterOfAnHour);
    const later = await say(await inDays(20));
    expect([later.statusCode, later.json().type]).toEqual([403, 'REAUTHENTICATION_REQUIRED']);
    expect((await overview()).awayUntil).toBe(until);
    expect((await say(until)).statusCode, 'as it is').toBe(200);
  });

  test.each([
    ['today', 0],
    ['a day that is over', -1],
    ['a day too far ahead', 181],
  ])('is refused %s, and nothing is changed', async (_, days) => {
    const answer = await say(await inDays(days));
    expect([answer.statusCode, answer.json().type]).toEqual([400, 'VALIDATION']);
    expect(answer.json().issues).toMatchObject([{ path: 'until', message: expect.stringMatching(/^Choose a day /) }]);
    expect((await overview()).awayUntil).toBeNull();
  });

  test.each([['2027-02-30'], ['next week'], [20_270_201], ['2027-02-01T10:00:00Z'], [undefined]])(
    'is refused for an invalid day: %j',
    async (until) => {
      expect((await say({ until })).statusCode).toBe(400);
      expect((await overview()).awayUntil).toBeNull();
    },
  );

  test('can say so with the other preferences, which leave it alone where they do not name it', async () => {
    const preferences = { quorum: 1, waitingDays: 3, answerDays: 7 };
    const path = '/api/release/preferences';
    expect((await say({ ...preferences, awayUntil: await inDays(30) }, path)).json().awayUntil).toBe(await inDays(30));
    expect((await say(preferences, path)).json().awayUntil).toBe(await inDays(30));
    expect((await say({ ...preferences, awayUntil: null }, path)).json().awayUntil).toBeNull();
  });

  test('can say so before the address is verified, as the wizard asks', async () => {
    owner = await everkept.signUp({ isVerified: false });
    expect((await say(await inDays(30))).statusCode).toBe(200);
  });

  test('sees dates that count from a check-in by link meanwhile', async () => {
    await everkept.live(31);
    const token = everkept.tokenFor(owner.email, '/check-in/');
    await everkept.signIn(owner);
    await everkept.live(30.1);
    const link = everkept.tokenFor(owner.email, '/check-in/');
    expect(link).not.toBe(token);
    const awayUntil = new Date((await now()).getTime() + 50 * dayMs);
    await everkept.database.pool.query('update users set away_until = $1 where id = $2', [awayUntil, owner.userId]);
    const { timeline } = (await owner.browser.send('POST', `/api/check-in/${link}`)).json();
    expect(timeline.map(({ what }: { what: string }) => what)).toEqual([
      'away_until',
      'next_checkin',
      'first_reminder',
      'last_reminder',
      'contacts_asked',
      'automatic_delivery',
    ]);
    expect(londonDay(Date.parse(timeline[2].at))).toBe(await inDays(95));
  });
});

test('the monthly mail asks whether its owner goes away', async () => {
  await everkept.live(31);
  const nudge = everkept.mailer.sent.findLast(({ to }) => to.address === owner.email);
  expect(nudge?.text).toContain('Going away? Tell us until when');
});
