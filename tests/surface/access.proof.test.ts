import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorBodySchema } from '#shared/contract/errors.ts';
import type { Route } from '#shared/contract/route.ts';
import { createEverkept, dumpRows, type Everkept } from '#tests/support/everkept.ts';
import {
  answeringRoutes,
  call,
  callerOf,
  createWorld,
  googleVouchingFor,
  payloadOf,
  portalTokens,
  takesForm,
  type World,
} from '#tests/support/everkept-world.ts';
import { contractRoutes } from '#tests/support/routes.ts';

let everkept: Everkept;
let world: World;

beforeAll(async () => {
  everkept = await createEverkept({ google: googleVouchingFor(() => 'olive@people.example') });
  world = await createWorld(everkept);
});
afterAll(() => everkept.close());

type Named = { name: string; route: Route };
const forAdministrator = contractRoutes.filter(({ route }) => route.access === 'administrator');
const ownersOwn = contractRoutes.filter(({ route }) => route.access === 'session' || route.access === 'verified');
const signedIn = [...ownersOwn, ...forAdministrator];
const withId = ownersOwn.filter(({ route }) => route.path.includes(':id'));
const withToken = contractRoutes.filter(({ route }) => route.path.includes(':token'));
const writing = contractRoutes.filter(({ route }) => route.method !== 'GET');

const ownOrigin = { 'sec-fetch-site': 'same-origin' };
/** Tables that change with every call, whatever its result. */
const bookkeeping = { except: ['rate_limits', 'sessions'] };

/** Body of a successful call of a route, with these headers. */
const given = (name: string, route: Route, headers: Record<string, string> = {}) => {
  const payload = payloadOf(name, route, world);
  return { ...payload, headers: { ...headers, ...payload.headers } };
};

const refusalOf = (answer: { json(): unknown }) => errorBodySchema.parse(answer.json());

describe('the contract and the application', () => {
  test('name the same routes', () => {
    const bound = [...everkept.bound].filter((route) => !route.startsWith('HEAD '));
    const described = contractRoutes.map(({ route }) => `${route.method} ${route.path}`);
    // The description of all others describes itself nowhere.
    expect(bound.toSorted()).toEqual([...described, 'GET /api/docs'].toSorted());
  });

  test('name the holder of each link: an address with a token in it is for the holder of the token', () => {
    expect(withToken.filter(({ route }) => route.access !== 'token').map(({ name }) => name)).toEqual([]);
    const byIdAlone = contractRoutes.filter(({ route }) => /:id/.test(route.path) && !route.path.includes(':token'));
    expect(byIdAlone.filter((one) => !signedIn.includes(one)).map(({ name }) => name)).toEqual([]);
  });
});

describe('without a session', () => {
  test.each(signedIn)('$name is refused with 401, and an invented cookie opens nothing', async ({ name, route }) => {
    const cookies = [null, `everkept=${'A'.repeat(43)}`, 'everkept=', "everkept=' or 1=1 --"];
    for (const cookie of cookies) {
      const { method } = route;
      const answer = await call(everkept, {
        method,
        url: world.pathOf(name, route),
        cookie,
        ...given(name, route, ownOrigin),
      });
      expect(answer.statusCode).toBe(401);
      expect(refusalOf(answer).type).toBe('UNAUTHENTICATED');
    }
  });
});

describe('an owner whose address is not verified', () => {
  const verified = contractRoutes.filter(({ route }) => route.access === 'verified');

  test.each(verified)('is kept from $name by the server', async ({ name, route }) => {
    const answer = await world.unverified.browser.send(route.method, world.pathOf(name, route), given(name, route));
    expect(answer.statusCode).toBe(403);
    expect(refusalOf(answer).type).toBe('EMAIL_VERIFICATION_REQUIRED');
  });
});

