import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { App, GivenParts } from '#server/app.ts';
import { notePlanOffered } from '#server/features/billing/billing.ts';
import { saveReleaseSettingsOf } from '#server/features/registration/profile.ts';
import { findPrincipal, sessionLookup } from '#server/features/sessions/principal.ts';
import { bind } from '#server/http/bind.ts';
import type { Principal } from '#server/http/principal.ts';
import { buildHttpApp, type HttpAppOptions } from '#server/http-app.ts';
import { createManualClock } from '#server/platform/clock/clock.ts';
import { serveAccounts } from '#server/routes.ts';
import type { Environment } from '#server/settings.ts';
import { notePlanOffered as notePlanOfferedRoute } from '#shared/contract/billing.ts';
import type { TestDatabase } from './database.ts';
import { openTestApp } from './installation/open-test-app.ts';
import { testBaseUrl } from './installation/test-settings.ts';
import { readWrittenMails, type WrittenMail } from './installation/written-mails.ts';

/** One key, the same for every test. */
const masterKeys = { current: { version: 1, key: Buffer.alloc(32, 7) }, find: () => Buffer.alloc(32, 7) };

type Options = {
  /** Parts of the `App` in place of the usual ones. */
  parts?: GivenParts;
  /** Settings that the test is about. */
  environment?: Environment;
  /** Saves release settings, which is the release's use case. */
  saveReleaseSettings?: ReturnType<typeof saveReleaseSettingsOf>;
  http?: Partial<HttpAppOptions>;
  /** Routes besides those of accounts. */
  routes?: (api: FastifyInstance) => void;
};

export type TestApp = {
  app: FastifyInstance;
  /** `App` that use cases take. */
  opened: App;
  database: TestDatabase;
  clock: ReturnType<typeof createManualClock>;
  /** Mails that calls have written, oldest first. */
  mails: WrittenMail[];
  /** Lines of the log. */
  log: string[];
  /** Person who is signed in at a browser. */
  principalOf(browser: Browser): Promise<Principal>;
  close(): Promise<void>;
};

/** The routes of accounts on a database of their own, with a clock that the test moves. */
export async function createTestApp(options: Options = {}): Promise<TestApp> {
  const clock = createManualClock(new Date());
  const { environment = {}, parts } = options;
  const opened = await openTestApp({ environment, parts: { clock, masterKeys, ...parts } });
  const { app: open, database, log } = opened;
  saveReleaseSettingsOf.set(open, options.saveReleaseSettings ?? (async () => undefined));
  const mails: WrittenMail[] = [];
  const readMails = readWrittenMails(open, mails);
  const app = await buildHttpApp({
    // However busy the machine is with other tests.
    shedding: { eventLoopDelayMaxMs: 0, callsInProgressMax: 0 },
    baseUrl: environment.BASE_URL ?? testBaseUrl,
    trustProxy: ['127.0.0.1'],
    log: { level: 'info', destination: { write: (line) => log.push(line) } },
    sessions: sessionLookup(open),
    limits: open.limits,
    readiness: async () => ({ database: { ok: true } }),
    registerRoutes: (api) => {
      api.addHook('onSend', readMails);
      serveAccounts(api, open);
      bind(api, notePlanOfferedRoute, (call) => notePlanOffered(open, call));
      options.routes?.(api);
    },
    ...options.http,
  });
  return {
    app,
    opened: open,
    database,
    clock,
    mails,
    log,
    async principalOf({ cookie }) {
      const principal = await findPrincipal(open, cookie?.split('=')[1] ?? '');
      if (!principal) throw new Error('No session belongs to this browser.');
      return principal;
    },
    close: async () => {
      await app.close();
      await database.close();
    },
  };
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'PATCH' | 'TRACE';
type Request = { body?: unknown; headers?: Record<string, string> };

export type Browser = {
  /** The cookie of its session; change it to play an attacker. */
  cookie: string | null;
  /** Its other cookies, by name. */
  others: Map<string, string>;
  send(method: Method, url: string, request?: Request): Promise<LightMyRequestResponse>;
};

let addresses = 0;

/**
 * A browser with its cookies and an address of its own, so that tests do not use up each other's budgets. It says
 * where its requests come from, as browsers do.
 */
export function createBrowser(app: FastifyInstance, headers: Record<string, string> = {}): Browser {
  addresses += 1;
  const address = `198.51.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`;
  const browser: Browser = {
    cookie: null,
    others: new Map(),
    async send(method, url, request = {}) {
      const answer = await app.inject({
        method: method as 'GET',
        url,
        headers: {
          'sec-fetch-site': 'same-origin',
          'x-forwarded-for': address,
          'user-agent': 'Test Browser',
          ...cookieHeader(browser),
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
          ...request.headers,
        },
        ...(request.body === undefined
          ? {}
          : { payload: typeof request.body === 'string' ? request.body : JSON.stringify(request.body) }),
      });
      for (const { name, value } of answer.cookies) {
        if (sessionCookieNames.has(name)) browser.cookie = value ? `${name}=${value}` : null;
        else if (value) browser.others.set(name, value);
        else browser.others.delete(name);
      }
      return answer;
    },
  };
  return browser;
}

/** On http and on https. */
export const sessionCookieNames: ReadonlySet<string> = new Set(['everkept', '__Host-everkept']);

function cookieHeader({ cookie, others }: Browser): { cookie?: string } {
  const pairs = [...(cookie ? [cookie] : []), ...[...others].map(([name, value]) => `${name}=${value}`)];
  return pairs.length > 0 ? { cookie: pairs.join('; ') } : {};
}

export type Person = { email: string; password: string; firstName: string; lastName: string };

let people = 0;

export function newPerson(given: Partial<Person> = {}): Person {
  people += 1;
  return {
    email: `person${people}@people.example`,
    password: 'twelve lemons in a bowl',
    firstName: 'Sam',
    lastName: 'Ashworth',
    ...given,
  };
}

/** The newest link in a mail to this address whose path starts with `path`. */
export function linkIn(mails: readonly WrittenMail[], address: string, path: string): string {
  const link = mails
    .filter(({ to }) => to.address === address)
    .map(({ mail }) => mail.text.match(/https?:\/\/\S+/g)?.find((found) => new URL(found).pathname.startsWith(path)))
    .findLast((found) => found !== undefined);
  if (!link) throw new Error(`No mail to ${address} holds a link to ${path}.`);
  const { pathname, search } = new URL(link);
  return pathname + search;
}

/** Registers a person, verifies the address unless told not to, and signs in. */
export async function signedIn(
  { app, mails }: Pick<TestApp, 'app' | 'mails'>,
  { verified = true, person = newPerson() }: { verified?: boolean; person?: Person } = {},
): Promise<{ browser: Browser; person: Person; userId: string }> {
  const browser = createBrowser(app);
  await browser.send('POST', '/api/register', { body: { ...person, confirmPassword: person.password } });
  const answer = await browser.send('POST', '/api/login', { body: { email: person.email, password: person.password } });
  if (answer.statusCode !== 200) throw new Error(`Signing in was answered ${answer.statusCode}: ${answer.body}`);
  if (verified) await browser.send('GET', linkIn(mails, person.email, '/api/verify-email'));
  return { browser, person, userId: answer.json<{ user: { id: string } }>().user.id };
}
