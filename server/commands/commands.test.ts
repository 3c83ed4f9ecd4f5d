import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { mails } from '#server/mails.ts';
import { stripeApiVersion } from '#server/platform/payments/stripe-version.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { dumpRows } from '#tests/support/everkept.ts';
import { startImapServer } from '#tests/support/servers/imap-server.ts';
import { startMailServer } from '#tests/support/servers/mail-server.ts';
import { startStrictObjectStore, strictStoreKeys } from '#tests/support/servers/strict-object-store.ts';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import { auditCommand } from './audit.ts';
import type { Command } from './command.ts';
import { doctorCommand } from './doctor/doctor.ts';
import { mailsCommand } from './mails.ts';
import { migrateCommand } from './migrate.ts';
import { rotateKeysCommand } from './rotate-keys.ts';
import { tasksCommand } from './tasks.ts';
import { usersCommand } from './users.ts';
import { vouchersCommand } from './vouchers.ts';

let database: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'everkept-commands-'));
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('DATA_DIR', dataDir);
  vi.stubEnv('LOG_LEVEL', 'silent');
  // Vite's own, which means something else.
  vi.stubEnv('BASE_URL', '');
  await database.db.execute(
    sql`insert into users (email, created_at) values ('ada@people.example', now() - interval '1 day'), ('ben@people.example', now())`,
  );
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await database.close();
  await rm(dataDir, { recursive: true });
});

afterEach(() => vi.restoreAllMocks());

/** Runs a command in this process; gives what it printed. */
async function run(command: Command, line: string, given: Record<string, string> = {}): Promise<string[]> {
  const printed: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text).trim()) > 0);
  const words = line.split(' ').filter((word) => word !== '');
  const flags = new Set(words.filter((word) => word.startsWith('--')).map((word) => word.slice(2)));
  try {
    await command.run(
      words.filter((word) => !word.startsWith('--')),
      { json: flags.delete('json'), flags, given: new Map(Object.entries(given)) },
    );
  } finally {
    vi.restoreAllMocks();
  }
  return [...printed, ...takeConsoleOutput().map((text) => text.replace(/^console\.\w+: /, ''))];
}

test('tasks lists each task with its interval, its last and next run and its last error, also as JSON', async () => {
  await database.db.execute(sql`
    insert into task_runs (name, begun_at, ended_at, lease_until, failed_at, failure) values
      ('erasures', '2026-11-29T03:00:00Z', '2026-11-28T03:00:05Z', null, '2026-11-29T03:00:07Z', 'RangeError'),
      ('returned mails', now(), null, now() + interval '5 minutes', null, null),
      ('unused files', now() - interval '1 minute', now(), null, null, null)`);
  const lines = await run(tasksCommand, '');
  expect(lines[0]).toMatch(/^task +every +last run +next run +last error$/);
  const of = (name: string) => lines.find((line) => line.startsWith(`${name} `));
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
  expect(of('sweep')).toMatch(/^sweep +1 min +never +now +–$/);
  expect(of('erasures')).toMatch(
    new RegExp(`^erasures +1 d +2026-11-29T03:00:00Z +${time} +RangeError at 2026-11-29T03:00:07Z$`),
  );
  expect(of('returned mails')).toMatch(new RegExp(`^returned mails +5 min +${time} +running +–$`));
  expect(of('unused files')).toMatch(new RegExp(`^unused files +1 h +${time} +${time} +–$`));

  const told = (await run(tasksCommand, '--json')).map((line) => JSON.parse(line));
  expect(told).toHaveLength(lines.length - 1);
  expect(told.find(({ name }) => name === 'erasures')).toMatchObject({
    ...{ everySeconds: 86_400, oncePer: 'installation', isRunning: false },
    ...{ lastRunAt: '2026-11-29T03:00:00.000Z', lastFailedAt: '2026-11-29T03:00:07.000Z', lastError: 'RangeError' },
  });
  expect(told.find(({ name }) => name === 'returned mails')).toMatchObject({ isRunning: true });
  await database.db.execute(sql`delete from task_runs`);
});

