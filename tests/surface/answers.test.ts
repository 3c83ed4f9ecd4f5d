import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { contractRoutes } from '#tests/support/routes.ts';

/** Properties of the whole installation, and of every answer. */

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const yearsDays = 800;

test('a new installation has no account', async () => {
  const { rows } = await everkept.database.pool.query('select id from users');
  expect(rows).toEqual([]);
});

test('every answer to a look says what it is, and texts in which characters', async () => {
  const owner = await everkept.signUp();
  const looks = contractRoutes.filter(({ route }) => route.method === 'GET');
  const said: string[] = [];
  for (const browser of [owner.browser, createBrowser(everkept.app)]) {
    for (const { name, route } of looks) {
      const { statusCode, headers, body } = await browser.send('GET', route.path.replace(/:\w+/g, 'A'.repeat(43)));
      if (body === '') continue;
      const type = String(headers['content-type']);
      if (!/^[a-z]+\/[a-z.+-]+(; charset=utf-8)?$/.test(type)) said.push(`${name} ${statusCode}: ${type}`);
      if (/^(text|application\/json)/.test(type) && !type.includes('charset=utf-8')) said.push(`${name}: ${type}`);
    }
  }
  expect(looks.length).toBeGreaterThan(30);
  expect(said).toEqual([]);
});

test('a password lasts until a person changes it', async () => {
  const owner = await everkept.signUp();
  await everkept.jump(yearsDays);
  await everkept.signIn(owner);
  expect((await owner.browser.send('GET', '/api/user')).statusCode).toBe(200);
});
