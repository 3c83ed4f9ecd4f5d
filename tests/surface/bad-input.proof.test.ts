import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sessions } from '#server/schema/accounts.tables.ts';
import { errorBodySchema } from '#shared/contract/errors.ts';
import type { Route } from '#shared/contract/route.ts';
import { sessionCookieNames } from '#tests/support/app.ts';
import { createEverkept, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';
import {
  answeringRoutes,
  bodyOf,
  call,
  createWorld,
  googleVouchingFor,
  type Sent,
  type World,
} from '#tests/support/everkept-world.ts';
import { contractRoutes } from '#tests/support/routes.ts';

let everkept: Everkept;
let world: World;

beforeAll(async () => {
  everkept = await createEverkept({ google: googleVouchingFor(() => 'olive@people.example') });
});
afterAll(() => everkept.close());

// Webhooks are not JSON, and count only with their signature.
const withBody = contractRoutes.filter(({ route }) => route.body !== undefined && !route.urlEncoded);
const withParameters = contractRoutes.filter(({ route }) => route.path.includes(':'));

const longText = 'x'.repeat(1_000_000);
const deepArray = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
const deepObject = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
/** A lone surrogate cannot be sent as UTF-8, but JSON can name one. */
const loneSurrogate = '\\ud800';

/** In place of one field's value, as JSON. */
const oddValues: Record<string, string> = {
  'a long text': JSON.stringify(longText),
  'letters that grow when they are normalised': JSON.stringify('\ufdfa'.repeat(300_000)),
  NUL: '"a\\u0000b"',
  'a lone surrogate': `"a${loneSurrogate}b"`,
  'line breaks': '"a\\r\\nBcc: everybody@elsewhere.example"',
  'a list': '["a","b"]',
  'an object': '{"a":1}',
  'a number': '7',
  'a number that is too large': '1e309',
  'a number that is too small': '-1e309',
  'a fraction': '90.5',
  'a large whole number': '9007199254740993',
  'a yes': 'true',
  nothing: 'null',
  'no letters': '""',
  'white space': '" \\t\\u2003 "',
  'a path': '"../../../../etc/passwd"',
  SQL: JSON.stringify("'; drop table users; --"),
  'a template': '"{{7*7}}<%= 7*7 %>#{7*7}"',
  depth: deepArray,
  'a prototype': '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}',
};

const oddBodies: Record<string, string> = {
  nothing: '',
  'half an object': '{"title": "a"',
  'no JSON': 'title=a',
  'a text': '"title"',
  'a number': '1e309',
  null: 'null',
  'a list': '[]',
  'a list of lists': deepArray,
  'objects in objects': deepObject,
  NUL: '\u0000',
  'a mark of the byte order': '\ufeff{}',
  'no fields': '{}',
  'a prototype': '{"__proto__":{"isAdmin":true}}',
  'a constructor': '{"constructor":{"prototype":{"isAdmin":true}}}',
  'many fields': JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1]))),
  'one name twice': '{"title":"a","title":"b","email":"a@b.example","email":"c@d.example"}',
};

const noObject: ReadonlySet<string> = new Set([
  'nothing',
  'half an object',
  'no JSON',
  'a text',
  'a number',
  'null',
  'a list',
  'a list of lists',
  'NUL',
]);

const ownOrigin = { 'sec-fetch-site': 'same-origin' };
/** Processor time, so that other load changes nothing. */
const costMsMax = 3_000;

/** A successful call gives the session another token. */
const proofs = '/api/user/reauthenticate';

/** The owner's session is there for all calls but those that could end it. */
function cookieFor(url: string): string | null {
  if (url.startsWith('/api/admin/')) return world.administrator.browser.cookie;
  if (url.startsWith('/api/user/password')) return world.stranger.browser.cookie;
  if (url.startsWith(proofs)) return world.unverified.browser.cookie;
  if (url.startsWith('/api/delete-account')) return world.leaver.browser.cookie;
  return url.startsWith('/api/log') ? null : world.owner.browser.cookie;
}

/** Owner whose session gets another token by a successful call. */
function renewedFor(url: string): Owner | null {
  if (url.startsWith(proofs)) return world.unverified;
  return url.startsWith('/api/user/password') ? world.stranger : null;
}