test('mails lists each mail with its recipient, patience, conduct in a freeze and ends, also as JSON', async () => {
  const lines = await run(mailsCommand, '');
  expect(lines[0]).toMatch(/^mail +to +by +patience +while frozen +ends with$/);
  const of = (kind: string) => lines.find((line) => line.startsWith(`${kind} `))?.replace(/ {2,}/g, ' | ');
  expect(of('accounts.reset')).toBe('accounts.reset | owner | email | standard, 3 d | leaves | –');
  expect(of('release.contact_asked')).toBe(
    'release.contact_asked | contact | email and text | patient, 30 d | waits | notice withdrawn',
  );

  const told = (await run(mailsCommand, '--json')).map((line) => JSON.parse(line));
  expect(told.map(({ kind }) => kind)).toEqual(Object.keys(mails));
  expect(told.find(({ kind }) => kind === 'delivery.held-back')).toMatchObject({
    ...{ to: 'contact', by: 'email', patience: 'patient', whileFrozen: 'leaves', endsWith: ['release ended'] },
  });
});

test('users list names every account, one a line, and as JSON', async () => {
  const lines = await run(usersCommand, 'list');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^ada@people\.example {2}free {2}user {2}unverified {2}since \d{4}-\d\d-\d\d/);
  const [first = ''] = await run(usersCommand, 'list --json');
  expect(JSON.parse(first)).toMatchObject({ email: 'ada@people.example', emailVerified: false });
});

test('users list says admin for the address in ADMIN_EMAIL once its mailbox is proven, as pages do', async () => {
  vi.stubEnv('ADMIN_EMAIL', 'ben@people.example');
  const roles = async () => (await run(usersCommand, 'list')).map((line) => line.split(/ {2}/)[2]);
  expect(await roles()).toEqual(['user', 'user']);
  await database.db.execute(
    sql`update users set email_verified = true, mailbox_proven_at = now() where email = 'ben@people.example'`,
  );
  expect(await roles()).toEqual(['user', 'admin']);
  vi.stubEnv('ADMIN_EMAIL', '');
});

test('users verify takes an address for verified, once, and writes it down', async () => {
  expect(await run(usersCommand, 'verify Ada@People.example')).toEqual(['ada@people.example is verified now.']);
  expect(await run(usersCommand, 'verify ada@people.example')).toEqual(['ada@people.example was verified already.']);
  const { rows } = await database.db.execute(sql`select action from audit_logs`);
  expect(rows).toEqual([{ action: 'account.verified-by-operator' }]);
  await expect(run(usersCommand, 'verify nobody@people.example')).rejects.toThrow('There is no account');
});

test.each(['', 'verify', 'delete', 'identities', 'remove-identity ada@people.example'])(
  'users %s is refused as words that are off',
  async (words) => {
    await expect(run(usersCommand, words)).rejects.toMatchObject({ name: 'CommandError', exitCode: 2 });
  },
);

test('every option that the help of a command names is one that it takes', async () => {
  const files = (await readdir(import.meta.dirname)).filter((name) => /^[a-z-]+\.ts$/.test(name));
  const names = files.map((file) => file.slice(0, -'.ts'.length));
  const untaken: string[] = [];
  for (const name of names) {
    const exports = Object.values(await import(`./${name}.ts`)) as Partial<Command>[];
    for (const { usage = [], flags = [], takes = [] } of exports.filter((each) => each?.usage !== undefined)) {
      const named = [...usage.join(' ').matchAll(/--([a-z-]+)/g)].map(([, option = '']) => option);
      untaken.push(...named.filter((option) => ![...flags, ...takes, 'json'].includes(option)));
    }
  }
  expect(untaken).toEqual([]);
});

