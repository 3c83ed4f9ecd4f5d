import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { securityHeaders } from '#server/http/content-security.ts';
import type { HttpContext } from '#server/http/context.ts';
import { loadLinkedPages } from '#server/http/pages/linked-pages.ts';
import { pageReader } from '#server/http/pages/page-files.ts';
import { registerWeb } from '#server/http/pages/static.ts';
import { supportEmail } from '#shared/product.ts';
import { entrySources, linkedPaths } from '#web/linked-paths.ts';
import { signedOutRoutes } from '#web/routes.tsx';

const baseUrl = 'https://vault.example';
const webSources = path.resolve(import.meta.dirname, '../../../web');
const page = (name: string) =>
  `<title>Everkept</title><script nonce="__NONCE__"></script><link nonce="__NONCE__"><p>${name}</p><div id="root"></div>`;
/** Stands in for the drawing that the build makes: one read, and then words from it. */
const drawing = `export async function renderLinked(page, { path, search, read }) {
  const address = '/api' + path;
  const answer = await read(address);
  const markup = '<h1>' + path + ' ' + search + ' ' + answer.status + '</h1>';
  return { markup, title: 'Are you there? & more', sent: { answers: { [address]: answer } } };
}`;

let distDir: string;
let app: FastifyInstance;

beforeAll(async () => {
  distDir = await mkdtemp(path.join(tmpdir(), 'everkept-static-'));
  await mkdir(path.join(distDir, 'assets'));
  await mkdir(path.join(distDir, 'drawing'));
  await mkdir(path.join(distDir, 'pictures'));
  const files = {
    'index.html': `<meta name="outbox" content="" />${page('shell')}`,
    'linked-0.html': page('a letter'),
    'linked-1.html': page('a check-in'),
    'entry-0.html': page('sign in'),
    'entry-1.html': page('reset'),
    'vault.json': JSON.stringify({ '/messages': 'vault-0.html' }),
    'vault-0.html': '<html>the shape of messages</html>',
    'entries.json': JSON.stringify({ '/login': 'entry-0.html', '/reset-password/:token': 'entry-1.html' }),
    'linked.json': JSON.stringify({ '/message/:token?': 'linked-0.html', '/check-in/:token': 'linked-1.html' }),
    'drawing/render-linked.js': drawing,
    'landing.html': page('landing'),
    'unknown.html': page('nothing at this address'),
    'paths.json': JSON.stringify(signedOutRoutes.map(({ path: address }) => address)),
    'faq.html': page(`questions: ${supportEmail}, <a href="mailto:${supportEmail}">`),
    'pages.json': JSON.stringify({ '/': 'landing.html', '/faq': 'faq.html' }),
    'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'favicon.ico': 'icon',
    'apple-touch-icon.png': 'touch icon',
    'site.webmanifest': '{}',
    'push-worker.js': '',
    'pictures/icon-192.png': 'icon of 192 pixels',
    'robots.txt': 'User-agent: *\n',
    'assets/heic.worker-DjZGcKa-.js': 'decoder',
    'assets/main-1a2b.js': 'plain',
    'assets/main-1a2b.js.br': 'brotli',
    'assets/main-1a2b.js.gz': 'gzip',
    'assets/main-1a2b.js.map': '{}',
    'assets/source-sans-3-CfrkT7Oj.woff2': 'font',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(distDir, name), content);
  app = Fastify();
  app.addHook('onRequest', securityHeaders({ baseUrl }));
  app.decorate('http', { limits: { spendGeneral: async () => undefined } } as unknown as HttpContext);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ message: 'Not found', type: 'NOT_FOUND' }));
  app.get('/api/check-in/:token', (request, reply) => {
    const { token } = request.params as { token: string };
    const status = token === 'busy' ? 503 : 200;
    return reply.code(status).send({ firstName: '</script><b>$&', token, ip: request.ip });
  });
  const web = { distDir, baseUrl, supportEmail: 'hello&co@vault.example', outbox: '/outbox' };
  const read = pageReader(web);
  await registerWeb(app, { distDir, baseUrl, read, linkedPages: await loadLinkedPages(web, read) });
});

