import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { jumpTestClock } from '#server/features/release/test-clock.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { openDatabase } from '#server/platform/db/database.ts';
import { createOutboxMailer, type Mailer } from '#server/platform/mail/mailer.ts';
import { createSmtpMailer } from '#server/platform/mail/smtp-mailer.ts';
import { createTaskRunner } from '#server/platform/tasks/task-runner.ts';
import { forRole, watchTasks } from '#server/tasks.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { openTestApp } from '#tests/support/installation/open-test-app.ts';
import { startMailServer, type TestMailServer } from '#tests/support/servers/mail-server.ts';
import { leaseMs, relapseSettledMs, retryMaxMs, retryMinMs, settledMs } from './alerts.rules.ts';
import { caughtUpSoonMs, watchClock } from './clock-watch.ts';
import { siteSilentMs } from './site-watch.rules.ts';
import { siteDownUntilMs, watchSite } from './site-watch.ts';
import { sureAfterMs, workerSilentMs } from './worker-watch.rules.ts';
import { watchWorker } from './worker-watch.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const adminEmail = 'operator@everkept.example';
const baseUrl = 'https://vault.example';
const masterKey = randomBytes(32);
const masterKeys = { current: { version: 1, key: masterKey }, find: () => masterKey };

let database: TestDatabase;
let mail: TestMailServer;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  mail = await startMailServer();
  await database.db.execute(sql`delete from service_alerts`);
  await database.db.execute(sql`delete from site_watch`);
  await beat();
});
/** What a test has opened; its connections end before the mail server, which waits for them. */
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  await mail.close();
});

/** What a worker leaves behind once a minute. */
const beat = () =>
  database.db.execute(
    sql`update service_health set last_beat_at = clock_timestamp() + clock_offset_ms * interval '1 millisecond'`,
  );
const pass = (ms: number) => jumpTestClock({ db: database.db, ms });
const subjects = () => mail.received.map(({ mail: { subject } }) => subject);
const stopped = 'Everkept: the worker has stopped';
const runs = 'Everkept: the worker runs again';

type Given = { mailer?: Mailer; adminEmail?: string; baseUrl?: string; monotonicMs?: () => number };

/** A process that serves the site: connections, mailer and clock of its own, on the database that all share. */
async function startProcess(given: Given = {}) {
  const own = openDatabase({ connection: database.connection, maxConnections: 2, onError: () => undefined });
  const mailer = given.mailer ?? createSmtpMailer({ url: mail.url, from: 'Everkept <hello@everkept.example>' });
  opened.push(mailer, own);
  const { db } = own;
  const clock = createDatabaseClock(db, { testClock: true });
  const log: { details: Record<string, unknown>; message: string }[] = [];
  const error = (details: object, message: string) => void log.push({ details: { ...details }, message });
  const ground = { ...own, log: Object.assign(pino({ level: 'silent' }), { error }) };
  let upMs = 0;
  const { app } = await openTestApp({
    database,
    environment: {
      BASE_URL: given.baseUrl ?? baseUrl,
      TRUST_PROXY: '127.0.0.1',
      ADMIN_EMAIL: given.adminEmail ?? adminEmail,
    },
    parts: { ground, masterKeys, mailer, clock, monotonicMs: given.monotonicMs ?? (() => upMs) },
  });
  return {
    ...{ app, log },
    /** One look, after the process has been up for another while. */
    async look(afterMs = minute) {
      upMs += afterMs;
      await watchWorker(app);
    },
    /** Looks until the process is sure of what it sees. */
    async lookClosely() {
      await this.look();
      await this.look(sureAfterMs);
    },
  };
}

const tell = (processes: Awaited<ReturnType<typeof startProcess>>[], ms = minute) =>
  Promise.all(processes.map((one) => one.look(ms)));

describe('a clock that was ahead', () => {
  const setHighest = (aheadMs: number) =>
    database.db.execute(sql`
      update service_health
      set highest_seen_at = clock_timestamp() + (clock_offset_ms + ${aheadMs}) * interval '1 millisecond'`);
  const behind = 'Everkept: the clock was ahead, and nothing moves forward';

  test('is told to the operator, with the time until which nothing moves and the command that ends it', async () => {
    onTestFinished(async () => void (await setHighest(0)));
    const { app } = await startProcess();
    await setHighest(caughtUpSoonMs - minute);
    await watchClock(app);
    expect(subjects()).toEqual([]);

    await setHighest(400 * day);
    await watchClock(app);
    await watchClock(app);
    expect(subjects()).toEqual([behind]);
    expect(mail.received[0]?.mail.text?.replace(/\s+/g, ' ')).toMatch(
      /goes out before \d{1,2} \w+ \d{4} at \d\d:\d\d UTC\. .* everkept clock accept/,
    );

    await setHighest(0);
    await watchClock(app);
    await pass(settledMs);
    await setHighest(0);
    await watchClock(app);
    expect(subjects()).toEqual([behind, 'Everkept: the clock is right again']);
  });
});