test('every command says in its help that it answers as JSON, but for the one that serves', async () => {
  const files = (await readdir(import.meta.dirname)).filter((name) => /^[a-z-]+\.ts$/.test(name));
  const lines: string[] = [];
  for (const file of files) {
    const exports = Object.values(await import(`./${file.slice(0, -'.ts'.length)}.ts`)) as Partial<Command>[];
    lines.push(...exports.flatMap((each) => each?.usage ?? []));
  }
  expect(lines.filter((line) => !line.endsWith('[--json]'))).toEqual(['serve']);
  expect(lines.length).toBeGreaterThan(20);
});

test('migrate and the removal of old keys answer as JSON too', async () => {
  expect(await run(migrateCommand, '--json')).toEqual(['{"isCurrent":true}']);
  expect(await run(rotateKeysCommand, '--remove-old --json')).toEqual(['{"isRemoved":true}']);
});

test('audit verify ends well on a whole log, and says where a changed one was changed', async () => {
  expect(await run(auditCommand, 'verify')).toEqual(['The audit log is whole: 1 rows, 0 anchored days.']);
  await database.db.execute(sql`update audit_logs set action = 'account.verify'`);
  await expect(run(auditCommand, 'verify')).rejects.toMatchObject({ name: 'CommandError', exitCode: 1 });
  await database.db.execute(sql`update audit_logs set action = 'account.verified-by-operator'`);
  const never = `everkept-audit-anchor 2026-11-23 chains=1 rows=1 hmac=${'A'.repeat(43)}`;
  await expect(run(auditCommand, 'verify', { anchor: never })).rejects.toMatchObject({ exitCode: 1 });
  await expect(run(auditCommand, 'verify', { anchor: '2026-11-23' })).rejects.toMatchObject({ exitCode: 2 });
  const [line = ''] = await run(auditCommand, 'verify --json');
  expect(JSON.parse(line)).toEqual({ ok: true, rows: 1, anchors: 0 });
});

