import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { barePolicy, decoderPolicy, nonceOf } from '#server/http/content-security.ts';
import { type LinkedPages, patternOf } from '#server/http/pages/linked-pages.ts';
import { mayHavePage } from '#server/http/pages/page-budget.ts';
import type { PageParts, ReadPage } from '#server/http/pages/page-files.ts';
import { formReferrer, sendPage } from '#server/http/pages/send-page.ts';
import { createSessionCookie } from '#server/http/session.ts';

/** Pages whose address is a key, or is written for one person: no search engine may keep them. */
const privatePath =
  /^\/(message|trusted-contact-(admin|accept|confirmed)|new-address|check-in|rehearsal|remove-contact|checkout|news|not-me|(un)?link-sign-in|reset-password|confirm-mailbox|confirmed|verify-email)(\/|$)/i;
/**
 * A person who has just verified an address is no visitor: the application leads them to the dashboard or to the
 * sign-in page.
 */
const verifiedReturn = /^\/\?verified=true$/;
/** Paths of a file or in a hidden folder, such as `/wp-login.php`, `/manifest.webmanifest` or `/.git/config`. */
const fileLike = /\/\.|\.[^/.]*$/;
const acceptsPage = /\btext\/html\b/;
/** A typeface as the build names it: its name, and eight letters that change with its content. */
const fingerprinted = /^(.+)-[\w-]{8}\.woff2$/;
/** The worker that decodes pictures of telephones, compressed or not. */
const decoder = /\/heic\.worker-[\w-]{8}\.js(\.br|\.gz)?$/;
const hiddenFile = /\.(br|gz|map)$/;
const assetMaxAge = '365d';
const rootFileMaxAgeSeconds = 86_400;
type Served = { distDir: string; baseUrl: string | URL; read: ReadPage; linkedPages: LinkedPages };

/**
 * Serves the built web. `/assets` come from disk, compressed beforehand and cached for a year, since names change
 * with content. Pages come from memory, each with its own nonce. At a path without a page, a person gets status 404 and
 * a page that says so. A program that asked for a file gets the short answer of `handleUnknown`.
 */
export async function registerWeb(
  app: FastifyInstance,
  { distDir, baseUrl, read, linkedPages }: Served,
): Promise<void> {
  const { name: cookieName } = createSessionCookie(new URL(baseUrl));
  const shell = await read('index.html');
  const readyPages = await readPages('pages.json', distDir, read);
  const vaultPages = await readPages('vault.json', distDir, read);
  const unknownPage = await read('unknown.html');
  const hasPage = await pageFinder(distDir);

  await app.register(fastifyStatic, {
    root: path.join(distDir, 'assets'),
    prefix: '/assets/',
    preCompressed: true,
    index: false,
    immutable: true,
    maxAge: assetMaxAge,
    allowedPath: (pathName) => !hiddenFile.test(pathName) && !pathName.endsWith('/'),
    setHeaders: (response, file) => {
      // The policy of a page, with its nonce, would weigh half a kilobyte with each of thirty files.
      response.header('content-security-policy', decoder.test(file) ? decoderPolicy : barePolicy);
    },
  });
  await registerRootFiles(app, distDir, baseUrl);
  await registerFonts(app, distDir);

  // Not a route for every path, which would count as one of the API's as well: pages stand where no route does.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404 || (request.method !== 'GET' && request.method !== 'HEAD')) return;
    const pathName = request.url.split('?', 1)[0] ?? '/';
    if (pathName === '/api' || pathName.startsWith('/api/') || pathName.startsWith('/assets/')) return;
    const address = decoded(pathName);
    const isPrivate = privatePath.test(address);
    const isKnown = hasPage(address);
    if (!isKnown && fileLike.test(address) && !acceptsPage.test(request.headers.accept ?? '')) return;
    if (isPrivate) reply.header('x-robots-tag', 'noindex, nofollow, noarchive');
    if (!(await mayHavePage(request, reply))) return reply;
    const linked = linkedPages.at(pathName);
    if (linked) {
      if (linked.isEntry) reply.header('referrer-policy', formReferrer);
      return sendPage(request, reply, await linkedPages.drawn(linked, request));
    }
    // Post address of a form; loading it starts the sign-in again.
    if (pathName.startsWith('/login/')) return reply.redirect('/login');
    // The application checks if the session is still valid. A page that is ready to read asks nothing.
    const isVisitor = !request.headers.cookie?.includes(`${cookieName}=`) && !verifiedReturn.test(request.url);
    if (!isKnown) return sendPage(request, reply.code(404), (isVisitor ? unknownPage : shell).join(nonceOf(request)));
    const page = (isVisitor ? readyPages : vaultPages).get(pathName) ?? shell;
    return sendPage(request, reply, page.join(nonceOf(request)));
  });
}

/** Finds out if there is a page at a path. Keys of links and pages of the vault are not looked up. */
async function pageFinder(distDir: string): Promise<(pathName: string) => boolean> {
  const paths: string[] = JSON.parse(await readFile(path.join(distDir, 'paths.json'), 'utf8'));
  const patterns = paths.map(patternOf);
  return (pathName) => patterns.some((pattern) => pattern.test(pathName));
}

/** The path as the web's router reads it; unchanged if it can't be decoded. */
function decoded(pathName: string): string {
  try {
    return decodeURI(pathName);
  } catch {
    return pathName;
  }
}

/** The pages that a list of the build names, by their address: those that are ready to read, and those of the vault. */
async function readPages(
  list: string,
  distDir: string,
  read: (file: string) => Promise<PageParts>,
): Promise<Map<string, PageParts>> {
  const filesByPath: Record<string, string> = JSON.parse(await readFile(path.join(distDir, list), 'utf8'));
  const entries = Object.entries(filesByPath).map(
    async ([address, file]): Promise<[string, PageParts]> => [address, await read(file)],
  );
  return new Map(await Promise.all(entries));
}

/** Files that browsers and phones look for at fixed addresses, with their types. */
const rootFiles = {
  'favicon.svg': 'image/svg+xml',
  'favicon.ico': 'image/x-icon',
  'apple-touch-icon.png': 'image/png',
  'site.webmanifest': 'application/manifest+json; charset=utf-8',
  'push-worker.js': 'text/javascript; charset=utf-8',
} as const;
const picturesDir = 'pictures';

async function registerRootFiles(app: FastifyInstance, distDir: string, baseUrl: string | URL): Promise<void> {
  const robots = await readFile(path.join(distDir, 'robots.txt'), 'utf8');
  const cacheControl = `public, max-age=${rootFileMaxAgeSeconds}`;
  const serve = async (file: string, type: string) => {
    const content = await readFile(path.join(distDir, file));
    app.get(`/${file}`, (_request, reply) =>
      reply.type(type).headers({ 'cache-control': cacheControl, 'content-security-policy': barePolicy }).send(content),
    );
  };
  for (const [file, type] of Object.entries(rootFiles)) await serve(file, type);
  for (const file of await readdir(path.join(distDir, picturesDir))) await serve(`${picturesDir}/${file}`, 'image/png');
  // iPhones ask for this name first.
  app.get('/apple-touch-icon-precomposed.png', (_request, reply) => reply.redirect('/apple-touch-icon.png', 301));
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