describe('a worker that has stopped', () => {
  test('is told to the operator in one mail, however many processes watch, and in a second one a day later', async () => {
    const processes = await Promise.all(Array.from({ length: 4 }, () => startProcess()));
    await tell(processes);
    expect(subjects()).toEqual([]);
    await pass(workerSilentMs);
    await tell(processes);
    for (let looks = 0; looks < 5; looks += 1) await tell(processes, sureAfterMs);
    expect(subjects()).toEqual([stopped]);
    expect(mail.received[0]?.envelope.to).toEqual([adminEmail]);
    await pass(day - minute);
    await tell(processes);
    expect(subjects()).toEqual([stopped]);
    await pass(2 * minute);
    await tell(processes);
    await tell(processes);
    expect(subjects()).toEqual([stopped, stopped]);
    const ids = mail.received.map(({ mail: { messageId } }) => messageId);
    expect(new Set(ids).size).toBe(2);
  });

  test('is told without anything in the outbox, which nobody would send', async () => {
    const one = await startProcess();
    await pass(workerSilentMs);
    await one.lookClosely();
    expect(subjects()).toEqual([stopped]);
    const { rows } = await database.db.execute(sql`select 1 from notifications`);
    expect(rows).toEqual([]);
    const [{ mail: told } = { mail: { text: '' } }] = mail.received;
    expect(told.text).toContain('No worker of your installation has reported since');
    expect(told.text).toContain('everkept doctor');
  });

  test('is told to run again once, some minutes after it does', async () => {
    const processes = [await startProcess(), await startProcess()];
    await pass(workerSilentMs);
    for (const one of processes) await one.lookClosely();
    await beat();
    await tell(processes);
    expect(subjects()).toEqual([stopped]);
    await pass(settledMs);
    await beat();
    await tell(processes);
    for (let looks = 0; looks < 3; looks += 1) {
      await pass(5 * minute);
      await beat();
      await tell(processes);
    }
    expect(subjects()).toEqual([stopped, runs]);
  });

  test('that comes and goes is told to have come back at once, and to be over after a whole day', async () => {
    const one = await startProcess();
    for (let times = 0; times < 3; times += 1) {
      await pass(workerSilentMs);
      await one.lookClosely();
      await beat();
      await one.look();
      await pass(settledMs);
      await beat();
      await one.look();
    }
    expect(subjects()).toEqual([stopped, runs, stopped]);
    expect(mail.received[2]?.mail.text).toContain('This has come back within a day.');
    await pass(relapseSettledMs);
    await beat();
    await one.look();
    expect(subjects()).toEqual([stopped, runs, stopped, runs]);
  });

  test('is not told by a process that was started, or was asleep, a moment ago', async () => {
    const one = await startProcess();
    await pass(30 * day);
    await one.look();
    await one.look(sureAfterMs - 1);
    expect(subjects()).toEqual([]);
    await beat();
    await one.look();
    await pass(day);
    await one.look(sureAfterMs);
    expect(subjects()).toEqual([]);
    await one.look(sureAfterMs);
    expect(subjects()).toEqual([stopped]);
  });

  test('that never ran is told a quarter of an hour after somebody began to watch', async () => {
    await database.db.execute(sql`update service_health set last_beat_at = null`);
    const one = await startProcess();
    await one.look();
    await pass(workerSilentMs - minute);
    await one.lookClosely();
    expect(subjects()).toEqual([]);
    await pass(2 * minute);
    await one.lookClosely();
    expect(subjects()).toEqual([stopped]);
  });

  test('is told as soon as the mail server takes the mail, later and later', async () => {
    const one = await startProcess();
    mail.behave({ at: 'recipient', replyCode: 550 });
    await pass(workerSilentMs);
    await one.lookClosely();
    await one.look();
    await pass(retryMinMs);
    await one.look();
    expect(subjects()).toEqual([]);
    expect(one.log.filter(({ message }) => message.includes('could not be written to yet'))).toHaveLength(2);
    mail.behave(null);
    await one.look();
    expect(subjects()).toEqual([]);
    await pass(retryMaxMs);
    await one.look();
    expect(subjects()).toEqual([stopped]);
  });

  test('is told when no mail server answered at first', async () => {
    const url = mail.url;
    await mail.close();
    const mailer = createSmtpMailer({ url, from: 'hello@everkept.example' });
    const one = await startProcess({ mailer });
    await pass(workerSilentMs);
    await one.lookClosely();
    mail = await startMailServer();
    const back = createSmtpMailer({ url: mail.url, from: 'hello@everkept.example' });
    const other = await startProcess({ mailer: back });
    await pass(retryMinMs);
    await other.lookClosely();
    expect(subjects()).toEqual([stopped]);
  });

  test('is told by another process where the one that was about to write ended, as the same mail', async () => {
    const sent: string[] = [];
    const dying: Mailer = {
      kind: 'smtp',
      send: async ({ messageId }) => {
        sent.push(messageId);
        throw new Error('killed');
      },
      close: async () => {},
    };
    const dead = await startProcess({ mailer: dying });
    const other = await startProcess();
    await pass(workerSilentMs);
    await dead.look();
    await expect(dead.look(sureAfterMs)).rejects.toThrow('killed');
    await other.lookClosely();
    expect(subjects()).toEqual([]);
    await pass(leaseMs);
    await other.look();
    expect(subjects()).toEqual([stopped]);
    expect(mail.received[0]?.mail.messageId).toBe(sent[0]);
  });

  test('is told again as the very same mail where it arrived, and whoever sent it ended before that was written down', async () => {
    await mail.close();
    mail = await startMailServer({
      beforeAnswer: async () => {
        // As if the process that sends had ended here: what it would write down now finds no row of its own.
        await database.db.execute(sql`update service_alerts set claim = gen_random_uuid()`);
      },
    });
    const one = await startProcess();
    const other = await startProcess();
    await pass(workerSilentMs);
    await one.lookClosely();
    await other.lookClosely();
    expect(subjects()).toEqual([stopped]);
    await pass(leaseMs);
    await other.look();
    expect(subjects()).toEqual([stopped, stopped]);
    // Mail programs show it once.
    expect(new Set(mail.received.map(({ mail: { messageId } }) => messageId)).size).toBe(1);
  });

  test.each([
    ['ADMIN_EMAIL', { adminEmail: '' }],
    ['SMTP_URL', { mailer: createOutboxMailer() }],
  ])('is in the log once a day where %s is not set', async (name, given) => {
    const one = await startProcess(given);
    await pass(workerSilentMs);
    await one.lookClosely();
    await one.look();
    expect(one.log.map(({ message }) => message)).toEqual([
      `A part of the service has stopped. ${name} is not set, so no email was written.`,
    ]);
    expect(one.log[0]?.details.trouble).toBe('worker');
    await pass(day);
    await one.look();
    expect(one.log).toHaveLength(2);
    expect(subjects()).toEqual([]);
  });

  test('writes nothing at all while all is well', async () => {
    const one = await startProcess();
    for (let looks = 0; looks < 3; looks += 1) await one.look();
    const { rows } = await database.db.execute(sql`select * from service_alerts`);
    expect(rows).toEqual([]);
  });
});