describe('doctor', () => {
  type Told = { ok: boolean; findings: { what: string; state: string; found: string; mend?: string }[] };
  const examine = async (): Promise<Told> => {
    const printed = await run(doctorCommand, '--json').catch(() => takeConsoleOutput().map((text) => text.slice(13)));
    return JSON.parse(printed[0] ?? '{}') as Told;
  };
  const stateOf = ({ findings }: Told, name: string) => findings.find(({ what }) => what === name)?.state;

  test('finds an installation well, and changes nothing in it', async () => {
    await chmod(dataDir, 0o700);
    const before = await dumpRows(database);
    const told = await examine();
    expect(told.findings.filter(({ state }) => state === 'bad')).toEqual([]);
    expect(told.ok).toBe(true);
    for (const name of [
      'settings',
      'disk',
      'master key',
      'database',
      'connections',
      'clock',
      'migrations',
      'mail server',
      'file store',
    ]) {
      expect(stateOf(told, name), name).toBe('well');
    }
    expect(stateOf(told, 'worker')).toBe('poor');
    expect(await dumpRows(database)).toEqual(before);
    const lines = await run(doctorCommand, '');
    expect(lines.join('\n')).toMatch(/well {2}database: PostgreSQL \d+/);
  });

  test('names what does not work, says how to mend it, and repeats no password', async () => {
    vi.stubEnv('DATABASE_URL', 'postgresql://everkept:hunter2-secret@127.0.0.1:1/everkept');
    vi.stubEnv('SMTP_URL', 'smtp://everkept:hunter2-secret@127.0.0.1:1');
    vi.stubEnv('MAIL_FROM', 'hello@everkept.example');
    vi.stubEnv('BOUNCE_MAILBOX', 'imap://everkept:hunter2-secret@127.0.0.1:1');
    await writeFile(join(dataDir, 'master.key'), 'short', { mode: 0o600 });
    const told = await examine();
    vi.stubEnv('DATABASE_URL', database.url);
    vi.stubEnv('SMTP_URL', '');
    vi.stubEnv('MAIL_FROM', '');
    vi.stubEnv('BOUNCE_MAILBOX', '');
    await rm(join(dataDir, 'master.key'));
    expect(told.ok).toBe(false);
    for (const name of ['database', 'mail server', 'mails that come back', 'master key'])
      expect(stateOf(told, name), name).toBe('bad');
    for (const { state, mend } of told.findings) expect(mend !== undefined).toBe(state !== 'well');
    expect(JSON.stringify(told)).not.toContain('hunter2-secret');
  });

  test('says if the bounce mailbox is read', async () => {
    const [server, mailbox] = [await startMailServer(), await startImapServer()];
    onTestFinished(() => Promise.all([server.close(), mailbox.close()]).then(() => undefined));
    vi.stubEnv('SMTP_URL', server.url);
    vi.stubEnv('MAIL_FROM', 'hello@everkept.example');
    const unread = await examine();
    expect(stateOf(unread, 'mails that come back')).toBe('poor');
    expect(JSON.stringify(unread)).toContain('Set BOUNCE_MAILBOX to the mailbox of hello@everkept.example');
    vi.stubEnv('BOUNCE_MAILBOX', mailbox.url);
    expect(stateOf(await examine(), 'mails that come back')).toBe('well');
    for (const name of ['SMTP_URL', 'MAIL_FROM', 'BOUNCE_MAILBOX']) vi.stubEnv(name, '');
  });

  test('names the version of the webhook to set while events of a provider cannot be read', async () => {
    onTestFinished(async () => void (await database.db.execute(sql`delete from payment_events`)));
    const store = (reason: string | null, minutes: number) =>
      database.db.execute(sql`
        insert into payment_events (id, provider, provider_event_id, type, reason, occurred_at, received_at)
        select gen_random_uuid(), 'stripe', gen_random_uuid(), 'invoice.paid', ${reason}, at, at
        from (values (now() - ${minutes} * interval '1 minute')) as given (at)`);
    const look = async () => (await examine()).findings.find(({ what }) => what === 'payment events');
    await store(null, 60);
    expect(await look()).toBeUndefined();
    await store('shape', 30);
    const finding = await look();
    expect(finding).toMatchObject({ state: 'poor', found: expect.stringContaining('invoice.paid') });
    expect(finding?.mend).toContain(`set the API version of the webhook endpoint to ${stripeApiVersion}`);
    await store(null, 10);
    expect(await look()).toBeUndefined();
  });

  test.each([
    ['S3_ACCESS_KEY_ID', 'SOMEBODY', /does not know the access key/],
    ['S3_SECRET_ACCESS_KEY', 'not-the-secret', /secret key is not the one/],
    ['S3_BUCKET', 'elsewhere', /no bucket with this name/],
  ])('says plainly where object storage does not let us in: a wrong %s', async (name, value, sentence) => {
    const store = await startStrictObjectStore('vault');
    onTestFinished(() => store.close());
    const { region, accessKeyId, secretAccessKey } = strictStoreKeys;
    const right = {
      S3_BUCKET: 'vault',
      S3_ENDPOINT: store.endpoint,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    };
    const stub = (given: Record<string, string>) => Object.entries(given).map(([key, text]) => vi.stubEnv(key, text));
    onTestFinished(() => void stub(Object.fromEntries(Object.keys(right).map((key) => [key, '']))));
    stub(right);
    expect(stateOf(await examine(), 'file store')).toBe('well');
    stub({ [name]: value });
    const finding = (await examine()).findings.find(({ what }) => what === 'file store');
    expect(finding).toMatchObject({ state: 'bad', found: expect.stringMatching(sentence) });
    expect(finding?.mend).toContain(name);
    expect(JSON.stringify(finding)).not.toContain(value);
  });

  test('takes neither a folder that others can pass through nor mail of this minute for an ill', async () => {
    const doctorAt = async (mode: number, minutes: number) => {
      await chmod(dataDir, mode);
      await database.db.execute(sql`update service_health
        set mail_troubled_since = clock_timestamp() - ${`${minutes} minutes`}::interval`);
      const told = await examine();
      return [stateOf(told, 'data folder'), stateOf(told, 'post')];
    };
    // As the embedded database makes it where its account is another one.
    expect(await doctorAt(0o711, 1)).toEqual(['well', 'well']);
    expect(await doctorAt(0o755, 16)).toEqual(['poor', 'bad']);
    await database.db.execute(sql`update service_health set mail_troubled_since = null`);
    await chmod(dataDir, 0o700);
  });

  test('tells of the site as workers find it, of the breaker, and of a clock that was ahead', async () => {
    const say = (told: Told, name: string) => told.findings.find(({ what }) => what === name);
    expect(say(await examine(), 'site')).toBeUndefined();
    expect(say(await examine(), 'time')).toBeUndefined();
    await database.db.execute(sql`insert into site_watch (address, asked_at)
      values ('https://vault.example', clock_timestamp())`);
    expect(say(await examine(), 'site')).toMatchObject({ state: 'well', found: expect.stringContaining('yet') });
    await database.db.execute(sql`update site_watch set answered_at = asked_at`);
    expect(say(await examine(), 'site')).toMatchObject({ state: 'well' });
    await database.db.execute(sql`update site_watch set failing_since = asked_at, reason = 'status 502'`);
    await database.db.execute(sql`update service_health
      set silence_stopped_at = now(), highest_seen_at = now() + interval '3 days'`);
    const told = await examine();
    expect(say(told, 'site')).toMatchObject({
      state: 'bad',
      found: expect.stringMatching(/^Workers have not reached https:\/\/vault\.example since .+ \(status 502\)\.$/),
    });
    expect(say(told, 'releases')).toMatchObject({ state: 'bad', found: expect.stringContaining('breaker') });
    expect(say(told, 'time')).toMatchObject({ state: 'bad', found: expect.stringContaining('ahead') });
    await database.db.execute(sql`update service_health set silence_stopped_at = null, highest_seen_at = null`);
    await database.db.execute(sql`delete from site_watch`);
  });

  test('names each task whose last run failed', async () => {
    await database.db.execute(sql`
      insert into task_runs (name, begun_at, ended_at, failed_at, failure) values
        ('erasures', now(), '2026-11-28T03:00:00Z', '2026-11-29T03:00:00Z', 'RangeError'),
        ('sweep', now(), now(), now() - interval '1 hour', 'Error'),
        ('removed task', now() - interval '8 days', null, now() - interval '8 days', 'Error')`);
    const { findings } = await examine();
    await database.db.execute(sql`delete from task_runs`);
    const [found] = findings.filter(({ what }) => what === 'tasks');
    expect(found).toMatchObject({
      state: 'poor',
      found: 'The last run of these tasks failed: erasures (RangeError at 2026-11-29T03:00:00.000Z).',
    });
    expect(stateOf(await examine(), 'tasks')).toBe('well');
  });

  test('sees a worker that is gone, releases that are stopped, and a wrong setting', async () => {
    await database.db.execute(sql`update service_health
      set last_beat_at = now() - interval '2 hours', frozen_at = now(), frozen_reason = 'Somebody looks.'`);
    const told = await examine();
    expect([stateOf(told, 'worker'), stateOf(told, 'releases')]).toEqual(['bad', 'bad']);
    vi.stubEnv('PORT', 'three thousand');
    expect((await examine()).findings).toMatchObject([{ what: 'settings', state: 'bad' }]);
    vi.stubEnv('PORT', '');
  });
});