describe('calls for the administrator', () => {
  test.each(forAdministrator)('is kept from everybody else by $name, known id or not', async ({ name, route }) => {
    const before = await dumpRows(everkept.database, bookkeeping);
    const own = world.pathOf(name, route);
    const { owner, unverified, stranger } = world;
    for (const { browser } of [owner, unverified, stranger]) {
      for (const url of [own, own.replace(/[\da-f-]{36}/, randomUUID()), own.replace(/[\da-f-]{36}/, 'nothing')]) {
        const answer = await browser.send(route.method, url, given(name, route));
        expect([answer.statusCode, answer.json()]).toEqual([
          403,
          { type: 'FORBIDDEN', message: 'Only the administrator can do this.' },
        ]);
      }
    }
    expect(await dumpRows(everkept.database, bookkeeping)).toEqual(before);
  });
});

describe('an id of another owner', () => {
  test.each(withId)('is to $name the same as one that does not exist', async ({ name, route }) => {
    const before = await dumpRows(everkept.database, bookkeeping);
    const own = world.pathOf(name, route);
    const id = Object.values(world.ids).find((each) => own.includes(each)) ?? '';
    const urls = [own, own.replace(id, randomUUID()), own.replace(id, 'nothing'), own.replace(id, `${id}0`)];
    const answers = [];
    for (const url of urls) {
      answers.push(await world.stranger.browser.send(route.method, url, given(name, route)));
    }
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(urls.map(() => 404));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(await dumpRows(everkept.database, bookkeeping)).toEqual(before);
  });
});

describe('a token that is none', () => {
  test.each(withToken)('is answered by $name alike, whatever it looks like', async ({ name, route }) => {
    const before = await dumpRows(everkept.database, bookkeeping);
    const own = Object.values(world.tokens).find((token) => world.pathOf(name, route).includes(token)) ?? '';
    // The portal has several links that are real: one answers what the others do not.
    const isPortal = route.path.startsWith('/api/trusted-contact-admin/');
    // One page stops news and questions a month.
    const ofNews = route.path.startsWith('/api/news/') ? [world.tokens.questions] : [];
    const ofThisKind = isPortal ? portalTokens(world) : [own, ...ofNews];
    const ofOtherKinds = Object.values(world.tokens).filter((token) => !ofThisKind.includes(token));
    const tokens = ['A'.repeat(43), 'a', 'x'.repeat(128), own.slice(1), own.toLowerCase(), randomUUID()];
    const answers = [];
    for (const token of [...tokens, ...ofOtherKinds]) {
      const url = world.pathOf(name, route).replace(own, token);
      answers.push(await call(everkept, { method: route.method, url, ...given(name, route, ownOrigin) }));
    }
    // A request for a new link is always answered as if it had been sent. A press leads to the page.
    const status = name === 'renewDelivery' ? 200 : name === 'openLetter' ? 303 : 404;
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => status));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(await dumpRows(everkept.database, bookkeeping)).toEqual(before);
  });
});

describe('a link of the portal', () => {
  test('opens the documents of its own owner alone, and answers alike for all others', async () => {
    const { ids, tokens } = world;
    const ask = (token: string, id: string) =>
      call(everkept, { method: 'GET', url: `/api/trusted-contact-admin/${token}/documents/${id}` });
    expect((await ask(tokens.released, ids.released)).statusCode).toBe(200);
    const answers = [];
    for (const id of [ids.document, ids.message, randomUUID(), 'nothing']) answers.push(await ask(tokens.released, id));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect([404, 409]).toContain((await ask(tokens.portal, ids.released)).statusCode);
  });
});