afterAll(async () => {
  await app.close();
  await rm(distDir, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

describe('pages', () => {
  it('sends the landing page to a visitor at the root, and the application to a person with a session', async () => {
    expect((await get('/')).body).toContain('landing');
    expect((await get('/', { cookie: '__Host-everkept=x' })).body).toContain('shell');
    expect((await get('/', { cookie: 'device=x' })).body).toContain('landing');
    expect((await get('/?verified=false')).body).toContain('landing');
    // A person who has just verified an address never sees the sales page.
    expect((await get('/?verified=true')).body).toContain('shell');
  });

  it('names the operator’s mailbox as the address for people', async () => {
    const { body } = await get('/faq');
    expect(body).toContain('questions: hello&amp;co@vault.example, <a href="mailto:hello&amp;co@vault.example">');
    expect(body).not.toContain(supportEmail);
  });

  it('links the outbox on a developer’s machine', async () => {
    expect((await get('/subscribe')).body).toContain('<meta name="outbox" content="/outbox" />');
  });

  it('sends a page that is ready to read to visitors alone, at its own address alone', async () => {
    expect((await get('/faq?from=footer')).body).toContain('questions');
    expect((await get('/faq', { cookie: '__Host-everkept=x' })).body).toContain('shell');
    expect((await get('/faq/')).body).toContain('shell');
    expect((await get('/faq')).headers['x-robots-tag']).toBeUndefined();
  });

  it('sends a shell of its own for each page behind a link, to every visitor', async () => {
    for (const path of ['/message', '/message/a.b-c_d', '/message/abc/']) {
      const answers = [await get(path), await get(path, { cookie: '__Host-everkept=x' })];
      expect(
        answers.map(({ statusCode, body }) => [statusCode, body.includes('a letter')]),
        path,
      ).toEqual([
        [200, true],
        [200, true],
      ]);
    }
    expect((await get('/messages')).body).not.toContain('a letter');
    expect((await get('/message/abc/more')).body).not.toContain('a letter');
  });

  it('draws a page behind a link with its reads, in the visitor’s name', async () => {
    const { body } = await get('/check-in/abc?from=mail');
    expect(body).toContain('<title>Are you there? &amp; more</title>');
    expect(body).toContain('<div id="root" data-page="/check-in/:token"><h1>/check-in/abc from=mail 200</h1></div>');
    const sent = /<script type="application\/json" id="sent">(.*?)<\/script>/.exec(body)?.[1] ?? '';
    const answer = { firstName: '</script><b>$&', token: 'abc', ip: '127.0.0.1' };
    expect(JSON.parse(sent)).toEqual({ answers: { '/api/check-in/abc': { status: 200, body: answer } } });
  });

  it('leaves the page to its scripts where something cannot be read just now', async () => {
    const { statusCode, body } = await get('/check-in/busy');
    expect([statusCode, body.includes('<div id="root"></div>'), body.includes('id="sent"')]).toEqual([
      200,
      true,
      false,
    ]);
  });

  it('sends the shell for every other page, with a slash at its end, in capitals or encoded', async () => {
    const paths = ['/register', '/messages', '/confirm-mailbox/a.b-c_d', '/verify-email', '/dashboard'];
    for (const path of [...paths, '/messages/', '/MESSAGES', '/%6Dessages', '/account?tab=plan']) {
      const answer = await get(path);
      expect([answer.statusCode, answer.body.includes('shell')], path).toEqual([200, true]);
    }
  });

  it('sends the placeholder of a vault page to a person with a session, and the shell to visitors', async () => {
    expect((await get('/messages?x=1', { cookie: '__Host-everkept=x' })).body).toContain('the shape of messages');
    expect((await get('/messages')).body).toContain('shell');
    expect((await get('/contacts', { cookie: '__Host-everkept=x' })).body).toContain('shell');
  });

  it('draws the pages that lead into the vault for everybody, since a cookie may be of a session that has ended', async () => {
    for (const cookie of ['', '__Host-everkept=x']) {
      const login = await get('/login', { cookie });
      expect(login.body).toContain('<div id="root" data-entry="/login"><h1>/login');
      expect(login.headers['referrer-policy']).toBe('same-origin');
      const reset = await get('/reset-password/abc', { cookie });
      expect(reset.body).toContain('<div id="root" data-entry="/reset-password/:token"><h1>/reset-password/abc');
      expect(reset.headers['x-robots-tag']).toContain('noindex');
    }
  });

  it('leads a visitor who loads the address of a form back to its page', async () => {
    for (const path of ['/login/reset', '/login/second-step']) {
      expect((await get(path)).headers.location, path).toBe('/login');
    }
  });

  it('puts the nonce of the policy on the elements, another one for each answer, and forbids caching', async () => {
    const answers = await Promise.all([get('/login'), get('/login')]);
    const nonces = answers.map(({ body, headers }) => {
      const [first, ...others] = [...body.matchAll(/nonce="([^"]+)"/g)].map((match) => match[1]);
      expect(others).toEqual([first]);
      expect(headers['content-security-policy']).toContain(`script-src 'nonce-${first}' 'strict-dynamic'`);
      expect(headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${first}'`);
      expect(headers['cache-control']).toBe('no-store');
      return first;
    });
    expect(new Set(nonces).size).toBe(2);
    expect(answers[0]?.body).not.toContain('__NONCE__');
  });

  it('compresses a page for a browser that takes it', async () => {
    const answer = await get('/register', { 'accept-encoding': 'gzip, deflate, br' });
    expect(answer.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(answer.rawPayload).toString()).toContain('shell');
  });

  it('keeps search engines from pages whose address is a key', async () => {
    const behindLinks = [...linkedPaths, ...Object.keys(entrySources)].filter(
      (path) => !['/login', '/register', '/trusted-contact-demo', '/emergency-activation', '/complaint'].includes(path),
    );
    for (const path of behindLinks.map((each) => each.replace(/:token\??/, 'abc'))) {
      expect((await get(path)).headers['x-robots-tag'], path).toContain('noindex');
    }
    expect((await get('/')).headers['x-robots-tag']).toBeUndefined();
    expect((await get('/messages')).headers['x-robots-tag']).toBeUndefined();
  });
});

describe('an address without a page', () => {
  const strange = ['/nowhere', '/nowhere/', '/faq/more', '/messages/x', '/message/abc/more', '/a//b', '/m%C3%A9ssages'];

  it.each(strange)('%s answers a visitor with 404 and a page that says so', async (address) => {
    const answer = await get(address, { accept: '*/*' });
    expect([answer.statusCode, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      404,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(answer.body).toContain('nothing at this address');
    expect(answer.body).not.toContain('__NONCE__');
  });

  it('answers a person with a session with 404 and the application, which says so', async () => {
    const answer = await get('/nowhere', { cookie: '__Host-everkept=x' });
    expect([answer.statusCode, answer.body.includes('shell')]).toEqual([404, true]);
  });

  it.each([
    '/manifest.webmanifest',
    '/foo%2Ejs',
    '/robots2.txt',
    '/.well-known/anything',
    '/.git/config',
    '/x.y/z.tar.gz',
  ])('%s answers a program with a short 404, and a person with a page', async (address) => {
    for (const accept of [undefined, '*/*', 'application/manifest+json', 'image/avif,image/webp,*/*;q=0.8']) {
      const { statusCode, headers, body } = await get(address, accept === undefined ? {} : { accept });
      expect([statusCode, headers['content-type']], accept).toEqual([404, 'application/json; charset=utf-8']);
      expect(body.length).toBeLessThan(100);
    }
    const answer = await get(address, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([answer.statusCode, answer.body.includes('nothing at this address')]).toEqual([404, true]);
  });

  it('answers HEAD with the same status and no body', async () => {
    for (const [address, status] of [
      ['/nowhere', 404],
      ['/manifest.webmanifest', 404],
      ['/messages', 200],
    ] as const) {
      const answer = await app.inject({ method: 'HEAD', url: address });
      expect([answer.statusCode, answer.body], address).toEqual([status, '']);
    }
  });

  it('is kept from search engines where its beginning is that of a key', async () => {
    for (const path of ['/Message/abc/more', '/%6Dessage/abc', '/%6Dessage/abc/more']) {
      expect((await get(path)).headers['x-robots-tag'], path).toContain('noindex');
    }
  });
});

describe('files', () => {
  it('serves an asset compressed beforehand, to be kept for a year', async () => {
    const answer = await get('/assets/main-1a2b.js', { 'accept-encoding': 'br, gzip' });
    expect([answer.statusCode, answer.body, answer.headers['content-encoding']]).toEqual([200, 'brotli', 'br']);
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await get('/assets/main-1a2b.js', { 'accept-encoding': 'gzip' })).body).toBe('gzip');
    expect((await get('/assets/main-1a2b.js')).body).toBe('plain');
  });

  it('answers 404 for a missing asset, for files beside the assets, and for file names that are no pages', async () => {
    const paths = [
      '/assets/gone.js',
      '/assets/main-1a2b.js.br',
      '/assets/main-1a2b.js.gz',
      '/assets/main-1a2b.js.map',
      '/assets/',
      '/assets/../index.html',
      '/assets/%2e%2e/index.html',
      '/landing.html',
      '/pages.json',
      '/.env',
      '/.git/config.lock',
      '/wp-login.php',
      '/api/nothing',
    ];
    for (const path of paths) {
      const answer = await get(path);
      expect([answer.statusCode, answer.body.includes('shell')], path).toEqual([404, false]);
    }
  });

  it('leads from the plain name of a typeface to the one that changes with its content', async () => {
    const answer = await get('/fonts/source-sans-3.woff2');
    expect([answer.statusCode, answer.headers.location]).toEqual([302, '/assets/source-sans-3-CfrkT7Oj.woff2']);
    expect((await get('/assets/source-sans-3-CfrkT7Oj.woff2')).body).toBe('font');
    expect((await get('/fonts/gone.woff2')).statusCode).toBe(404);
  });

  it('leaves other methods to the API', async () => {
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      expect((await app.inject({ method, url: '/login' })).statusCode, method).toBe(404);
    }
    const head = await app.inject({ method: 'HEAD', url: '/login' });
    expect([head.statusCode, head.body]).toEqual([200, '']);
  });

  it.each([
    ['/favicon.svg', 'image/svg+xml'],
    ['/favicon.ico', 'image/x-icon'],
    ['/apple-touch-icon.png', 'image/png'],
    ['/pictures/icon-192.png', 'image/png'],
    ['/site.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['/push-worker.js', 'text/javascript; charset=utf-8'],
  ])('serves %s to be kept for a day, without a cookie', async (url, type) => {
    const { statusCode, headers } = await get(url);
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      type,
      'public, max-age=86400',
    ]);
    expect([headers['set-cookie'], headers.vary]).toEqual([undefined, undefined]);
  });

  it('leads iPhones from the older name of the touch icon to the present one', async () => {
    expect((await get('/apple-touch-icon-precomposed.png')).headers.location).toBe('/apple-touch-icon.png');
  });

  it('serves the rules for robots', async () => {
    expect((await get('/robots.txt')).body).toContain('User-agent');
  });
});

describe('headers', () => {
  it('stand on every answer, also on those that refuse', async () => {
    for (const path of [
      '/',
      '/assets/main-1a2b.js',
      '/assets/gone.js',
      '/api/nothing',
      '/favicon.ico',
      '/robots.txt',
    ]) {
      const { headers } = await get(path);
      expect(headers['content-security-policy'], path).toContain("default-src 'none'");
      expect(headers['content-security-policy'], path).not.toContain('unsafe');
      expect(headers['x-content-type-options'], path).toBe('nosniff');
      expect(headers['referrer-policy'], path).toBe('no-referrer');
      expect(headers['cross-origin-opener-policy'], path).toBe('same-origin');
      expect(headers['strict-transport-security'], path).toContain('includeSubDomains');
    }
  });

  it('no other origin may read an answer or ask for more, and none says what it was made with', async () => {
    const origin = 'https://elsewhere.example';
    const preflight = { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-any' };
    for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
      for (const path of ['/', '/favicon.svg', '/api/nothing', '/csp-reports']) {
        const names = Object.keys((await app.inject({ method, url: path, headers: preflight })).headers);
        expect(names.filter((name) => /^access-control-|^server$|^x-powered-by$/.test(name))).toEqual([]);
      }
    }
  });

  it('do not ask for https where the product is not reached by it', async () => {
    const plain = Fastify();
    plain.addHook('onRequest', securityHeaders({ baseUrl: 'http://localhost:5000' }));
    const { headers } = await plain.inject('/');
    expect(headers['strict-transport-security']).toBeUndefined();
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    await plain.close();
  });

  it('lets the worker that decodes pictures run WebAssembly, and no page and no other script', async () => {
    const policyAt = async (url: string) => String((await app.inject(url)).headers['content-security-policy']);
    expect(await policyAt('/assets/heic.worker-DjZGcKa-.js')).toBe(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:",
    );
    for (const url of ['/', '/faq', '/assets/main-1a2b.js']) expect(await policyAt(url)).not.toContain('wasm');
    expect(await policyAt('/')).toContain("worker-src 'self'");
  });

  it('lists the Trusted Types policies that our pages create, and no other', async () => {
    const files = await readdir(webSources, { recursive: true });
    const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'));
    const texts = await Promise.all(sources.map((file) => readFile(path.join(webSources, file), 'utf8')));
    const created = texts.flatMap((text) => [...text.matchAll(/\bpolicyName = '([^']+)'/g)].map(([, name]) => name));
    expect(texts.filter((text) => text.includes('createPolicy(policyName')).length).toBe(created.length);
    expect(texts.filter((text) => /createPolicy\((?!policyName|\s*name: string)/.test(text))).toEqual([]);
    const policy = String((await app.inject('/')).headers['content-security-policy']).split('; ');
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toContain(`trusted-types ${created.toSorted().join(' ')}`);
  });
});
