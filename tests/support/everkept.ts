import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import type { App, GivenParts } from '#server/app.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { releaseCalls } from '#server/features/release/release-calls.test-world.ts';
import { advanceTestClock, jumpTestClock } from '#server/features/release/test-clock.ts';
import { sessionLookup } from '#server/features/sessions/principal.ts';
import type { TestPasskey } from '#server/features/sessions/second-factors/passkey.test-world.ts';
import {
  addPasskey,
  usePasskeyAt as answerAt,
  stepPaths,
} from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { createRateLimits, type RateLimits } from '#server/http/rate-limits.ts';
import { buildHttpApp } from '#server/http-app.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import type { MasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { HashToken } from '#server/platform/crypto/token.ts';
import type { MemoryStore } from '#server/platform/files/memory-store.ts';
import type { IdentityProvider } from '#server/platform/identity/identity-provider.ts';
import type { DeletionLedger } from '#server/platform/ledger/deletion-ledger.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import { createMemoryMailer, type MemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import type { Payments, SandboxGround } from '#server/platform/payments/payments.ts';
import type { MemoryTexter } from '#server/platform/sms/memory-texter.ts';
import { createTwilioReplies } from '#server/platform/sms/twilio-replies.ts';
import { createTaskRunner } from '#server/platform/tasks/task-runner.ts';
import { registerReactions } from '#server/reactions.ts';
import { registerRoutes } from '#server/routes.ts';
import { type TaskApp, tasksOf, watchTasks } from '#server/tasks.ts';
import { type Browser, createBrowser, newPerson, type Person } from './app.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { googleIssuer } from './google.ts';
import { openTestApp } from './installation/open-test-app.ts';
import { newMasterKeys, testBaseUrl } from './installation/test-settings.ts';
import { twilioToken } from './signed-texts.ts';

const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
/** The designated administrator's address. */
export const adminEmail = 'operator@everkept.example';

export type Owner = Person & { browser: Browser; userId: string };
type Letter = {
  title: string;
  content: string;
  recipientEmail: string;
  status: 'draft' | 'ready';
  visibleToTrustedContact: boolean;
  deliverOn: { months: number };
};

/** The whole application in this process: every feature, every route, a database of its own, time that a test moves. */
export type Everkept = {
  app: FastifyInstance;
  /** `App` that use cases take. */
  opened: App;
  database: TestDatabase;
  /** Use cases of release, called as a test likes to write them. */
  releases: ReleaseCalls['releases'];
  ownersRelease: ReleaseCalls['ownersRelease'];
  mailer: MemoryMailer;
  texter: MemoryTexter;
  /** Store of the files. */
  store: MemoryStore;
  masterKeys: MasterKeys;
  hashToken: HashToken;
  ledger: DeletionLedger;
  /** Lines of the log, at the level `debug`. */
  log: string[];
  /** Method and path of every route that was bound, as `GET /api/user`. */
  bound: ReadonlySet<string>;
  /** One round of the worker: everything that is due now. */
  work(): Promise<void>;
  /** Lives through these days as a running service would. */
  live(days: number): Promise<void>;
  /** Moves the clock and does nothing, as an outage would. */
  jump(days: number): Promise<void>;
  /** Jumps to the next time at which the clock shows this hour (UTC), for tests of what happens once a day. */
  jumpToHour(hour: number): Promise<void>;
  /** The path of the newest link of this kind in a mail to an address. */
  linkTo(address: string, path: string): string;
  /** The token at the end of such a link. */
  tokenFor(address: string, path: string): string;
  /**
   * Registers a person, verifies the address unless told not to, and signs in. The administrator gets a passkey, as
   * administration requires, unless told not to.
   */
  signUp(given?: Partial<Person> & { isVerified?: boolean; hasPasskey?: boolean }): Promise<Owner>;
  /** Saves a phone number and types the code that is texted there. */
  givePhone(owner: Owner, phone: string): Promise<void>;
  /** Signs in again, with a new cookie; with the passkey too, where `signUp` gave one. */
  signIn(owner: Owner): Promise<void>;
  /** Writes a letter that is ready, unless told otherwise. Gives its id. */
  write(owner: Owner, letter?: Partial<Letter>): Promise<string>;
  /** For some days, the domain of an address accepts mail of ours for another mailbox, every six hours. */
  writeToNeighbour(address: string, days: number): Promise<void>;
  /** Adds a contact, who accepts. Gives the contact's id. */
  befriend(
    owner: Owner,
    contact: { name: string; email: string; phone?: string; seesFirstWeeks?: boolean },
  ): Promise<string>;
  close(): Promise<void>;
};

type ReleaseCalls = ReturnType<typeof releaseCalls>;