/** What stands at the public address: the site, a proxy without it, another page, or nothing. */
async function startSite() {
  let answer: { status: number; body: string } | null = { status: 200, body: '{"ok":true}' };
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (answer === null) {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return {
    asked,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (next: typeof answer) => {
      answer = next;
    },
  };
}

describe('a site that no longer answers at its address', () => {
  const silent = 'Everkept: the site does not answer';
  const back = 'Everkept: the site answers again';
  const well = { status: 200, body: '{"ok":true}' };

  async function startBoth() {
    const site = await startSite();
    const { app } = await startProcess({ baseUrl: site.address });
    const askFor = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += minute) {
        await pass(minute);
        await Promise.all([watchSite(app), watchSite(app)]);
      }
    };
    return { site, askFor, app };
  }

  test('is asked without changing anything there', async () => {
    const { site, askFor } = await startBoth();
    await askFor(minute);
    expect(new Set(site.asked)).toEqual(new Set(['GET /healthz']));
  });

  test('is told to the operator after some minutes, once a day, with the reason, and once that it is over', async () => {
    const { site, askFor } = await startBoth();
    await askFor(2 * minute);
    site.answer({ status: 502, body: 'Bad Gateway' });
    await askFor(siteSilentMs);
    expect(subjects()).toEqual([]);
    await askFor(3 * minute);
    expect(subjects()).toEqual([silent]);
    expect(mail.received[0]?.mail.text).toContain('(status 502)');
    await pass(day);
    await askFor(10 * minute);
    expect(subjects()).toEqual([silent, silent]);
    site.answer(well);
    await askFor(settledMs + 2 * minute);
    await askFor(10 * minute);
    expect(subjects()).toEqual([silent, silent, back]);
  });

  test.each([
    ['hangs up', null],
    ['shows another page', { status: 200, body: '<h1>This domain is parked</h1>' }],
    ['sends elsewhere', { status: 302, body: '' }],
    ['answers without end', { status: 200, body: 'x'.repeat(5_000_000) }],
  ])('is missed too where something at its address %s', async (_, answer) => {
    const { site, askFor } = await startBoth();
    await askFor(minute);
    site.answer(answer);
    await askFor(siteSilentMs + 3 * minute);
    expect(subjects()).toEqual([silent]);
  });

  test('is not missed where it never answered there, as while somebody develops', async () => {
    const { site, askFor } = await startBoth();
    site.answer(null);
    await askFor(hour);
    expect(subjects()).toEqual([]);
  });

  test('is not missed for the minutes of a restart', async () => {
    const { site, askFor } = await startBoth();
    await askFor(2 * minute);
    site.answer(null);
    await askFor(3 * minute);
    site.answer(well);
    await askFor(hour);
    expect(subjects()).toEqual([]);
  });

  test('is known to healthy time from the second answer that did not come until the first that does', async () => {
    const { site, askFor, app } = await startBoth();
    const until = async () => {
      const nowMs = (await app.clock.now()).getTime();
      const downUntilMs = await siteDownUntilMs(app.db, nowMs);
      return downUntilMs === null ? null : nowMs - downUntilMs;
    };
    await askFor(2 * minute);
    expect(await until()).toBeNull();
    site.answer(null);
    await askFor(3 * minute);
    expect(await until()).toBe(0);
    site.answer(well);
    await askFor(minute);
    await pass(3 * minute);
    expect(await until()).toBeGreaterThanOrEqual(3 * minute);
    expect(await until()).toBeLessThan(4 * minute);
  });
});

