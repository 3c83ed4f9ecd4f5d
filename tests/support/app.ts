import { randomUUID } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { registerAccountRoutes } from '#server/account-routes.ts';
import { type AccountDependencies, type AccountServices, createAccountServices } from '#server/account-services.ts';
import { type AppOptions, buildApp } from '#server/app.ts';
import { createAudit } from '#server/features/audit/audit.service.ts';
import type { NewEmail, Notifications } from '#server/features/notifications/notifications.service.ts';
import { createRateLimits } from '#server/http/rate-limits.ts';
import { createManualClock } from '#server/platform/clock/clock.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import { createMemoryLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { cheapPasswords } from './passwords.ts';

/** One key, the same for every test. */
const masterKeys = { current: { version: 1, key: Buffer.alloc(32, 7) }, find: () => Buffer.alloc(32, 7) };

export const testBaseUrl = 'http://localhost:3000';

type Options = {
  /** Replacements of the defaults. */
  accounts?: Partial<AccountDependencies>;
  app?: Partial<AppOptions>;
  /** Routes besides those of accounts. */
  routes?: (api: FastifyInstance) => void;
};

export type TestApp = {
  app: FastifyInstance;
  database: TestDatabase;
  accounts: AccountServices['accounts'];
  services: AccountServices;
  clock: ReturnType<typeof createManualClock>;
  /** Mails given to the outbox, oldest first. */
  mails: NewEmail[];
  /** Lines of the log. */
  log: string[];
  close(): Promise<void>;
};

/** The whole application on a database of its own, with a clock that the test moves and mail that is kept in hand. */
export async function createTestApp(options: Options = {}): Promise<TestApp> {
  const database = await createTestDatabase();
  const { db } = database;
  const clock = createManualClock(new Date());
  const mails: NewEmail[] = [];
  const log: string[] = [];
  const limits = createRateLimits({ db });
  const serviceKeys = await createServiceKeys(db, masterKeys);
  const services = createAccountServices({
    db,
    clock,
    vaults: createVaults(masterKeys),
    audit: createAudit(serviceKeys),
    notifications: heldNotifications(mails),
    passwords: cheapPasswords,
    spendBudget: limits.spend,
    serviceKeys,
    saveReleaseSettings: async () => undefined,
    holdingsOf: async () => null,
    ledger: createMemoryLedger(),
    baseUrl: testBaseUrl,
    adminEmail: null,
    clockReadEveryMs: 0,
    answerFloorMs: 0,
    ...options.accounts,
  });
  const app = await buildApp({
    // However busy the machine is with other tests.
    shedding: { eventLoopDelayMaxMs: 0, callsInProgressMax: 0 },
    baseUrl: testBaseUrl,
    trustProxy: ['127.0.0.1'],
    log: { level: 'info', destination: { write: (line) => log.push(line) } },
    sessions: services.sessions,
    limits,
    readiness: async () => ({ database: { ok: true } }),
    registerRoutes: (api) => {
      registerAccountRoutes(api, services);
      options.routes?.(api);
    },
    ...options.app,
  });
  return {
    app,
    database,
    accounts: services.accounts,
    services,
    clock,
    mails,
    log,
    close: async () => {
      await app.close();
      await database.close();
    },
  };
}

/** Notifications that only keep what they are given. */
function heldNotifications(mails: NewEmail[]): Notifications {
  return {
    enqueue: async (_tx, notification) => {
      const isKnown = mails.some(({ dedupeKey }) => dedupeKey === notification.dedupeKey);
      if (notification.channel === 'email' && !isKnown) mails.push(notification);
      return randomUUID();
    },
    enqueueAll: async () => undefined,
    cancelFor: async () => undefined,
    cancelTaken: async () => undefined,
    cancelAllBut: async () => undefined,
    takeBackUntried: async () => [],
    leavingFor: async () => [],
    onOutcomes: () => undefined,
    writeAtDeparture: () => undefined,
    holdWhileFrozen: () => undefined,
    letGo: async () => undefined,
    stopRetrying: () => undefined,
    isWaiting: async () => false,
    isHeard: async () => true,
    cancelNotices: async () => undefined,
    onOutcome: () => undefined,
    onBounce: () => undefined,
    takeBack: async () => false,
    findMail: async () => null,
    answeredMail: async () => null,
    noteReply: async () => false,
    newestReplies: async () => new Map(),
    writtenSince: async () => 0,
    onRefused: () => undefined,
    mailTrouble: async () => [],
    refusedByOwner: async () => ({ wasRefused: false, isInTrouble: false }),
    wasAccepted: async () => false,
    dispatchDue: async () => 0,
    nextDueAt: async () => null,
    mailTroubledSince: async () => null,
    isNewText: async () => true,
    lastTexts: async () => new Map(),
    lastTextsAbout: async () => new Map(),
    lastTextRefusal: async () => null,
    areTextsStopped: async () => false,
    noteTextAnswer: async () => undefined,
    stopTexts: async () => undefined,
    startTexts: async () => undefined,
    purge: async () => 0,
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
export function linkIn(mails: readonly NewEmail[], address: string, path: string): string {
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
