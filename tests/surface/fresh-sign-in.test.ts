import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setUpAuthenticator } from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

const quarterOfAnHour = 1 / 24 / 4;
const settings = { releaseMethod: 'trusted_contact', inactivityDays: 180 };
const preferences = { quorum: 2, waitingDays: 3, answerDays: 14 };
const profile = { phone: '07700 900123', ...settings };
const priya = { name: 'Priya Shah', email: 'priya@friends.example', phone: '07700 900456', relationship: 'Sister' };

let everkept: Everkept;
let owner: Owner;
let contactPath: string;

/** An owner who has chosen everything, and whose session was left open since. */
beforeAll(async () => {
  everkept = await createEverkept();
  owner = await everkept.signUp();
  contactPath = `/api/trusted-contacts/${await everkept.befriend(owner, priya)}`;
  for (const [path, body] of [
    [contactPath, { ...priya, isActive: true }],
    ['/api/user-profile', profile],
    ['/api/release/preferences', preferences],
  ] as const) {
    expect((await owner.browser.send('PUT', path, { body })).statusCode).toBe(200);
  }
  await everkept.jump(quarterOfAnHour);
});
afterAll(() => everkept.close());

/** A path is asked for when it is called, since the contact's is known only then. */
type Call = [method: 'POST' | 'PUT' | 'DELETE', path: () => string, body?: object];
const send = ([method, path, body]: Call) => owner.browser.send(method, path(), body ? { body } : {});

/** All that the calls below could change. */
async function kept() {
  const paths = ['/api/trusted-contacts', '/api/user-profile', '/api/user/release-settings', '/api/release'];
  const answers = [];
  for (const path of paths) answers.push((await owner.browser.send('GET', path)).json());
  return answers;
}

const contacts = () => '/api/trusted-contacts';
const contact = () => contactPath;
const userProfile = () => '/api/user-profile';
const releaseSettings = () => '/api/user/release-settings';
const away = () => '/api/release/away';
const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
const releasePreferences = () => '/api/release/preferences';

describe('a session that was left open for more than ten minutes', () => {
  const harmful: [string, Call][] = [
    ['adds no contact', ['POST', contacts, { name: 'Tom', email: 'tom@friends.example' }]],
    ['gives a contact no other address', ['PUT', contact, { ...priya, email: 'mallory@elsewhere.example' }]],
    ['gives a contact no other phone', ['PUT', contact, { ...priya, phone: '07700 900999' }]],
    ['switches no contact off', ['PUT', contact, { ...priya, isActive: false }]],
    ['removes no contact', ['DELETE', contact]],
    ['changes no method', ['PUT', releaseSettings, { ...settings, releaseMethod: 'inactivity' }]],
    ['changes no period', ['PUT', releaseSettings, { ...settings, inactivityDays: 90 }]],
    ['changes not who must confirm', ['PUT', releasePreferences, { ...preferences, quorum: 1 }]],
    ['changes no waiting period', ['PUT', releasePreferences, { ...preferences, waitingDays: 0 }]],
    ['changes no days to answer', ['PUT', releasePreferences, { ...preferences, answerDays: 0 }]],
    ['says not that its owner is away', ['PUT', away, { until: inAMonth }]],
    ['changes no phone of its owner', ['PUT', userProfile, { phone: '07700 900999' }]],
    ['changes no settings through the wizard', ['PUT', userProfile, { ...profile, inactivityDays: 365 }]],
  ];
  test.each(harmful)('%s', async (_, call) => {
    const before = await kept();
    const answer = await send(call);
    expect([answer.statusCode, answer.json().type]).toEqual([403, 'REAUTHENTICATION_REQUIRED']);
    expect(await kept()).toEqual(before);
  });

  const harmless: [string, Call][] = [
    ['corrects a name and a relationship', ['PUT', contact, { ...priya, name: 'Priya S.', relationship: 'Friend' }]],
    ['saves settings as they are', ['PUT', releaseSettings, settings]],
    ['saves preferences as they are', ['PUT', releasePreferences, preferences]],
    ['saves a profile as it is', ['PUT', userProfile, profile]],
    ['says that its owner is back', ['PUT', away, { until: null }]],
    ['checks in', ['POST', () => '/api/checkin']],
    ['stops a release', ['POST', () => '/api/release/stop']],
  ];
  test.each(harmless)('%s', async (_, call) => {
    expect((await send(call)).statusCode).toBe(200);
  });

  test('does all of it once the password was given again, and is asked no more for ten minutes', async () => {
    const { password } = owner;
    expect((await owner.browser.send('POST', '/api/user/reauthenticate', { body: { password } })).statusCode).toBe(200);
    const answers = [
      await send(['POST', contacts, { name: 'Tom', email: 'tom@friends.example' }]),
      await send(['PUT', contact, { ...priya, email: 'priya@post.example' }]),
      await send(['PUT', releaseSettings, { releaseMethod: 'inactivity', inactivityDays: 90 }]),
      await send(['PUT', releasePreferences, { quorum: 1, waitingDays: 0, answerDays: 7 }]),
      await send(['PUT', userProfile, { phone: '07700 900999' }]),
      await send(['DELETE', contact]),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 200, 200, 200, 200, 204]);
  });
});

describe('fewer waiting days, which the wizard can set before an address is verified,', () => {
  const none = { quorum: 1, waitingDays: 0, answerDays: 7 };
  const choose = ({ browser }: Owner, body: object = none) => browser.send('PUT', releasePreferences(), { body });
  const waitingDays = async ({ userId }: Owner) =>
    (await everkept.database.pool.query('select release_waiting_days as days from users where id = $1', [userId]))
      .rows[0].days;
  const later = ({ userId }: Owner) =>
    everkept.database.pool.query(
      `update sessions set authenticated_at = authenticated_at - interval '11 minutes' where user_id = $1`,
      [userId],
    );

  test('are refused to a session without a verified address that was left open, whatever comes with them', async () => {
    const unverified = await everkept.signUp({ isVerified: false });
    await later(unverified);
    for (const body of [none, { ...none, quorum: 3 }, { ...none, waitingDays: 2, answerDays: 30 }]) {
      const answer = await choose(unverified, body);
      expect([answer.statusCode, answer.json().type]).toEqual([403, 'REAUTHENTICATION_REQUIRED']);
    }
    expect(await waitingDays(unverified)).toBe(3);
    await everkept.signIn(unverified);
    expect((await choose(unverified)).statusCode).toBe(200);
  });

  test('are refused to a sign-in that stops before its second step, and to a session that never passed it', async () => {
    const guarded = await everkept.signUp();
    // The codes of an app follow the clock of this machine.
    await setUpAuthenticator(guarded.browser, Date.now());
    await everkept.database.pool.query('update sessions set second_factor_at = null where user_id = $1', [
      guarded.userId,
    ]);
    const never = await choose(guarded);
    expect([never.statusCode, never.json()]).toMatchObject([
      403,
      { type: 'REAUTHENTICATION_REQUIRED', issues: [{ path: 'code' }] },
    ]);
    const half = { ...guarded, browser: createBrowser(everkept.app) };
    const { email, password } = guarded;
    expect((await half.browser.send('POST', '/api/login', { body: { email, password } })).statusCode).toBe(202);
    expect((await choose(half)).statusCode).toBe(401);
    expect(await waitingDays(guarded)).toBe(3);
  });
});