describe('who watches', () => {
  /** Starts what a process of this role starts, and lets it look until something came of it. */
  async function start(role: 'all' | 'web' | 'worker', baseUrl: string) {
    let upMs = 0;
    const monotonicMs = () => {
      upMs += sureAfterMs;
      return upMs;
    };
    const { app } = await startProcess({ baseUrl, monotonicMs });
    const log = { error: vi.fn() };
    const tasks = forRole(watchTasks, role).map((task) => ({ ...task, everyMs: 5 }));
    const runner = createTaskRunner({ app, tasks, log });
    runner.start();
    return { runner, log };
  }

  test.each([
    ['all', true, true],
    ['web', true, false],
    ['worker', false, true],
  ] as const)('ROLE=%s watches the worker: %s, the site: %s', async (role, watchesWorker, watchesSite) => {
    const site = await startSite();
    await pass(workerSilentMs);
    const { runner, log } = await start(role, site.address);
    if (watchesWorker) await expect.poll(subjects).toEqual([stopped]);
    if (watchesSite) await expect.poll(() => site.asked.length).toBeGreaterThan(2);
    await runner.stop();
    expect([subjects().length > 0, site.asked.length > 0]).toEqual([watchesWorker, watchesSite]);
    expect(log.error).not.toHaveBeenCalled();
  });

  test('a look that fails is in the log, and the next one comes all the same', async () => {
    const site = await startSite();
    await database.db.execute(sql`alter table site_watch rename to site_watch_away`);
    const { runner, log } = await start('worker', site.address);
    await expect.poll(() => log.error.mock.calls.length).toBeGreaterThan(1);
    await database.db.execute(sql`alter table site_watch_away rename to site_watch`);
    const answered = sql`select 1 from site_watch where answered_at is not null`;
    await expect.poll(async () => (await database.db.execute(answered)).rows).toHaveLength(1);
    await runner.stop();
  });
});
