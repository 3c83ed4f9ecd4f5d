import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorBodySchema } from '#shared/contract/errors.ts';
import type { Route } from '#shared/contract/route.ts';
import { createEverkept, dumpRows, type Everkept } from '#tests/support/everkept.ts';
import { bodyOf, call, createWorld, type World } from '#tests/support/everkept-world.ts';
import { type FormGiven, formBody, samples } from '#tests/support/forms.ts';
import { contractRoutes } from '#tests/support/routes.ts';

let everkept: Everkept;
let world: World;

beforeAll(async () => {
  everkept = await createEverkept();
  world = await createWorld(everkept);
});
afterAll(() => everkept.close());

type Pairs = [name: string, value: string | Buffer][];
const forms = contractRoutes.filter(({ route }) => route.form !== undefined);
const file = { name: 'keys.txt', content: samples.txt };

/** In place of the value of one field. */
const oddValues: Record<string, string | Buffer> = {
  'no letters': '',
  'white space': ' \t\u2003 ',
  'a long text': 'x'.repeat(300_000),
  NUL: 'a\u0000b',
  // Invalid in UTF-8 (RFC 3629 §3); these bytes would encode it.
  'a lone surrogate': Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x62]),
  'no UTF-8': Buffer.from([0xff, 0xfe, 0x61]),
  'line breaks': 'a\r\nBcc: everybody@elsewhere.example',
  'a list': '["a","b"]',
  'an object': '{"__proto__":{"isAdmin":true}}',
  'a number': '1e309',
  SQL: "'; drop table users; --",
  'a path': '../../../../etc/passwd',
};

const oddNames = ['[]', '[0]', '[a]', '.a', '\u0000', '%00'];
const strangeNames = ['__proto__', 'constructor', 'userId', 'status[]', 'x'.repeat(5_000), ''];

const cookieOf = () => world.owner.browser.cookie;

async function expectCalm(name: string, route: Route, form: FormGiven | { body: Buffer | string; type: string }) {
  const { body, type } = 'type' in form ? form : formBody(form);
  const answer = await everkept.app.inject({
    method: route.method as 'POST',
    url: world.pathOf(name, route),
    headers: { ...nextAddress(), 'sec-fetch-site': 'same-origin', cookie: cookieOf() ?? '', 'content-type': type },
    payload: body,
  });
  const shown = `${name}: ${answer.statusCode} ${answer.body.slice(0, 300)}`;
  expect(answer.statusCode, shown).toBeLessThan(500);
  if (answer.statusCode >= 400) {
    const { message } = errorBodySchema.parse(answer.json());
    expect(message, shown).toMatch(/^[A-Z][^<>{}]*[.?]?$/);
    expect(message, shown).not.toMatch(/select .+ from |insert into |node_modules|\bat \/|SyntaxError|undefined/);
  }
  return answer.statusCode;
}

let calls = 0;
/** A new address, so that no budget is shared. */
function nextAddress() {
  calls += 1;
  return { 'x-forwarded-for': `10.9.${calls >> 8}.${calls & 255}` };
}

const pairsOf = (name: string): Pairs =>
  Object.entries(bodyOf(name, world) ?? {}).map(([field, value]) => [field, String(value)]);

describe('a form', () => {
  test.each(forms)('the form of $name takes odd text calmly', async ({ name, route }) => {
    const pairs = pairsOf(name);
    for (const field of Object.keys(route.form?.shape ?? {})) {
      const others = pairs.filter(([each]) => each !== field);
      const own = pairs.find(([each]) => each === field)?.[1] ?? 'a';
      await expectCalm(name, route, { fields: others, file });
      await expectCalm(name, route, { fields: [...others, [field, own], [field, own]], file });
      for (const value of Object.values(oddValues)) {
        await expectCalm(name, route, { fields: [...others, [field, value]], file });
      }
      for (const end of oddNames) await expectCalm(name, route, { fields: [...others, [`${field}${end}`, own]], file });
      // A field that comes as a file, and the file that comes under the name of a field.
      await expectCalm(name, route, { fields: others, file: { ...file, field } });
    }
  });

  test.each(forms)(
    'the form of $name takes odd shapes calmly, and stores nothing of half a form',
    async ({ name, route }) => {
      const pairs = pairsOf(name);
      const right = formBody({ fields: pairs, file });
      const before = await dumpRows(everkept.database, { except: ['rate_limits'] });
      const refused = [
        { body: right.body.subarray(0, right.body.length - 30), type: right.type },
        { body: right.body, type: 'multipart/form-data' },
        { body: right.body, type: 'multipart/form-data; boundary=another' },
        { body: right.body, type: `multipart/form-data; boundary=${'b'.repeat(5_000)}` },
        { body: '', type: right.type },
        { body: JSON.stringify(Object.fromEntries(pairs)), type: 'application/json' },
        formBody({ fields: Array.from({ length: 2_000 }, (_, index): [string, string] => [`k${index}`, '1']), file }),
      ];
      for (const form of refused) expect(await expectCalm(name, route, form)).toBeGreaterThanOrEqual(400);
      expect(await dumpRows(everkept.database, { except: ['rate_limits'] })).toEqual(before);
      for (const strange of strangeNames) {
        await expectCalm(name, route, { fields: [...pairs, [strange, 'planted']], file });
      }
      expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
    },
  );

  test('an unreadable body is the sender’s error', async () => {
    const user = await call(everkept, { method: 'GET', url: '/api/user', cookie: cookieOf() });
    expect(user.statusCode).toBe(200);
    expect(everkept.log.filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
  });
});