type Given = {
  distDir?: string;
  /** A provider that stands for Google. */
  google?: IdentityProvider | null;
  /** Wraps the service's budgets, such as to record the spending. */
  limits?: (usual: RateLimits) => RateLimits;
  /** An installation that is there already, such as one that was restored. */
  database?: TestDatabase;
  store?: MemoryStore;
  masterKeys?: MasterKeys;
  /** Carrier of mails, such as a real mail server; copies are kept here. */
  carrier?: Mailer;
  /** The sandbox, unless others are given. */
  payments?: (ground: SandboxGround) => Payments;
  /** Sender of pushes, or the webhook, that a test listens to. */
  parts?: Pick<GivenParts, 'pusher' | 'webhook'>;
  /** None, unless a test is about it. */
  answerFloorMs?: number;
  /** Simulated days include the daily tasks: retention, erasure, anchors. Without them they take half of the time. */
  hasDailyTasks?: boolean;
};

export async function createEverkept(given: Given = {}): Promise<Everkept> {
  const {
    distDir,
    google = null,
    payments,
    answerFloorMs = 0,
    hasDailyTasks = false,
    database = await createTestDatabase(),
  } = given;
  const { db } = database;
  const usualLimits = createRateLimits({ db });
  const limits = given.limits?.(usualLimits) ?? usualLimits;
  const masterKeys = given.masterKeys ?? newMasterKeys();
  const serviceKeys = await createServiceKeys(db, masterKeys);
  const clock = createDatabaseClock(db, { testClock: true });
  const sandboxGround = { baseUrl: testBaseUrl, derive: serviceKeys.derive, now: () => clock.now() };
  const mailer = createMemoryMailer();
  const identityProviders = google ? [{ slug: 'google', name: 'Google', issuer: googleIssuer, provider: google }] : [];
  const opened = await openTestApp({
    database,
    environment: { ADMIN_EMAIL: adminEmail, SANDBOX_CHECKOUT: '1', TEST_CLOCK: '1' },
    ...(given.store && { store: given.store }),
    parts: {
      ...{ clock, limits, masterKeys, serviceKeys, identityProviders, answerFloorMs },
      ...(payments && { payments: payments(sandboxGround) }),
      mailer: given.carrier ? keeping(mailer, given.carrier) : mailer,
      textReplies: createTwilioReplies({ authToken: twilioToken }),
      ...given.parts,
    },
  });
  const { texter, store, log } = opened;
  const { ledger } = opened.app;
  registerReactions(opened.app);
  const calls = releaseCalls(opened.app);
  const bound = new Set<string>();
  const app = await buildHttpApp({
    // However busy the machine is with other tests.
    shedding: { eventLoopDelayMaxMs: 0, callsInProgressMax: 0 },
    baseUrl: testBaseUrl,
    trustProxy: ['127.0.0.1'],
    log: { level: 'debug', destination: { write: (line) => void log.push(line) } },
    sessions: sessionLookup(opened.app),
    limits,
    readiness: async () => ({ database: { ok: true } }),
    registerRoutes: (api) => {
      api.addHook('onRoute', ({ method, url }) => {
        for (const one of [method].flat()) bound.add(`${one} ${url}`);
      });
      registerRoutes(api, opened.app);
    },
    web: distDir === undefined ? undefined : { distDir, supportEmail: 'hello@everkept.example' },
  });
  const taskApp: TaskApp = { ...opened.app, bounceMailboxUrl: null, backupPlace: null };
  const watches = new Set(watchTasks.map(({ name }) => name));
  const tasks = tasksOf({ role: 'worker', tickSeconds: 60 }).filter(({ name }) => !watches.has(name));
  const rounds = createTaskRunner({ app: taskApp, tasks, log: taskApp.log });
  await calls.releases.beat();

  const linkTo = (address: string, path: string): string => {
    const found = mailer.sent
      .filter(({ to }) => to.address === address)
      .flatMap(({ text }) => text.match(/https?:\/\/\S+/g) ?? [])
      // A link inside a sentence stands in brackets, or before a full stop.
      .map((link) => new URL(link.replace(/[.,;:)]+$/, '')))
      .findLast(({ pathname }) => pathname.startsWith(path));
    if (!found) throw new Error(`No mail to ${address} holds a link to ${path}.`);
    return found.pathname + found.search;
  };

  const send = async (browser: Browser, ...[method, url, request]: Parameters<Browser['send']>) => {
    const answer = await browser.send(method, url, request);
    if (answer.statusCode >= 400) throw new Error(`${method} ${url} was answered ${answer.statusCode}: ${answer.body}`);
    return answer;
  };

  const work = async () => void (await rounds.tick());

  const passkeys = new Map<string, TestPasskey>();

  const signIn = async (owner: Pick<Owner, 'browser' | 'email' | 'password'>) => {
    const { email, password, browser } = owner;
    const answer = await send(browser, 'POST', '/api/login', { body: { email, password } });
    const passkey = passkeys.get(email);
    const asksForMore = answer.statusCode === 202 && passkey !== undefined;
    const finished = asksForMore ? (await answerAt(browser, passkey, stepPaths)).answer : answer;
    return finished.json<{ user: { id: string } }>().user.id;
  };

  const makeSignInFresh = async ({ userId }: Pick<Owner, 'userId'>) =>
    database.pool.query('update sessions set authenticated_at = $2 where user_id = $1', [userId, await clock.now()]);

  return {
    app,
    opened: opened.app,
    database,
    ...calls,
    mailer,
    texter,
    store,
    masterKeys,
    hashToken: serviceKeys.hashToken,
    ledger,
    log,
    bound,
    work,
    linkTo,
    tokenFor: (address, path) => linkTo(address, path).split(/[/=]/).at(-1) ?? '',
    live: (days) =>
      advanceTestClock({
        ...{ app: opened.app, rounds },
        ms: days * dayMs,
        hasDailyTasks,
      }),
    jump: (days) => jumpTestClock({ db, ms: days * dayMs }),
    async jumpToHour(hour) {
      const sinceMs = (await clock.now()).getTime() - hour * hourMs;
      await jumpTestClock({ db, ms: dayMs - (sinceMs % dayMs) });
    },

    async signUp({ isVerified = true, hasPasskey, ...given } = {}) {
      const person = newPerson(given);
      const browser = createBrowser(app);
      await send(browser, 'POST', '/api/register', { body: { ...person, confirmPassword: person.password } });
      await work();
      const owner = { ...person, browser, userId: await signIn({ ...person, browser }) };
      if (isVerified) await send(browser, 'GET', linkTo(person.email, '/api/verify-email'));
      const wantsPasskey = hasPasskey ?? (isVerified && person.email === adminEmail);
      if (wantsPasskey) {
        passkeys.set(person.email, (await addPasskey(browser)).passkey);
        // The mail that tells of it.
        await work();
      }
      return owner;
    },

    async signIn(owner) {
      await signIn(owner);
    },

    async givePhone(owner, phone) {
      await send(owner.browser, 'PUT', '/api/user-profile', { body: { phone } });
      await work();
      const code = texter.sent.at(-1)?.text.match(/\b\d{6}\b/)?.[0];
      await send(owner.browser, 'POST', '/api/user/phone/verify', { body: { code } });
      texter.clear();
    },

    async write(owner, letter = {}) {
      const body = {
        title: 'For Nell',
        content: 'Put the kettle on first.',
        recipientEmail: 'nell@family.example',
        status: 'ready',
        ...letter,
      };
      // A letter to a new reader asks for it, and a test may have lived through days since.
      await makeSignInFresh(owner);
      const answer = await send(owner.browser, 'POST', '/api/messages', { body });
      return answer.json<{ id: string }>().id;
    },

    async writeToNeighbour(address, days) {
      const to = { address: `neighbour@${address.split('@')[1]}` };
      const at = await clock.now();
      for (let quarter = 0; quarter < days * 4; quarter += 1) {
        const notBefore = new Date(at.getTime() + (quarter * dayMs) / 4);
        const mail = { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' };
        const cause = { channel: 'email', kind: 'billing.receipt', userId: null, subjectId: null } as const;
        const dedupeKey = `neighbour:${to.address}:${notBefore.toISOString()}`;
        await enqueueNotification(opened.app, database.db, { ...cause, dedupeKey, at, notBefore, to, mail });
      }
    },

    async befriend(owner, contact) {
      const answer = await send(owner.browser, 'POST', '/api/trusted-contacts', { body: contact });
      await work();
      const token = linkTo(contact.email, '/trusted-contact-accept/').split('/').at(-1);
      const accepted = { body: { accept: true } };
      await send(createBrowser(app), 'POST', `/api/trusted-contact-invitation/${token}`, accepted);
      return answer.json<{ id: string }>().id;
    },

    async close() {
      await app.close();
      await database.close();
    },
  };
}