describe('a method that a path does not take', () => {
  // Other paths are pages, which are public.
  const paths = [...new Set(contractRoutes.map(({ route }) => route.path))].filter((path) => path.startsWith('/api/'));
  // A path can be an id of another: what that one takes is taken here too, and answered by it.
  const reaches = (route: Route, path: string) => new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(path);
  const methodsOf = (path: string) => [
    ...new Set(contractRoutes.filter(({ route }) => reaches(route, path)).map(({ route }) => route.method as string)),
  ];

  test.each(paths)('is answered with 405 and the ones it takes at %s', async (path) => {
    const taken = methodsOf(path);
    const route = contractRoutes.find((one) => one.route.path === path) as Named;
    const url = world.pathOf(route.name, route.route);
    const allowed = [...taken, ...(taken.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
    const wrong = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE'].filter(
      (method) => !taken.includes(method) && !(method === 'HEAD' && taken.includes('GET')),
    );
    for (const method of wrong) {
      const answer = await call(everkept, { method, url, headers: ownOrigin });
      expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 405, allowed]);
      if (method !== 'HEAD') expect(refusalOf(answer).type).toBe('METHOD_NOT_ALLOWED');
    }
    const asked = await call(everkept, { method: 'OPTIONS', url });
    expect([asked.statusCode, asked.headers.allow]).toEqual([204, allowed]);
  });
});

describe('a request that another site caused', () => {
  const forgeries: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' },
    { origin: 'https://elsewhere.example' },
    { origin: 'null' },
    { origin: 'http://localhost:3000.elsewhere.example' },
    { origin: 'http://localhost:3001' },
    { origin: 'https://localhost:3000' },
    {},
  ];

  test.each(writing)('is refused by $name and changes nothing', async ({ name, route }) => {
    const before = await dumpRows(everkept.database, bookkeeping);
    const { cookie } = callerOf(route, world).browser;
    for (const headers of forgeries) {
      const answer = await call(everkept, {
        method: route.method,
        url: world.pathOf(name, route),
        cookie,
        ...given(name, route, headers),
      });
      expect([headers, answer.statusCode]).toEqual([headers, 403]);
      expect(refusalOf(answer).type).toBe('FORBIDDEN');
    }
    expect(await dumpRows(everkept.database, bookkeeping)).toEqual(before);
  });

  test.each(writing.filter(({ route }) => !takesForm(route) && !('takesAnyForm' in route)))(
    'cannot send $name as a form',
    async ({ name, route }) => {
      const before = await dumpRows(everkept.database, bookkeeping);
      const { cookie } = callerOf(route, world).browser;
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const answer = await call(everkept, {
          method: route.method,
          url: world.pathOf(name, route),
          cookie,
          headers: { ...ownOrigin, 'content-type': type },
          body: '{}',
        });
        expect([type, answer.statusCode]).toEqual([type, 415]);
      }
      expect(await dumpRows(everkept.database, bookkeeping)).toEqual(before);
    },
  );
});

describe('every route', () => {
  // They end what others need: a link, a row, the session.
  const later = [
    'checkInByLink',
    'resendInvitation',
    'deleteContact',
    'deleteMessage',
    'deleteAdminUser',
    'deleteDocument',
    'removePassword',
    'setFirstPassword',
    // A provider is the way in while there is no password.
    'removeIdentity',
    'endSession',
    // From here on another owner is signed in.
    'login',
    'changePassword',
    'deleteAccount',
    'logout',
    'completeResetPassword',
    // Replaces the cookie of this browser.
    'startExternalSignIn',
    'finishExternalSignIn',
    // There is room for an app once the one that was there is gone.
    'startAuthenticator',
  ];
  const inOrder = contractRoutes.toSorted((one, other) => later.indexOf(one.name) - later.indexOf(other.name));

  test('answers its owner, so that the refusals above are refusals and not mistakes in the call', async () => {
    const refused: string[] = [];
    for (const { name, route } of inOrder) {
      const { browser } = callerOf(route, world);
      const answer = await browser.send(route.method, world.pathOf(name, route), given(name, route));
      if (answer.statusCode >= 400 && !answeringRoutes.has(name))
        refused.push(`${name} ${answer.statusCode} ${answer.json<{ type: string }>().type}`);
    }
    // Their senders have no session: the sandbox signs, and the others are not set up here.
    const webhooks = [
      'stripeWebhook 404 NOT_FOUND',
      'paypalWebhook 404 NOT_FOUND',
      'sandboxWebhook 401 UNAUTHENTICATED',
    ];
    expect(refused).toEqual(webhooks);
  });
});