/** Expects no server error, and JSON that names the fault. */
async function expectCalm(sent: Sent): Promise<number> {
  const before = process.cpuUsage();
  const answer = await call(everkept, {
    cookie: cookieFor(sent.url),
    ...sent,
    headers: { ...ownOrigin, ...sent.headers },
  });
  const renewed = answer.cookies.find(({ name, value }) => sessionCookieNames.has(name) && value !== '');
  const person = renewedFor(sent.url);
  if (person && renewed) person.browser.cookie = `${renewed.name}=${renewed.value}`;
  const shown = `${sent.method} ${sent.url.slice(0, 120)}: ${answer.statusCode} ${answer.body.slice(0, 300)}`;
  expect(answer.statusCode, shown).toBeLessThan(500);
  expect(process.cpuUsage(before).user / 1_000, shown).toBeLessThan(costMsMax);
  if (answer.statusCode >= 400) {
    expect(answer.headers['content-type'], shown).toContain('application/json');
    const { message } = errorBodySchema.parse(answer.json());
    expect(message, shown).toMatch(/^[A-Z][^<>{}]*[.?]?$/);
    expect(message, shown).not.toMatch(/select .+ from |insert into |node_modules|\bat \/|SyntaxError|undefined/);
  }
  return answer.statusCode;
}

afterEach(async () => {
  const user = await call(everkept, { method: 'GET', url: '/api/user', cookie: world.owner.browser.cookie });
  expect(user.statusCode, 'the next normal request works').toBe(200);
  expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
});

/** Fields of a body, by their names in the contract. */
function fieldsOf(route: Route): string[] {
  let { body } = route;
  while (body instanceof z.ZodOptional || body instanceof z.ZodNullable) body = body.unwrap() as z.ZodType;
  const shapes = body instanceof z.ZodDiscriminatedUnion ? body.options : [body];
  return [...new Set(shapes.flatMap((shape) => (shape instanceof z.ZodObject ? Object.keys(shape.shape) : [])))];
}

/** A call that would succeed, with the value of one field replaced by raw JSON. */
function withField(body: Record<string, unknown>, field: string, json: string): string {
  const parts = Object.entries({ ...body, [field]: null }).map(
    ([name, value]) => `${JSON.stringify(name)}:${name === field ? json : JSON.stringify(value)}`,
  );
  return `{${parts.join(',')}}`;
}

describe('undeclared fields', () => {
  beforeAll(async () => {
    world = await createWorld(everkept);
  });

  const foreignId = '00000000-0000-4000-8000-000000000000';
  const forbidden = {
    id: foreignId,
    userId: foreignId,
    user_id: foreignId,
    role: 'admin',
    isAdministrator: true,
    plan: 'lifetime',
    intendedPlan: 'lifetime',
    emailVerified: true,
    tempPassword: true,
    isTrustedContactAccount: true,
    isConfirmed: true,
    confirmedAt: '2001-01-01T00:00:00.000Z',
    confirmationToken: 'planted-text',
    deliveredAt: '2001-01-01T00:00:00.000Z',
    createdAt: '2001-01-01T00:00:00.000Z',
    attachmentPath: 'planted-text',
    hasAttachment: true,
    attachmentSize: 424242,
    releaseQuorum: 3,
    releaseEpoch: 424242,
    lastCheckinAt: '2001-01-01T00:00:00.000Z',
    subscriptionStatus: 'planted-text',
    paymentCustomerId: 'planted-text',
    epoch: 424242,
    decision: 'confirmed',
  };
  const traces = [foreignId, 'planted-text', '2001-01-01', '424242', 'lifetime', '"admin"'];

  test.each(withBody)('are not stored by $name', async ({ name, route }) => {
    const declared = new Set(fieldsOf(route));
    const extra = Object.fromEntries(Object.entries(forbidden).filter(([field]) => !declared.has(field)));
    const { pool } = everkept.database;
    const { userId } = world.stranger;
    const { rows } = await pool.query('select password from users where id = $1', [userId]);
    // Only an account without a password sets its first one.
    if (name === 'setFirstPassword') await pool.query('update users set password = null where id = $1', [userId]);
    const before = await dumpRows(everkept.database);
    const body = { ...bodyOf(name, world), ...extra };
    const status = await expectCalm({ method: route.method, url: world.pathOf(name, route), body });
    expect(status).toBeLessThan(answeringRoutes.has(name) ? 500 : 300);

    const added = (await dumpRows(everkept.database)).filter((row) => !before.includes(row));
    const traced = traces.filter((trace) => added.some((row) => row.includes(trace)));
    expect(traced).toEqual([]);
    await pool.query('update users set password = $2 where id = $1', [userId, rows[0].password]);
  });

  test('leave the account what it was', async () => {
    const { plan: _, ...undeclared } = forbidden;
    const email = 'planter@people.example';
    const body = { ...bodyOf('register', world), ...undeclared, email };
    expect(await expectCalm({ method: 'POST', url: '/api/register', body })).toBe(201);
    const { rows } = await everkept.database.pool.query('select * from users where email = $1', [email]);
    expect(rows).toEqual([
      expect.objectContaining({
        role: 'user',
        plan: 'free',
        intended_plan: null,
        release_quorum: 1,
        email_verified: false,
        temp_password: false,
        is_trusted_contact_account: false,
      }),
    ]);
  });

  test.each([{ status: 'delivered' }, { status: 'accepted' }, { category: 'none' }])(
    'and values an owner may not set, such as %o, are refused for a message',
    async (field) => {
      const body = { ...bodyOf('createMessage', world), ...field };
      expect(await expectCalm({ method: 'POST', url: '/api/messages', body })).toBe(400);
    },
  );
});

