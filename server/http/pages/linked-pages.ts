import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { nonceOf } from '#server/http/content-security.ts';
import { html } from '#server/platform/mail/markup.ts';
import type { PageParts, ReadPage, WebOptions } from './page-files.ts';

/** Answer to a call of the service: its status, and its body as JSON. */
export type Answer = { status: number; body: unknown };
/** Data of a page: answers by address, and the fields of its form. */
export type Sent = { answers: Record<string, Answer>; fields?: Record<string, string> };
type Drawn = { markup: string; title: string; sent: Sent };
type Read = (address: string) => Promise<Answer>;

/** Built form of `web/render-linked.tsx`. */
type Drawing = {
  renderLinked(
    page: string,
    how: { path: string; search: string; known?: Sent; supportEmail: string; read: Read },
  ): Promise<Drawn>;
};

type LinkedPage = {
  page: string;
  pattern: RegExp;
  shell: PageParts;
  /** With scripts, the application replaces the page. */
  isEntry: boolean;
};

export type LinkedPages = {
  /** The page behind a link, or the one that leads into the vault, that stands at a path. */
  at(pathName: string): LinkedPage | null;
  /** Data for a page; null if a part can't be read now. */
  reads(linked: LinkedPage, request: FastifyRequest): Promise<Sent | null>;
  /**
   * The page in its shell, readable without scripts. Its data comes through the service's own routes, with the
   * visitor's budgets and without a session. If data can't be read now, only the shell is sent, and the page fetches
   * by itself.
   */
  drawn(linked: LinkedPage, request: FastifyRequest, known?: Sent): Promise<string>;
};

/** As the build leaves it. */
const emptyRoot = '<div id="root"></div>';
const emptyTitle = /<title>[^<]*<\/title>/;
/** Tags that would replace the answer to a form by the application, which does not know it. */
const scripts = /<script type="module"[^<>]*><\/script>|<link rel="modulepreload"[^<>]*>/g;
/** Could end the element that the JSON stands in. */
const markupInJson = /</g;

/** The pages behind links, as the build has left them in a folder, each with a shell that loads what it needs alone. */
export async function loadLinkedPages(
  { distDir, supportEmail }: Pick<WebOptions, 'distDir' | 'supportEmail'>,
  read: ReadPage,
): Promise<LinkedPages> {
  const drawing: Drawing = await import(pathToFileURL(path.join(distDir, 'drawing', 'render-linked.js')).href);
  const listed = async (list: string, isEntry: boolean) => {
    const filesByPage: Record<string, string> = JSON.parse(await readFile(path.join(distDir, list), 'utf8'));
    return Object.entries(filesByPage).map(async ([page, file]) => ({
      page,
      pattern: patternOf(page),
      shell: await read(file),
      isEntry,
    }));
  };
  const all = await Promise.all([listed('linked.json', false), listed('entries.json', true)]);
  const pages: LinkedPage[] = await Promise.all(all.flat());

  async function draw({ page, isEntry }: LinkedPage, request: FastifyRequest, known?: Sent): Promise<Drawn | null> {
    const { pathname, search } = new URL(request.url, 'http://site.invalid');
    const how = {
      // A form of a page without a key has an address below that of the page.
      path: page.includes(':') ? pathname : page,
      search: search.slice(1),
      ...(known ? { known } : {}),
      supportEmail,
      read: reader(request, isEntry),
    };
    try {
      return await drawing.renderLinked(page, how);
    } catch (error) {
      if (!(error instanceof PassingTrouble)) request.log.error({ err: error, page }, 'A page could not be drawn.');
      return null;
    }
  }

  return {
    at: (pathName) => pages.find(({ pattern }) => pattern.test(pathName)) ?? null,
    reads: async (linked, request) => (await draw(linked, request))?.sent ?? null,
    async drawn(linked, request, known) {
      const shell = linked.shell.join(nonceOf(request));
      const drawn = await draw(linked, request, known);
      if (!drawn) return shell;
      const titled = html`<title>${drawn.title}</title>`.html;
      if (linked.isEntry) {
        const page = known ? shell.replace(scripts, '') : shell;
        const root = `<div id="root" data-entry="${linked.page}"${known ? ' data-answered' : ''}>${drawn.markup}</div>`;
        return page.replace(emptyRoot, () => root).replace(emptyTitle, () => titled);
      }
      const json = JSON.stringify(drawn.sent).replace(markupInJson, '\\u003c');
      const root = `<div id="root" data-page="${linked.page}">${drawn.markup}</div><script type="application/json" id="sent">${json}</script>`;
      return shell.replace(emptyRoot, () => root).replace(emptyTitle, () => titled);
    },
  };
}

/** The address of a page as the web's router writes it, `/message/:token?`, as a pattern. Like the router's, it ignores case. */
export function patternOf(page: string): RegExp {
  return new RegExp(`^${page.replace(/\/:\w+\?/g, '(?:/[^/]+)?').replace(/:\w+/g, '[^/]+')}/?$`, 'i');
}

/** An answer that may be another in a moment. */
class PassingTrouble extends Error {
  override readonly name = 'PassingTrouble';
}

/** @param isEntry whether the browser’s own cookies go with it: a sign-in that it has begun is known by one. */
function reader(request: FastifyRequest, isEntry: boolean): Read {
  return async (address) => {
    const call = { method: 'GET', url: address } as const;
    const { answer } = await (isEntry ? callWithCookies : callAs)(request, call);
    // Forms that lead into the vault matter more than the content beside them.
    if (!isEntry && (answer.status >= 500 || answer.status === 429)) throw new PassingTrouble();
    return answer;
  };
}

type OwnCall = { method: 'GET' | 'POST'; url: string; payload?: unknown };
/** An answer, the cookies that came with it, and when to try again (`Retry-After`, RFC 9110 §10.2.3). */
type Called = { answer: Answer; cookies: string[]; retryAfter: Record<string, string> };

/** Headers that describe the visitor. The cookie is left out: a link serves its holder, signed in or not. */
const passedOn = ['host', 'origin', 'sec-fetch-site', 'user-agent'] as const;

/** Makes a call of the service for a page, in its visitor's name. */
export function callAs(request: FastifyRequest, call: OwnCall): Promise<Called> {
  return inject(request, call);
}

/** Makes the call for a page that leads into the vault, with the browser's cookies, and returns new ones. */
export async function callWithCookies(request: FastifyRequest, call: OwnCall): Promise<Called> {
  const { cookie } = request.headers;
  return inject(request, call, cookie === undefined ? {} : { cookie });
}

async function inject(
  request: FastifyRequest,
  { method, url, payload }: OwnCall,
  more: Record<string, string> = {},
): Promise<Called> {
  const app: FastifyInstance = request.server;
  const given = passedOn.flatMap((name) => (request.headers[name] ? [[name, String(request.headers[name])]] : []));
  const answer = await app.inject({
    method,
    url,
    remoteAddress: request.ip,
    headers: { ...Object.fromEntries(given), ...more, accept: 'application/json' },
    ...(payload === undefined ? {} : { payload: payload as object }),
  });
  const cookies = [answer.headers['set-cookie'] ?? []].flat();
  const { 'retry-after': retryAfter } = answer.headers;
  return {
    answer: { status: answer.statusCode, body: answer.json() },
    cookies,
    retryAfter: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  };
}
