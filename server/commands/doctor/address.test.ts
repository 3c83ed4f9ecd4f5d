import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request as passOn, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '#server/features/service-health/findings.rules.ts';
import { buildHttpApp } from '#server/http-app.ts';
import { createServiceKeys, type ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { readSettings } from '#server/settings.ts';
import { createTestDatabase } from '#tests/support/database.ts';
import { createCertificate } from '#tests/support/tills/certificate.ts';
import { lookAtAddress } from './address.ts';

const noLimits = {
  spend: async () => undefined,
  spendOfAddress: async () => undefined,
  spendOfNetwork: async () => undefined,
  spendGeneral: async () => undefined,
  spendChange: async () => undefined,
  spendWritten: async () => undefined,
};
const dayMs = 86_400_000;
/** Longer than an answer takes on a busy machine. */
const hangsMs = 20_000;
/** Address that the proxy sees: a visitor from elsewhere (RFC 5737). */
const visitor = '203.0.113.9';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.close();
});

function closing(server: Server): void {
  open.push({
    close: async () => {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, 'close');
    },
  });
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function keysOfOne(byte: number): Promise<ServiceKeys> {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const masterKey = Buffer.alloc(32, byte);
  return createServiceKeys(database.db, { current: { version: 1, key: masterKey }, find: () => masterKey });
}

type Proxy = {
  /** Forwarded headers, made from the received ones and the sender's address. */
  headers?: (came: IncomingHttpHeaders, peer: string) => IncomingHttpHeaders;
  /** Limits for the announced and for the received length of a body. */
  bodyBytesMax?: number;
  comingBytesMax?: number;
  /** True if it passes a request on as soon as its body begins to arrive, and not before. */
  holdsBack?: boolean;
  /** Changes to an answer. */
  answers?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders;
  tls?: { key: string; cert: string };
  /** In place of passing anything on. */
  says?: { status: number; headers?: Record<string, string>; body?: string } | undefined;
};

/** As nginx with `$proxy_add_x_forwarded_for`. */
const appending: NonNullable<Proxy['headers']> = (came) => ({
  ...came,
  'x-forwarded-for': [came['x-forwarded-for'], visitor].filter(Boolean).join(', '),
});

/** A plain proxy in front of `targetPort()`, which is known once the site listens. */
async function startProxy(targetPort: () => number, { headers = appending, tls, ...given }: Proxy): Promise<Server> {
  const {
    bodyBytesMax = Number.POSITIVE_INFINITY,
    comingBytesMax = Number.POSITIVE_INFINITY,
    answers = (same) => same,
    holdsBack,
    says,
  } = given;
  const handler: Parameters<typeof createServer>[1] = (request, response) => {
    if (says) return void response.writeHead(says.status, says.headers).end(says.body);
    if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) return void response.writeHead(413).end();
    const passed = passOn(
      {
        host: '127.0.0.1',
        port: targetPort(),
        path: request.url,
        method: request.method,
        headers: headers(request.headers, request.socket.remoteAddress ?? ''),
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 0, answers(answer.headers));
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    request.on('error', () => passed.destroy());
    if (!holdsBack) passed.flushHeaders();
    let came = 0;
    request.on('data', (part: Buffer) => {
      came += part.length;
      if (came > comingBytesMax) response.destroy();
    });
    request.pipe(passed);
  };
  const server = tls ? createTlsServer(tls, handler) : createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing(server);
  return server;
}

type Setting = Proxy & {
  trustProxy?: string;
  siteKeys?: ServiceKeys;
  withOpenPages?: boolean;
  plainPort?: number;
  refusalMs?: number;
};

