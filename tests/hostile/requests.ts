import fc from 'fast-check';
import type { Route } from '#shared/contract/route.ts';
import { payloadOf, type World } from '#tests/support/everkept-world.ts';
import { contractRoutes } from '#tests/support/routes.ts';
import { type Framing, framings, type Wire } from './wire.ts';

export const actors = ['visitor', 'owner', 'stranger', 'administrator', 'leaver'] as const;
export type Actor = (typeof actors)[number];

/** Calls that replace the present session, so they are sent without one. */
const signsIn: ReadonlySet<string> = new Set([
  'login',
  'loginWithPasskey',
  'finishSecondStep',
  'startExternalSignIn',
  'finishExternalSignIn',
]);

/** Calls that end the caller's session, so they are sent by expendable people. */
const endsSessions: ReadonlySet<string> = new Set([
  'logout',
  'endSession',
  'endOtherSessions',
  'changePassword',
  'completeResetPassword',
  'deleteAccount',
]);

const deep = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;

/** In place of a value, as JSON. */
const oddValues = [
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '-1',
  '1e309',
  '90.5',
  '9007199254740993',
  '"a\\u0000b"',
  '"a\\ud800b"',
  '"\\u202egpj.exe"',
  '"a\\r\\nBcc: everybody@elsewhere.example"',
  '["a","b"]',
  '{"__proto__":{"isAdmin":true}}',
  '{"$ne":null}',
  '"../../../../etc/passwd"',
  `"'; drop table users; --"`,
  '"=HYPERLINK(1)"',
  '"<script>alert(1)</script>"',
  JSON.stringify('x'.repeat(300_000)),
  deep('[', ']', 5_000),
  deep('{"a":', '}', 5_000),
];

