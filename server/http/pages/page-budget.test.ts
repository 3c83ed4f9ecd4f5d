import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRateLimits } from '#server/http/rate-limits.ts';
import { type BarePages, createBarePages } from '#tests/support/bare-pages.ts';
import { createTestDatabase } from '#tests/support/database.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { testBaseUrl } from '#tests/support/installation/test-settings.ts';

const generalLimit = 3;
const token = 'A'.repeat(43);
let everkept: Everkept;
let pages: BarePages;
let isDatabaseGone = false;
let callers = 0;
let address = '';

beforeAll(async () => {
  pages = await createBarePages();
  const database = await createTestDatabase();
  const limits = createRateLimits({ db: database.db, generalLimit });
  everkept = await createEverkept({
    database,
    distDir: pages.distDir,
    limits: () => ({
      ...limits,
      spendGeneral: (from) => (isDatabaseGone ? Promise.reject(new Error('no database')) : limits.spendGeneral(from)),
    }),
  });
});
afterAll(async () => {
  await everkept.close();
  await pages.remove();
});
beforeEach(() => {
  callers += 1;
  address = `198.51.100.${callers}`;
});

const get = (url: string) => everkept.app.inject({ url, remoteAddress: address });
const post = (url: string, fields: [string, string][]) =>
  everkept.app.inject({
    method: 'POST',
    url,
    remoteAddress: address,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: testBaseUrl,
      'sec-fetch-site': 'same-origin',
    },
    payload: new URLSearchParams(fields).toString(),
  });

async function spendBudget(): Promise<void> {
  for (let time = 0; time < generalLimit; time += 1) expect((await get('/faq')).statusCode).toBe(200);
}

describe('a page over the budget of its client', () => {
  test.each([
    '/',
    '/faq',
    '/messages',
    '/login',
    `/reset-password/${token}`,
    `/message/${token}`,
    `/check-in/${token}`,
  ])('at %s is a page that says when to try again', async (url) => {
    await spendBudget();
    const { statusCode, headers, body } = await get(url);
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      429,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    const seconds = Number(headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(body).toContain(`You can try again in ${seconds} seconds.`);
    expect(body).not.toContain(token);
  });

  test('leaves files of the web, probes and other clients alone', async () => {
    await spendBudget();
    const statuses = [];
    for (const url of ['/favicon.svg', '/robots.txt', '/healthz', '/readyz'])
      statuses.push((await get(url)).statusCode);
    expect(statuses).toEqual([200, 200, 200, 200]);
    address = '203.0.113.9';
    expect((await get('/faq')).statusCode).toBe(200);
  });

  test('is served if the budget cannot be counted', async () => {
    isDatabaseGone = true;
    expect((await get('/faq')).statusCode).toBe(200);
    isDatabaseGone = false;
  });
});

describe('a form of a page over the budget of its client', () => {
  test('is answered with all that was typed, and the password is asked for again', async () => {
    await spendBudget();
    const email = '"><script>alert(1)</script>@family.example';
    const { statusCode, headers, body } = await post('/login', [
      ['email', email],
      ['password', 'the pear tree'],
      ['question', '3'],
    ]);
    expect([statusCode, headers['content-type'], headers['referrer-policy']]).toEqual([
      429,
      'text/html; charset=utf-8',
      'same-origin',
    ]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(body).toContain('name="email" value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;@family.example"');
    expect(body).toContain('name="question" value="3"');
    expect(body).toContain('type="password" name="password" required');
    expect(body).not.toContain('pear tree');
  });

  test('a large form is refused unread, and a small one keeps the typed text', async () => {
    await spendBudget();
    // A body beyond 64 kB that was read would be answered with 413.
    const large = await post('/login', [['email', 'a'.repeat(100_000)]]);
    expect([large.statusCode, large.headers.connection]).toEqual([429, 'close']);
    expect(large.headers['content-type']).toBe('text/html; charset=utf-8');
    const medium = await post('/login', [['email', 'b'.repeat(20_000)]]);
    expect([medium.statusCode, medium.body.includes('bbbb')]).toEqual([429, false]);
    const small = await post('/login', [['email', 'c'.repeat(10_000)]]);
    expect([small.statusCode, small.body.includes('cccc')]).toEqual([429, true]);
  });

  test.each([`/message/${token}`, `/check-in/${token}`, `/trusted-contact-admin/${token}`, `/news/${token}`])(
    'at %s is a page',
    async (url) => {
      await spendBudget();
      const { statusCode, headers, body } = await post(url, [
        ['press', 'stop'],
        ['reason', 'I was at the funeral.'],
      ]);
      expect([statusCode, headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
      // The envelope of a letter has nothing to type.
      if (!url.startsWith('/message/')) expect(body).toContain('value="I was at the funeral."');
    },
  );
});