/** An Everkept behind a proxy, and what the doctor says when it comes through that. */
async function examine(setting: Setting = {}): Promise<Finding[]> {
  const keys = await keysOfOne(7);
  let app: FastifyInstance | undefined;
  const proxy = await startProxy(() => portOf(app?.server as Server), setting);
  const baseUrl = `${setting.tls ? 'https' : 'http'}://localhost:${portOf(proxy)}`;
  const settings = readSettings({ BASE_URL: baseUrl, TRUST_PROXY: setting.trustProxy ?? '127.0.0.1' });
  app = await buildHttpApp({
    baseUrl,
    trustProxy: settings.http.trustProxy,
    log: { level: 'silent' },
    sessions: { findPrincipal: async () => null, touchSession: async () => undefined },
    limits: noLimits,
    readiness: async () => ({ database: { ok: true } }),
    derive: (setting.siteKeys ?? keys).derive,
    registerRoutes: () => undefined,
    registerPages: (pages) => {
      pages.get('/', () => 'A page.');
      if (setting.withOpenPages) pages.get('/metrics', () => 'everkept_owners 3');
    },
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  open.push(app);
  const { plainPort = 1, refusalMs = hangsMs } = setting;
  return lookAtAddress(settings, keys.derive, { plainPort, refusalMs });
}

const of = (findings: Finding[], name: string) => findings.find(({ what }) => what === name);
const ills = (findings: Finding[]) => findings.filter(({ state }) => state !== 'well').map(({ what }) => what);

describe('the doctor at the public address', () => {
  test('finds all well behind a proxy that says who comes and passes everything on', async () => {
    const findings = await examine();
    expect(ills(findings)).toEqual([]);
    expect(findings.map(({ what }) => what)).toEqual([
      'public address',
      'visitors’ addresses',
      'made-up addresses',
      'name of the site',
      'private pages',
      'uploads',
      'safety headers',
    ]);
  });

  test('says that all visitors share one lockout if the proxy passes on no address', async () => {
    const findings = await examine({ headers: ({ 'x-forwarded-for': _told, ...came }) => came });
    expect(of(findings, 'visitors’ addresses')).toMatchObject({
      state: 'bad',
      found: expect.stringContaining('sends no X-Forwarded-For'),
      mend: expect.stringContaining('$proxy_add_x_forwarded_for'),
    });
    expect(ills(findings)).toEqual(['visitors’ addresses']);
  });

  test('says so too where TRUST_PROXY does not cover the proxy', async () => {
    const findings = await examine({ trustProxy: '192.0.2.1' });
    expect(of(findings, 'visitors’ addresses')).toMatchObject({
      state: 'bad',
      found: expect.stringContaining('TRUST_PROXY does not cover'),
    });
    expect(ills(findings)).toEqual(['visitors’ addresses']);
  });

  test('finds out a proxy that passes on whatever address a visitor makes up', async () => {
    const blindly = await examine({ headers: (came) => ({ 'x-forwarded-for': visitor, ...came }) });
    expect(of(blindly, 'made-up addresses')).toMatchObject({ state: 'bad' });
    expect(of(blindly, 'visitors’ addresses')).toMatchObject({ state: 'well' });
    const nothingOfItsOwn = await examine({ headers: (came) => came });
    expect(ills(nothingOfItsOwn)).toEqual(['visitors’ addresses', 'made-up addresses']);
  });

  test('accepts a proxy that replaces the address', async () => {
    expect(ills(await examine({ headers: (came) => ({ ...came, 'x-forwarded-for': visitor }) }))).toEqual([]);
  });

  test('takes its own address, which TRUST_PROXY may cover, for no visitor who made one up', async () => {
    const honest = (came: IncomingHttpHeaders, peer: string) => ({
      ...came,
      'x-forwarded-for': [came['x-forwarded-for'], peer].filter(Boolean).join(', '),
    });
    expect(ills(await examine({ headers: honest }))).toEqual([]);
    // In this chain the added address is a proxy's, and not ours: the address before it was trusted.
    const loses = (came: IncomingHttpHeaders) => honest(came, '10.0.0.5');
    const lost = await examine({ headers: loses, trustProxy: '127.0.0.1,10.0.0.0/8' });
    expect(of(lost, 'made-up addresses')).toMatchObject({ state: 'poor' });
  });

  test('sees that the proxy writes a name of its own for the site', async () => {
    const findings = await examine({ headers: (came) => ({ ...appending(came, ''), host: '127.0.0.1:3000' }) });
    expect(of(findings, 'name of the site')).toMatchObject({ state: 'poor', mend: expect.stringContaining('Host') });
    expect(ills(findings)).toEqual(['name of the site']);
  });

  test('sees a proxy that takes no large files, and one that takes no large exports', async () => {
    const small = of(await examine({ bodyBytesMax: 1_000_000 }), 'uploads');
    expect(small).toMatchObject({ state: 'bad', mend: expect.stringContaining('client_max_body_size 2100m') });
    expect(of(await examine({ bodyBytesMax: 500_000_000 }), 'uploads')).toMatchObject({ state: 'poor' });
    // Silence until the body has come is no refusal.
    expect(of(await examine({ holdsBack: true, refusalMs: 100 }), 'uploads')).toMatchObject({ state: 'well' });
    // One that looks at nothing before it has come.
    expect(of(await examine({ comingBytesMax: 1_000_000 }), 'uploads')).toMatchObject({ state: 'bad' });
  });

  test('names the safety headers that a proxy drops or changes', async () => {
    const findings = await examine({
      answers: ({ 'content-security-policy': _dropped, ...rest }) => ({ ...rest, 'referrer-policy': 'origin' }),
    });
    expect(of(findings, 'safety headers')?.found).toBe(
      'Missing or changed on the way: content-security-policy, referrer-policy.',
    );
  });

  test('sees figures that everybody can read', async () => {
    expect(of(await examine({ withOpenPages: true }), 'private pages')).toMatchObject({
      state: 'bad',
      found: 'Everybody can read /metrics.',
    });
  });

  test.each<[string, Proxy['says'], RegExp]>([
    ['another site', { status: 200, body: '<h1>Welcome to nginx!</h1>' }, /not this Everkept \(status 200\)/],
    ['a site that says JSON', { status: 200, body: '{"forwarding":"believed"}' }, /not this Everkept/],
    ['a proxy with nothing behind it', { status: 502 }, /answers 502: it does not reach Everkept/],
    [
      'a site that leads elsewhere',
      { status: 301, headers: { location: 'http://localhost/login?token=hunter2' } },
      /redirects to http:\/\/localhost\.$/,
    ],
  ])('is not taken in by %s', async (_whom, says, sentence) => {
    const findings = await examine({ says });
    expect(findings).toMatchObject([{ what: 'public address', state: 'bad', found: expect.stringMatching(sentence) }]);
    expect(JSON.stringify(findings)).not.toContain('hunter2');
  });

  test('does not take an Everkept with other keys for its own', async () => {
    const siteKeys = await keysOfOne(8);
    expect(await examine({ siteKeys })).toMatchObject([
      { what: 'public address', state: 'bad', found: expect.stringContaining('not this Everkept') },
    ]);
  });

  test('says where nothing answers, where the name leads nowhere, and that without keys nothing can be known', async () => {
    const keys = await keysOfOne(7);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const gone = `http://localhost:${portOf(server)}`;
    server.close();
    const at = (BASE_URL: string) => readSettings({ BASE_URL, TRUST_PROXY: '127.0.0.1' });
    expect(await lookAtAddress(at(gone), keys.derive)).toMatchObject([
      { state: 'bad', found: `Nothing answers at ${gone}.` },
    ]);
    // Kept for names that must never lead anywhere (RFC 6761).
    expect(await lookAtAddress(at('http://nowhere.invalid'), keys.derive)).toMatchObject([
      { state: 'bad', found: expect.stringMatching(/^The name nowhere\.invalid leads nowhere \(E/) },
    ]);
    expect(await lookAtAddress(at(gone), undefined)).toMatchObject([{ state: 'poor' }]);
  });

  test('has nothing to look through where only this machine opens the site and no proxy is named', async () => {
    expect(await lookAtAddress(readSettings({ BASE_URL: 'http://localhost:1' }), undefined)).toEqual([]);
  });
});

describe('the certificate', () => {
  const known = (pem: string) => {
    const before = getCACertificates('default');
    setDefaultCACertificates([pem]);
    onTestFinished(() => setDefaultCACertificates(before));
  };
  const made = (name: string, days?: { from: Date; until: Date }) => {
    const { privateKey, pem } = createCertificate(name, days);
    return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: pem };
  };
  const from = new Date(Date.now() - 90 * dayMs);
  const goodFor = (days: number) => ({ from, until: new Date(Date.now() + days * dayMs) });

  test('that is good, with a redirect from http:// to it, is well; one that ends soon is said', async () => {
    const tls = made('localhost', goodFor(60.5));
    known(tls.cert);
    const answers = (headers: IncomingHttpHeaders) => headers;
    const plain = await startProxy(() => 0, { says: { status: 301, headers: { location: '/' } } });
    const findings = await examine({ tls, answers, plainPort: portOf(plain) });
    expect(of(findings, 'certificate')).toMatchObject({
      state: 'well',
      found: expect.stringContaining('60 more days'),
    });
    // The redirect leads back to http://.
    expect(of(findings, 'http://')).toMatchObject({ state: 'bad' });
    expect(ills(findings)).toEqual(['http://']);

    const soon = made('localhost', goodFor(5.5));
    known(soon.cert);
    expect(of(await examine({ tls: soon, plainPort: 1 }), 'certificate')).toMatchObject({ state: 'poor' });
  });

  test('judges a site whose http:// redirects to it, stays silent, or answers itself', async () => {
    const tls = made('localhost');
    known(tls.cert);
    const keys = await keysOfOne(7);
    const secure = await startProxy(() => 0, { tls, says: { status: 502 } });
    const origin = `https://localhost:${portOf(secure)}`;
    const look = async (says: Proxy['says'] | undefined) => {
      const plainPort = says ? portOf(await startProxy(() => 0, { says })) : 1;
      const settings = readSettings({ BASE_URL: origin, TRUST_PROXY: '127.0.0.1' });
      return of(await lookAtAddress(settings, keys.derive, { plainPort }), 'http://')?.state;
    };
    expect(await look({ status: 308, headers: { location: `${origin}/` } })).toBe('well');
    expect(await look({ status: 200, body: 'A page.' })).toBe('bad');
    expect(await look(undefined)).toBe('poor');
  });

  test.each<[string, Parameters<typeof made>, boolean, RegExp]>([
    ['that is self-signed', ['localhost'], false, /is self-signed/],
    ['that has expired', ['localhost', goodFor(-1)], true, /has expired/],
    ['for another name', ['elsewhere.example'], true, /is for another name/],
  ])('%s has a sentence of its own', async (_what, given, isKnown, sentence) => {
    const tls = made(...given);
    if (isKnown) known(tls.cert);
    const findings = await examine({ tls, plainPort: 1 });
    expect(of(findings, 'public address')).toMatchObject({ state: 'bad', found: expect.stringMatching(sentence) });
  });

  test('is missing where a proxy speaks no TLS at all', async () => {
    const keys = await keysOfOne(7);
    const plain = await startProxy(() => 0, { says: { status: 200 } });
    const settings = readSettings({ BASE_URL: `https://localhost:${portOf(plain)}`, TRUST_PROXY: '127.0.0.1' });
    const findings = await lookAtAddress(settings, keys.derive, { plainPort: 1 });
    expect(of(findings, 'public address')?.found).toMatch(/does not speak TLS/);
  });
});
