import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

const [former, present, priya] = ['07700 900551', '07700 900552', 'priya@friends.example'];

let everkept: Everkept;
let owner: Owner;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());
beforeEach(async () => {
  await everkept.database.pool.query('delete from users');
  everkept.texter.clear();
  owner = await everkept.signUp({ firstName: 'Silas' });
  await everkept.write(owner);
  await everkept.befriend(owner, { name: 'Priya Shah', email: priya });
  await everkept.givePhone(owner, former);
  await everkept.live(4);
  await everkept.signIn(owner);
});

const save = (phone: string | null) => owner.browser.send('PUT', '/api/user-profile', { body: { phone } });
const textsTo = (phone: string) => {
  const number = `+44${phone.slice(1).replace(' ', '')}`;
  return everkept.texter.sent.filter(({ to }) => to === number).map(({ text }) => text);
};

async function askEarly(): Promise<void> {
  const body = { userEmail: owner.email, contactEmail: priya, contactName: 'Priya', reason: 'There was an accident.' };
  expect((await createBrowser(everkept.app).send('POST', '/api/emergency-activate', { body })).statusCode).toBe(202);
  await everkept.work();
}

test.each([
  ['changed', present],
  ['removed', null],
])('the number before one that was %s gets a text about an early request, without a stop link', async (_, number) => {
  expect((await save(number)).statusCode).toBe(200);
  await everkept.live(29);
  everkept.texter.clear();
  await askEarly();
  const [text, ...more] = textsTo(former);
  expect(more).toEqual([]);
  expect(text).toMatch(/please sign in now: \S+\/login$/);
  expect(text).not.toMatch(/check-in|YES|Silas|Priya/);
  expect(textsTo(present), 'nobody proved the new one').toEqual([]);
  const sql = "select notice from notifications where kind = 'release.former_phone'";
  expect((await everkept.database.pool.query(sql)).rows, 'no step counts from it').toEqual([{ notice: null }]);
});

test('the number before gets no text after 30 days, and is then deleted', async () => {
  await save(present);
  await everkept.live(30);
  everkept.texter.clear();
  await askEarly();
  expect(textsTo(former)).toEqual([]);
  await everkept.live(1);
  const { rows } = await everkept.database.pool.query('select former_phone, former_phone_until from users');
  expect(rows).toEqual([{ former_phone: null, former_phone_until: null }]);
});