describe('a body', () => {
  beforeAll(async () => {
    world = await createWorld(everkept);
    // Makes the sign-in old, so that a valid call without the password is refused.
    const longAgo = new Date('2020-01-01T00:00:00Z');
    const { userId } = world.leaver;
    await everkept.database.db.update(sessions).set({ authenticatedAt: longAgo }).where(eq(sessions.userId, userId));
  });

  test.each(withBody)('$name takes odd values of its fields calmly', async ({ name, route }) => {
    const body = bodyOf(name, world) ?? {};
    const fields = fieldsOf(route);
    expect(fields.length).toBeGreaterThan(0);
    const url = world.pathOf(name, route);
    for (const field of fields) {
      for (const json of Object.values(oddValues)) {
        await expectCalm({ method: route.method, url, body: withField(body, field, json) });
      }
      const { [field]: _, ...missing } = body;
      await expectCalm({ method: route.method, url, body: missing });
    }
  });

  test.each(withBody)('$name takes odd bodies calmly', async ({ name, route }) => {
    const url = world.pathOf(name, route);
    const withoutBody = route.body?.safeParse(undefined).success ? 403 : 400;
    for (const [what, body] of Object.entries(oddBodies)) {
      const status = await expectCalm({ method: route.method, url, body });
      // The profile accepts an empty body, and ignores undeclared fields.
      if (!noObject.has(what)) continue;
      expect([what, status]).toEqual([what, what === 'nothing' || what === 'null' ? withoutBody : 400]);
    }
    expect(await expectCalm({ method: route.method, url })).toBe(withoutBody);
    const tooLarge = JSON.stringify({ ...bodyOf(name, world), more: longText.repeat(2) });
    expect(await expectCalm({ method: route.method, url, body: tooLarge })).toBe(413);
  });

  test.each(withBody)('$name takes JSON alone, whatever the header claims', async ({ name, route }) => {
    const url = world.pathOf(name, route);
    const types = [
      'text/html',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      '*/*',
      ';;',
      'json',
    ];
    for (const type of types) {
      const headers = { 'content-type': type };
      expect([type, await expectCalm({ method: route.method, url, headers, body: '{}' })]).toEqual([type, 415]);
    }
  });
});

describe('a path', () => {
  const junk = [
    '%00',
    '%2e%2e%2f',
    'a%2Fb',
    '%ff',
    '%',
    '%E0%A4%A',
    '..%5c',
    '%F0%9F%92%8C',
    'x'.repeat(390),
    'x'.repeat(5_000),
    "'--",
    '1e309',
    '%0d%0aX: y',
    '[object Object]'.replace(' ', '%20'),
  ];

  test.each(withParameters)('the query of $name may hold anything and finds nothing', async ({ name, route }) => {
    for (const part of junk) {
      const url = route.path.replace(/:\w+/, part);
      const status = await expectCalm({ method: route.method, url, body: bodyOf(name, world) });
      const isAnsweredAlike = name === 'renewDelivery' || name === 'openLetter';
      expect([url.slice(0, 80), isAnsweredAlike || (status >= 400 && status < 500)]).toEqual([url.slice(0, 80), true]);
    }
  });
});

describe('a query', () => {
  const queries = [
    'a=1&a=2',
    'token=a&token=b',
    'token[]=a',
    'token[a]=b',
    '__proto__[x]=1',
    'constructor.prototype=1',
    'token=%00',
    'token=%ff',
    'token=%',
    `token=${'x'.repeat(5_000)}`,
    '=',
    '&&&',
    '?',
  ];

  test.each(contractRoutes.filter(({ route }) => route.method === 'GET'))(
    'the query of $name may hold anything',
    async ({ name, route }) => {
      for (const query of queries) {
        await expectCalm({ method: 'GET', url: `${world.pathOf(name, route)}?${query}` });
      }
    },
  );
});

test('nothing of all this was an error of ours', () => {
  const errors = everkept.log.filter((line) => /"level":(50|60)/.test(line));
  expect(errors).toEqual([]);
});