test('rotate-keys adds no key of its own where the operator keeps them', async () => {
  vi.stubEnv('MASTER_KEY', Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64'));
  await database.db.execute(sql`delete from service_keys`);
  await expect(run(rotateKeysCommand, '')).rejects.toThrow('add a line with a higher number');
  await expect(run(rotateKeysCommand, '--remove-old')).rejects.toThrow('only reads them');
});

test('vouchers are made for days of London, listed and disabled, in any case and with spaces', async () => {
  const days = { uses: '5', from: '2031-06-01', until: '2031-06-30' };
  expect(await run(vouchersCommand, 'create summer20 20', days)).toEqual(['SUMMER20 can be used from 1 June 2031.']);
  const [listed = ''] = await run(vouchersCommand, 'list --json');
  expect(JSON.parse(listed)).toMatchObject([
    { code: 'SUMMER20', maxUses: 5, validFrom: '2031-05-31T23:00:00.000Z', validUntil: '2031-06-30T23:00:00.000Z' },
  ]);
  await expect(run(vouchersCommand, 'create Summer20 30')).rejects.toMatchObject({ exitCode: 1 });
  const [made = ''] = await run(vouchersCommand, 'create gift FREE --json');
  expect(JSON.parse(made)).toMatchObject({ code: 'GIFT', discountType: 'free' });
  expect(await run(vouchersCommand, 'disable summer20')).toEqual([
    'SUMMER20 can no longer be used. Plans that were bought with it stay.',
  ]);
  expect(await run(vouchersCommand, 'list')).toEqual([
    'GIFT: free, used 0 of any number of times',
    'SUMMER20: 20% off, used 0 of 5 times, from 1 June 2031, until 30 June 2031, disabled',
  ]);
  await expect(run(vouchersCommand, 'disable nobody')).rejects.toMatchObject({ exitCode: 1 });
});

test.each<[string, Record<string, string>?]>([
  ['create X 20'],
  ['create GOOD 94'],
  ['create GOOD 0'],
  ['create GOOD'],
  ['create GOOD 20 30'],
  ['create GOOD 20', { uses: '0' }],
  ['create GOOD 20', { until: '2031-02-30' }],
  ['create GOOD 20', { until: '2020-01-01' }],
  ['create GOOD 20', { from: '2031-01-02', until: '2031-01-01' }],
  ['list', { uses: '3' }],
  ['disable'],
  ['forget GOOD'],
])('vouchers %s with %o is refused in words', async (line, given) => {
  await expect(run(vouchersCommand, line, given)).rejects.toMatchObject({ exitCode: 2 });
});

test('users identities lists the providers of an account, and remove-identity removes one', async () => {
  expect(await run(usersCommand, 'identities ada@people.example')).toEqual([
    'No provider opens the account of ada@people.example.',
  ]);
  await database.db.execute(sql`insert into user_identities (issuer, subject, user_id, email)
    select 'https://login.example', 'one', id, 'ada@work.example' from users where email = 'ada@people.example'`);
  const [line = ''] = await run(usersCommand, 'identities Ada@People.example');
  expect(line).toMatch(
    /^login-example {2}login\.example {2}ada@work\.example {2}linked \d{4}-\d\d-\d\d {2}never used$/,
  );
  const [json = ''] = await run(usersCommand, 'identities ada@people.example --json');
  expect(JSON.parse(json)).toMatchObject({ provider: 'login-example', email: 'ada@work.example' });

  await expect(run(usersCommand, 'remove-identity ada@people.example google')).rejects.toThrow('No provider google');
  expect(await run(usersCommand, 'remove-identity ada@people.example login-example')).toEqual([
    'login-example no longer opens the account of ada@people.example. Every device was signed out, and the owner is emailed.',
  ]);
  const { rows } = await database.db.execute(sql`select subject from user_identities`);
  expect(rows).toEqual([]);
  await expect(run(usersCommand, 'identities nobody@people.example')).rejects.toThrow('There is no account');
});
