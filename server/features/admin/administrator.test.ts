import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addPasskey,
  beginSignIn,
  codeAt,
  confirmPaths,
  factorsPath,
  setUpAuthenticator,
  usePasskeyAt,
} from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { type Browser, createBrowser } from '#tests/support/app.ts';
import { adminEmail, createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { contractRoutes } from '#tests/support/routes.ts';

const routes = contractRoutes.filter(({ route }) => route.access === 'administrator').map(({ route }) => route);
const nobody = '00000000-0000-4000-8000-000000000000';

let everkept: Everkept;
let administrator: Owner;

beforeAll(async () => {
  everkept = await createEverkept();
  administrator = await everkept.signUp({ email: adminEmail, hasPasskey: false });
});
afterAll(() => everkept.close());

let rounds = 0;
/** Answers of all administration routes to this browser: the kind of refusal, or `open` if the route went further. */
async function answersTo(browser: Browser): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  // From another address each time, so that no call is one too many within its minute.
  rounds += 1;
  const headers = { 'x-forwarded-for': `203.0.113.${rounds}` };
  for (const { method, path } of routes) {
    const body = method === 'GET' ? {} : { body: {} };
    const answer = await browser.send(method, path.replace(':id', nobody), { headers, ...body });
    const isRefused = answer.statusCode === 401 || answer.statusCode === 403;
    answers[`${method} ${path}`] = isRefused ? answer.json().type : 'open';
  }
  return answers;
}
const expectAll = async (browser: Browser, type: string) =>
  expect(await answersTo(browser)).toEqual(
    Object.fromEntries(routes.map(({ method, path }) => [`${method} ${path}`, type])),
  );

const minutes = (count: number) => everkept.jump(count / 1440);
const again = async ({ browser, email, password }: Owner) =>
  browser.send('POST', '/api/login', { body: { email, password } });
const reauthenticate = (body: Record<string, string>) =>
  administrator.browser.send('POST', '/api/user/reauthenticate', { body });
const forgetSecondStep = () =>
  everkept.database.pool.query('update sessions set second_factor_at = null where user_id = $1', [
    administrator.userId,
  ]);
const read = async (browser: Browser) => (await browser.send('GET', '/api/admin/users-temp')).statusCode;

describe('administration', () => {
  test('is open to the designated administrator only, for any value of `role`', async () => {
    expect(routes.length).toBeGreaterThan(8);
    const other = await everkept.signUp();
    await everkept.database.pool.query("update users set role = 'admin' where id = $1", [other.userId]);
    await expectAll(other.browser, 'FORBIDDEN');
    await expectAll(createBrowser(everkept.app), 'UNAUTHENTICATED');
  });

  test('is closed to the administrator without a second factor, even after a fresh sign-in, and says where to set one up', async () => {
    await expectAll(administrator.browser, 'SECOND_FACTOR_REQUIRED');
    expect((await reauthenticate({ password: administrator.password })).statusCode).toBe(200);
    await expectAll(administrator.browser, 'SECOND_FACTOR_REQUIRED');
    const answer = await administrator.browser.send('GET', '/api/admin/users-temp');
    expect([answer.statusCode, answer.json().message]).toEqual([403, expect.stringContaining('Privacy & Security')]);
  });

  test('asks a session that was there before the authenticator app for its code; the password is not enough', async () => {
    const before = { ...administrator, browser: createBrowser(everkept.app) };
    expect((await again(before)).statusCode).toBe(200);
    expect(await read(before.browser)).toBe(403);

    const setUpMs = Date.now();
    const { secret } = await setUpAuthenticator(administrator.browser, setUpMs);
    await expectAll(administrator.browser, 'open');
    await expectAll(before.browser, 'UNAUTHENTICATED');

    // An older session without its second step, from a time in which a new factor ended no sessions.
    await forgetSecondStep();
    await expectAll(administrator.browser, 'REAUTHENTICATION_REQUIRED');
    const { password } = administrator;
    expect((await reauthenticate({ password })).statusCode).toBe(200);
    await expectAll(administrator.browser, 'REAUTHENTICATION_REQUIRED');
    const used = await reauthenticate({ password, code: codeAt(secret, setUpMs) });
    expect([used.statusCode, used.json()]).toMatchObject([400, { issues: [{ path: 'code' }] }]);
    // The next code of the app: it counts half a minute early, since telephones are late.
    const next = codeAt(secret, Date.now() + 30_000);
    const wrong = await reauthenticate({ password: 'not the password', code: next });
    expect([wrong.statusCode, wrong.json()]).toMatchObject([400, { issues: [{ path: 'password' }] }]);
    await expectAll(administrator.browser, 'REAUTHENTICATION_REQUIRED');
    expect((await reauthenticate({ password, code: next })).statusCode).toBe(200);
    await expectAll(administrator.browser, 'open');
  });

  test('allows a session that passed its second factor to read on, and asks again before it writes', async () => {
    await minutes(11);
    const answers = await answersTo(administrator.browser);
    for (const { path } of routes.filter(({ method }) => method === 'GET')) expect(answers[`GET ${path}`]).toBe('open');
    const verify = () => administrator.browser.send('POST', `/api/admin/verify-user/${administrator.userId}`);
    expect((await verify()).json().type).toBe('REAUTHENTICATION_REQUIRED');
    await reauthenticate({ password: administrator.password });
    expect((await verify()).statusCode).toBe(200);
  });

  test('is opened by a passkey too, in place of password and code', async () => {
    const { passkey } = await addPasskey(administrator.browser);
    await forgetSecondStep();
    await expectAll(administrator.browser, 'REAUTHENTICATION_REQUIRED');
    const { answer } = await usePasskeyAt(administrator.browser, passkey, confirmPaths);
    expect(answer.statusCode).toBe(200);
    await expectAll(administrator.browser, 'open');
  });

  test('is not reached by a sign-in that stops before its second step', async () => {
    const { browser } = administrator;
    const waiting = await beginSignIn({ app: everkept.app } as Parameters<typeof beginSignIn>[0], administrator);
    await expectAll(waiting, 'UNAUTHENTICATED');
    expect(await read(browser)).toBe(200);
  });

  test('closes once the last second factor is gone', async () => {
    const { browser } = administrator;
    const { passkeys } = (await browser.send('GET', factorsPath)).json<{ passkeys: { id: string }[] }>();
    for (const { id } of passkeys) await browser.send('DELETE', `/api/user/passkeys/${id}`);
    expect((await browser.send('DELETE', `${factorsPath}/authenticator`)).statusCode).toBe(204);
    await expectAll(browser, 'SECOND_FACTOR_REQUIRED');
  });

  test('ends twenty idle minutes after the last act', async () => {
    await minutes(21);
    expect(await read(administrator.browser)).toBe(401);
  });
});
