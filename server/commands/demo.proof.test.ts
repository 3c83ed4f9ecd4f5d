import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createBlankDatabase, createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import { demoCommand } from './demo.ts';

let database: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'everkept-demo-'));
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('DATA_DIR', dataDir);
  vi.stubEnv('BASE_URL', '');
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await database.close();
  await rm(dataDir, { recursive: true });
});

const peopleIn = (text: string) => [...text.matchAll(/(\w+)@demo\.example/g)].map(([, name]) => name);
const options = { json: false, flags: new Set<string>(), given: new Map<string, string>() };

test('an empty installation is filled with people in every state, whose time ends now', async () => {
  await demoCommand.run([], options);
  const [told = ''] = takeConsoleOutput();
  expect(told).toContain('Everybody’s password is: ');
  const [awake = '', silent = ''] = told.split('Signing in as one of these');
  expect(peopleIn(awake)).toEqual(['olive', 'wanda', 'una', 'grace']);
  expect(peopleIn(silent)).toEqual(['rhea', 'warren', 'silas', 'pavel', 'hester']);
  const { rows } = await database.db.execute<{ email: string; state: string | null }>(sql`
    select email, case
        when request.released_at is not null then 'released'
        when request.id is not null then request.phase
        when silence.id is not null then case when silence.last_notice is null then 'reminded' else 'warned' end
      end as state
    from users
      left join release_silences silence on silence.user_id = users.id and silence.closed_at is null
      left join release_requests request on request.user_id = users.id and request.closed_at is null`);
  const stateOf = Object.fromEntries(rows.map(({ email, state }) => [email.split('@')[0], state]));
  expect(stateOf).toMatchObject({
    olive: null,
    una: null,
    rhea: 'reminded',
    warren: 'warned',
    silas: 'asking',
    pavel: 'paused',
    hester: 'holding',
    grace: 'released',
  });
  const { rows: away } = await database.db.execute(sql`select email from users where away_until > now()`);
  expect(away).toEqual([{ email: 'wanda@demo.example' }]);
  const { rows: trustees } = await database.db.execute(sql`
    select trustee.email from trustee_relationships join users trustee on trustee.id = trustee_user_id where is_active`);
  expect(trustees).toEqual([{ email: 'olive@demo.example' }]);
  const { rows: letters } = await database.db.execute(sql`select distinct status from messages order by 1`);
  expect(letters.map(({ status }) => status)).toEqual(['delivered', 'draft', 'ready']);
  const { rows: opened } = await database.db.execute(sql`
    select count(*)::int as sent, count(accessed_at)::int as opened from message_deliveries`);
  expect(opened[0]).toEqual({ sent: 2, opened: 1 });
  const { rows: payments } = await database.db.execute(sql`
    select amount_pence::int as pence, count(*)::int as made from payments where status = 'paid' group by 1 order by 1`);
  expect(payments, 'half a year by the month, and two others').toEqual([
    { pence: 499, made: 1 },
    { pence: 999, made: 7 },
    { pence: 4_999, made: 1 },
  ]);
  const { rows: enclosed } = await database.db.execute(sql`
    select split_part(users.email, '@', 1) as writer, messages.status, kind, messages.attachment_mime_type as beside
    from message_enclosures join messages on messages.id = message_id join users on users.id = messages.user_id
    order by 1, kind`);
  expect(enclosed).toEqual([
    { writer: 'grace', status: 'delivered', kind: 'picture', beside: null },
    { writer: 'hester', status: 'ready', kind: 'voice', beside: null },
    { writer: 'olive', status: 'ready', kind: 'picture', beside: 'video/webm' },
    { writer: 'olive', status: 'ready', kind: 'voice', beside: 'video/webm' },
  ]);
  const { rows: documents } = await database.db.execute<{ type: string; bytes: number }>(sql`
    select mime_type as type, file_size::int as bytes from documents order by 1`);
  expect(documents.map(({ type }) => type)).toEqual([
    ...['application/pdf', 'application/pdf'],
    ...['image/jpeg', 'video/webm'],
  ]);
  for (const { type, bytes } of documents) expect(bytes, type).toBeGreaterThan(5_000);
  const { rows: health } = await database.db.execute(sql`
    select clock_offset_ms::int as ahead, highest_seen_at <= now() + interval '1 minute' as past from service_health`);
  expect(health).toEqual([{ ahead: 0, past: true }]);
});

test('a database of something else is said to be just that', async () => {
  const other = await createBlankDatabase();
  await other.db.execute(sql`create table invoices (id int)`);
  vi.stubEnv('DATABASE_URL', other.url);
  await expect(demoCommand.run([], options)).rejects.toThrow('This database holds tables of another program');
  vi.stubEnv('DATABASE_URL', database.url);
  await other.close();
});

test('a place with people is left alone, and so are mailboxes', async () => {
  await expect(demoCommand.run([], options)).rejects.toThrow('This installation has been used already');
  vi.stubEnv('SMTP_URL', 'smtp://mail.example');
  vi.stubEnv('MAIL_FROM', 'hello@demo.example');
  await expect(demoCommand.run([], options)).rejects.toThrow('SMTP_URL is set');
});