const oddBodies = [
  '',
  '{',
  'null',
  '"a"',
  '[]',
  '\u0000',
  '\ufeff{}',
  'title=a&title=b',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"isAdmin":true}}}',
  deep('[', ']', 100_000),
  JSON.stringify({ more: 'x'.repeat(1_500_000) }),
  `{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":1`).join(',')}}`,
];

const oddHeaders: [name: string, value: string][] = [
  ['content-type', 'application/json; charset=utf-16'],
  ['content-type', 'application/json; charset=nowhere'],
  ['content-type', 'text/plain'],
  ['content-type', 'application/x-www-form-urlencoded'],
  ['content-type', 'multipart/form-data'],
  ['content-type', `multipart/form-data; boundary=${'b'.repeat(500)}`],
  ['content-type', ';;'],
  ['content-encoding', 'gzip'],
  ['accept', 'x'.repeat(4_000)],
  ['accept-encoding', '*;q=nan'],
  ['x-forwarded-for', "'; drop table users; --"],
  ['x-forwarded-for', Array.from({ length: 200 }, () => '::1').join(', ')],
  ['x-forwarded-host', 'elsewhere.example'],
  ['x-forwarded-proto', 'gopher'],
  ['forwarded', 'for="_x";host=elsewhere.example'],
  ['x-http-method-override', 'DELETE'],
  ['range', 'bytes=0-0'],
  ['range', 'bytes=-99999999999999999999'],
  ['range', `bytes=${'0-1,'.repeat(300)}2-3`],
  ['if-none-match', '"'.repeat(300)],
  ['if-modified-since', 'the day before'],
  ['expect', '100-continue'],
  ['upgrade', 'websocket'],
  ['user-agent', 'a\tb\u00e9 \u{1f48c}'],
  ['user-agent', ''],
  ['cookie', 'everkept=a; everkept=b; __Host-everkept=c'],
  ['cookie', `everkept=${'A'.repeat(43)}`],
  ['cookie', `${'a=b; '.repeat(1_000)}%ff=%00`],
  ['origin', 'https://elsewhere.example'],
  ['sec-fetch-site', 'cross-site'],
  ['x-twilio-signature', 'AAAA'],
  ['stripe-signature', 't=1,v1=00'],
  ['x-long', 'y'.repeat(20_000)],
];

const oddPathParts = [
  '%00',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '../../etc/passwd',
  '..%5c..%5c',
  'a%2Fb',
  '%ff',
  '%',
  '%E0%A4%A',
  '%F0%9F%92%8C',
  'é',
  "'--",
  '1e309',
  '%0d%0aX: y',
  '00000000-0000-4000-8000-000000000000',
  'x'.repeat(390),
  'x'.repeat(5_000),
];

const oddQueries = [
  'a=1&a=2',
  'token[]=a',
  '__proto__[x]=1',
  'token=%00',
  'token=%ff',
  'after=%',
  `q=${'x'.repeat(5_000)}`,
  '=',
  '&&&?',
  'limit=-1&page=1e309',
];

/** One call as it is drawn, without anything of a world, so that it can be shown, made smaller and drawn again. */
export type Hostile = {
  route: string;
  actor: Actor;
  /** Replacements for ids and tokens in the path. */
  path: { kind: 'right' } | { kind: 'odd'; part: string } | { kind: 'id of something else'; at: number };
  ending: string;
  body:
    | { kind: 'none' }
    | { kind: 'right' }
    | { kind: 'field'; at: number; json: string }
    | { kind: 'cut or changed'; at: number; bytes: string }
    | { kind: 'raw'; text: string };
  method: string | null;
  headers: readonly [name: string, value: string][];
  framing: Framing;
};

const oftenFirst = <T>(usual: T, others: readonly T[], share: number) =>
  fc.oneof({ weight: share, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const byName = new Map(contractRoutes.map(({ name, route }) => [name, route]));

export const hostileRequest: fc.Arbitrary<Hostile> = fc
  .record({
    route: fc.constantFrom(...byName.keys()),
    actor: fc.constantFrom<Actor>(...actors),
    path: fc.oneof(
      { weight: 6, arbitrary: fc.constant({ kind: 'right' as const }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('odd' as const), part: fc.constantFrom(...oddPathParts) }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('id of something else' as const), at: fc.nat(50) }) },
    ),
    ending: oftenFirst('', [...oddQueries.map((query) => `?${query}`), '/', '/..', '.css', '%20', ';x'], 8),
    body: fc.oneof(
      { weight: 1, arbitrary: fc.constant({ kind: 'none' as const }) },
      { weight: 3, arbitrary: fc.constant({ kind: 'right' as const }) },
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant('field' as const),
          at: fc.nat(20),
          json: fc.oneof(fc.constantFrom(...oddValues), fc.json({ maxDepth: 4 })),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('cut or changed' as const),
          at: fc.nat(2_000),
          bytes: fc.string({ unit: 'binary' }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('raw' as const),
          text: fc.oneof(fc.constantFrom(...oddBodies), fc.json()),
        }),
      },
    ),
    method: oftenFirst<string | null>(
      null,
      ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'get'],
      10,
    ),
    headers: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: fc.array(fc.constantFrom(...oddHeaders), { minLength: 1, maxLength: 3 }) },
    ),
    framing: oftenFirst<Framing>('whole', framings.slice(1), 12),
  })
  .map((drawn) => ({ ...drawn, actor: allowedActor(drawn) }));

function allowedActor({ route, actor }: Pick<Hostile, 'route' | 'actor'>): Actor {
  if (signsIn.has(route)) return 'visitor';
  return endsSessions.has(route) && actor !== 'visitor' ? 'leaver' : actor;
}

/** The request as sent in this world, from an address of its own for a while. */
export function wireOf(
  hostile: Hostile,
  world: World,
  { cookie, address }: { cookie: string | null; address: string },
): Wire {
  const route = byName.get(hostile.route);
  if (!route) throw new Error(`There is no route ${hostile.route}.`);
  const right = payloadOf(hostile.route, route, world);
  const given = new Set(hostile.headers.map(([name]) => name));
  const usual: [string, string][] = [
    ['sec-fetch-site', 'same-origin'],
    ['x-forwarded-for', address],
    ...(cookie ? [['cookie', cookie] as [string, string]] : []),
    ...Object.entries({ 'content-type': 'application/json', ...right.headers }),
  ];
  return {
    method: hostile.method ?? route.method,
    path: pathOf(hostile, route, world) + hostile.ending,
    headers: [...usual.filter(([name]) => !given.has(name)), ...hostile.headers],
    body: bodyOf(hostile.body, right.body),
  };
}

function pathOf({ route: name, path }: Hostile, route: Route, world: World): string {
  if (path.kind === 'right') return world.pathOf(name, route);
  const known = [...Object.values(world.ids), ...Object.values(world.tokens)];
  const part = path.kind === 'odd' ? path.part : (known[path.at % known.length] ?? '');
  // A function, since a "$" of what replaces means something.
  return route.path.replace(/:\w+/g, () => part);
}

function bodyOf(body: Hostile['body'], right: unknown): Buffer | null {
  if (body.kind === 'none') return null;
  if (body.kind === 'raw') return Buffer.from(body.text);
  if (right === undefined) return body.kind === 'right' ? null : Buffer.from('{}');
  const text = typeof right === 'string' ? right : JSON.stringify(right);
  if (body.kind === 'right') return Buffer.from(text);
  if (body.kind === 'field' && typeof right === 'object' && right !== null) return Buffer.from(withField(right, body));
  const at = body.at % (text.length + 1);
  const put = body.kind === 'field' ? body.json : body.bytes;
  return Buffer.from(text.slice(0, at) + put + text.slice(at + put.length));
}

/** A valid body in which one declared or undeclared field has this JSON as its value. */
function withField(right: object, { at, json }: { at: number; json: string }): string {
  const names = [...Object.keys(right), '__proto__', 'userId', 'role'];
  const changed = names[at % names.length];
  const fields = Object.entries(right).filter(([name]) => name !== changed);
  return `{${[...fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`), `"${changed}":${json}`].join(',')}}`;
}