/**
 * Every row of every table, in every schema of the database but PostgreSQL's own, as text: `schema.table: row`.
 * Bytes are decoded as far as they are text.
 */
export async function dumpRows(
  { db }: Pick<TestDatabase, 'db'>,
  { except = [] }: { except?: readonly string[] } = {},
): Promise<string[]> {
  const tables = await db.execute<{ schema: string; name: string }>(sql`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
    order by 1, 2`);
  const dump: string[] = [];
  for (const { schema, name } of tables.rows) {
    if (except.includes(name)) continue;
    const { rows } = await db.execute<Record<string, unknown>>(
      sql`select * from ${sql.identifier(schema)}.${sql.identifier(name)}`,
    );
    dump.push(...rows.map((row) => `${schema}.${name}: ${textOf(row)}`).sort());
  }
  return dump;
}

function textOf(row: Record<string, unknown>): string {
  return JSON.stringify(row, (_key, value: unknown) => {
    const isBytes = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
    return isBytes && 'data' in value ? Buffer.from(value.data as number[]).toString('latin1') : value;
  });
}

/** A carrier of mails that keeps a copy of each accepted one. */
function keeping(kept: MemoryMailer, carrier: Mailer): Mailer {
  return {
    ...carrier,
    send: async (mail, mayLeave) => {
      const result = await carrier.send(mail, mayLeave);
      if (result.outcome === 'accepted') await kept.send(mail);
      return result;
    },
  };
}
