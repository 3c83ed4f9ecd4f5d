import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nonceOf } from '#server/http/content-security.ts';
import { createSessionCookie } from '#server/http/session.ts';
import { html } from '#server/platform/mail/markup.ts';
import { supportEmail as builtSupportEmail } from '#shared/product.ts';

export type WebOptions = {
  /** The folder that the build has made: the pages, and `assets` beside them. */
  distDir: string;
  baseUrl: string | URL;
  /** Where people who need help write to. */
  supportEmail: string;
  /** Where mail that has nowhere to go is read, on the machine of somebody who tries this out; left out elsewhere. */
  outbox?: string | undefined;
};

/** Put by the build wherever an element needs the nonce of the policy. */
const nonceMark = '__NONCE__';
/** As the build leaves it. */
const noOutbox = '<meta name="outbox" content="" />';
/** Pages whose address is a key, or is written for one person: no search engine may keep them. */
const privatePath =
  /^\/(message|trusted-contact-(admin|accept|confirmed)|new-address|check-in|checkout|news|not-me|reset-password|confirm-mailbox|verify-email)(\/|$)/;
/** Pages that do without the application, and so are sent in a shell that does not load it. */
const linkedPath =
  /^\/(message|trusted-contact-(admin|accept|confirmed|demo)|new-address|check-in|checkout|news|not-me)(\/|$)/;
/** Whoever has just verified an address is no visitor: the application leads them to the dashboard, or to the sign-in page. */
const verifiedReturn = /^\/\?verified=true$/;
/** What ends like a file, or begins with a dot, and is no page: `/.env`, `/wp-login.php`. */
const fileLike = /\/(\.[^/]*|[^/]*\.[A-Za-z0-9]{1,8})$/;
/** A typeface as the build names it: its name, and eight letters that change with its content. */
const fingerprinted = /^(.+)-[\w-]{8}\.woff2$/;
const hiddenFile = /\.(br|gz|map)$/;
const assetMaxAge = '365d';
const rootFileMaxAgeSeconds = 86_400;
/** Pages are compressed for each answer, so quickly rather than small. */
const brotliQuality = 4;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/**
 * Serves the built web: `/assets` from disk, compressed beforehand and kept for a year, since a name changes with its
 * content; pages from memory, each with a nonce of its own; the shell for every path that is no file and not the API's.
 */
export async function registerWeb(
  app: FastifyInstance,
  { distDir, baseUrl, supportEmail, outbox }: WebOptions,
): Promise<void> {
  const { name: cookieName } = createSessionCookie(new URL(baseUrl));
  const read = (file: string) => readPage(path.join(distDir, file), { supportEmail, outbox });
  const shell = await read('index.html');
  const linkedShell = await read('linked.html');
  const readyPages = await readReadyPages(distDir, read);

  await app.register(fastifyStatic, {
    root: path.join(distDir, 'assets'),
    prefix: '/assets/',
    preCompressed: true,
    index: false,
    immutable: true,
    maxAge: assetMaxAge,
    allowedPath: (pathName) => !hiddenFile.test(pathName) && !pathName.endsWith('/'),
  });
  await registerRootFiles(app, distDir, baseUrl);
  await registerFonts(app, distDir);

  // Not a route for every path, which would count as one of the API's as well: pages stand where no route does.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404 || (request.method !== 'GET' && request.method !== 'HEAD')) return;
    const pathName = request.url.split('?', 1)[0] ?? '/';
    if (pathName === '/api' || pathName.startsWith('/api/') || pathName.startsWith('/assets/')) return;
    const isPrivate = privatePath.test(pathName);
    if (!isPrivate && fileLike.test(pathName)) return;
    if (isPrivate) reply.header('x-robots-tag', 'noindex, nofollow, noarchive');
    if (linkedPath.test(pathName)) return sendPage(request, reply, linkedShell);
    // Whether the session is still good is found out by the application; a page that is ready to read asks nothing.
    const isVisitor = !request.headers.cookie?.includes(`${cookieName}=`) && !verifiedReturn.test(request.url);
    return sendPage(request, reply, (isVisitor && readyPages.get(pathName)) || shell);
  });
}

type PageParts = readonly string[];

/** A page was built before anybody knew who would run it. */
async function readPage(file: string, { supportEmail, outbox = '' }: Pick<WebOptions, 'supportEmail' | 'outbox'>) {
  const built = await readFile(file, 'utf8');
  const filled = built.replaceAll(builtSupportEmail, () => html`${supportEmail}`.html);
  return filled.replace(noOutbox, () => html`<meta name="outbox" content="${outbox}" />`.html).split(nonceMark);
}

/** The pages that are ready to read, by their address. */
async function readReadyPages(
  distDir: string,
  read: (file: string) => Promise<PageParts>,
): Promise<Map<string, PageParts>> {
  const filesByPath: Record<string, string> = JSON.parse(await readFile(path.join(distDir, 'pages.json'), 'utf8'));
  const entries = Object.entries(filesByPath).map(
    async ([address, file]): Promise<[string, PageParts]> => [address, await read(file)],
  );
  return new Map(await Promise.all(entries));
}

async function sendPage(request: FastifyRequest, reply: FastifyReply, parts: PageParts): Promise<FastifyReply> {
  const page = Buffer.from(parts.join(nonceOf(request)));
  reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    // Which of two pages stands at an address depends on the cookie; caches are told, should one ever be asked to keep it.
    .header('vary', 'Cookie, Accept-Encoding');
  const accepted = request.headers['accept-encoding'] ?? '';
  if (/\bbr\b/.test(accepted)) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: page.length };
    return reply.header('content-encoding', 'br').send(await brotli(page, { params }));
  }
  if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(await gzipped(page));
  return reply.send(page);
}

async function registerRootFiles(app: FastifyInstance, distDir: string, baseUrl: string | URL): Promise<void> {
  const icon = await readFile(path.join(distDir, 'favicon.svg'));
  const robots = await readFile(path.join(distDir, 'robots.txt'), 'utf8');
  const cacheControl = `public, max-age=${rootFileMaxAgeSeconds}`;
  app.get('/favicon.svg', (_request, reply) =>
    reply.type('image/svg+xml').header('cache-control', cacheControl).send(icon),
  );
  // Asked for by browsers and readers that do not look at the page for it.
  app.get('/favicon.ico', (_request, reply) => reply.redirect('/favicon.svg', 301));
  app.get('/robots.txt', (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', cacheControl)
      .send(`${robots}\n# ${new URL('/', baseUrl).href}\n`),
  );
}

/** A page that the server draws by itself knows no fingerprints, so each typeface has an address without one. */
async function registerFonts(app: FastifyInstance, distDir: string): Promise<void> {
  for (const file of await readdir(path.join(distDir, 'assets'))) {
    const name = fingerprinted.exec(file)?.[1];
    if (name !== undefined)
      app.get(`/fonts/${name}.woff2`, (_request, reply) => reply.redirect(`/assets/${file}`, 302));
  }
}
