import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import { releaseCommand } from './release.ts';

let database: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'everkept-release-'));
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('DATA_DIR', dataDir);
  vi.stubEnv('LOG_LEVEL', 'silent');
  // Vite's own, which means something else.
  vi.stubEnv('BASE_URL', '');
  await database.db.execute(sql`insert into users (email) values ('ada@people.example')`);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await database.close();
  await rm(dataDir, { recursive: true });
});

/** Runs the command as typed; gives what it printed. */
async function release(line: string): Promise<string[]> {
  const words = line.split(' ').filter((word) => word !== '');
  const flags = new Set(words.filter((word) => word.startsWith('--')).map((word) => word.slice(2)));
  const positionals = words.filter((word) => !word.startsWith('--'));
  await releaseCommand.run(positionals, { json: flags.delete('json'), flags, given: new Map() });
  return takeConsoleOutput().map((text) => text.replace(/^console\.\w+: /, ''));
}

const rowsOf = async (query: ReturnType<typeof sql>) => (await database.db.execute(query)).rows;

test('release freeze --all stops everybody until release resume, and both are written down', async () => {
  expect(await release('show')).toEqual(['Releases go on.']);
  expect((await release('freeze --all'))[0]).toMatch(/^Releases have been stopped for everybody since \d{4}-/);
  expect((await release('freeze --all'))[0]).toBe('It was so already. Nothing has changed.');
  expect(await release('resume')).toEqual(['Releases go on.']);
  expect(await rowsOf(sql`select action from audit_logs order by position`)).toEqual([
    { action: 'release.frozen' },
    { action: 'release.resumed' },
  ]);
});

test('release freeze EMAIL stops one owner, whom a mail tells, and counts them', async () => {
  expect(await release('freeze Ada@People.example')).toEqual(['This owner’s release is stopped.']);
  expect(await release('show')).toEqual(['Releases go on.', 'Stopped by name: 1.']);
  const [shown = ''] = await release('show --json');
  expect(JSON.parse(shown)).toEqual({
    frozenAt: null,
    reason: null,
    frozenOwners: 1,
    silenceStoppedAt: null,
    foreseen: [],
    countedAccounts: [],
    heldMailboxes: [],
    earlyReviews: [],
    restored: null,
    clockAheadUntil: null,
    underWay: [],
  });
  expect(await release('resume ada@people.example')).toEqual(['It goes on.']);
  const [again = ''] = await release('resume ada@people.example --json');
  expect(JSON.parse(again)).toMatchObject({ frozenOwners: 0, isChanged: false });
  expect(
    await rowsOf(sql`select count(*)::int as mails from notifications where kind = 'release.owner-freeze'`),
  ).toEqual([{ mails: 2 }]);
  await expect(release('freeze nobody@people.example')).rejects.toThrow('No account has this address.');
});

test('release show names the accounts that the breaker counted and a mailbox that is held; resume lets both go on', async () => {
  const at = '2030-03-04T10:00:00Z';
  await database.db.execute(sql`with ada as (select id from users),
    silence as (insert into release_silences
      (id, user_id, inactivity_days, needed, answer_days, waiting_days, first_notice, opened_at, counted_on_day)
      select gen_random_uuid(), id, 90, 1, 7, 3, 1, ${at}, '2030-03-04' from ada),
    request as (insert into release_requests (id, user_id, cause, inactivity_days, needed, answer_days, waiting_days,
        opened_at, opened_healthy_ms, is_silence_over, phase, phase_at, phase_healthy_ms)
      select gen_random_uuid(), id, 'trustee', 90, 1, 7, 3, ${at}, 0, false, 'asking', ${at}, 0 from ada returning id),
    contact as (insert into trusted_contacts (id, user_id, name, email) select gen_random_uuid(), id, 'Tom', 'tom@post.example' from ada returning id)
    insert into release_answers (id, request_id, number, contact_id, says, at, healthy_ms, notice, is_void, hold)
      select gen_random_uuid(), request.id, 0, contact.id, 'yes', ${at}, 0, 0, false, 'held' from request, contact`);
  await database.db.execute(sql`update service_health set silence_stopped_at = ${at}`);
  expect(await release('show')).toEqual([
    'Releases that contacts confirm go on.',
    'Releases by silence have been stopped since 2030-03-04T10:00:00.000Z. What trusted contacts have confirmed goes on.',
    'Counted on that day: ada@people.example.',
    'Under review: tom@post.example, which has confirmed early for ada@people.example. To allow it: release resume tom@post.example.',
    'ada@people.example: This release can’t be read, because its rows do not fit together. A repair. See the log of the worker.',
  ]);
  expect(await release('resume tom@post.example')).toEqual(['It goes on.']);
  expect(await release('resume')).toEqual(['Releases go on.']);
  await database.db.execute(sql`delete from release_requests`);
});

test('release show names an early release that waits for a review, and resume ends the review', async () => {
  await database.db.execute(sql`
    with bea as (insert into users (email) values ('bea@people.example') returning id)
    insert into release_requests (id, user_id, cause, inactivity_days, needed, answer_days,
      waiting_days, opened_at, opened_healthy_ms, is_silence_over, phase, phase_at, phase_healthy_ms, early_review)
    select gen_random_uuid(), id, 'trustee', 90, 1, 7, 3, now(), 0, false, 'asking', now(), 0, 'waiting'
    from bea`);
  expect(await release('show')).toEqual([
    'Releases go on.',
    'Waits for you: the early release of bea@people.example, which would write to many new mailboxes. To allow it: release resume bea@people.example.',
    expect.stringMatching(/^bea@people\.example: Contacts are asked\. Your review: /),
  ]);
  expect(JSON.parse((await release('show --json'))[0] ?? '')).toMatchObject({ earlyReviews: ['bea@people.example'] });
  expect(await release('resume bea@people.example')).toEqual(['It goes on.']);
  expect(await release('show')).toEqual(['Releases go on.', expect.not.stringContaining('review')]);
  expect(await rowsOf(sql`select early_review from release_requests where early_review is not null`)).toEqual([
    { early_review: 'let_go' },
  ]);
  await database.db.execute(sql`delete from release_requests`);
});

test('release show EMAIL names one account, and when an email came in answer to ours', async () => {
  await database.db.execute(sql`insert into users (email) values ('cal@people.example')`);
  expect(await release('show Cal@people.example')).toEqual(['cal@people.example: No release is open.']);
  await database.db.execute(sql`
    insert into notifications (id, user_id, channel, kind, dedupe_key, message_id, status, not_before, accepted_at, replied_at, created_at)
    select gen_random_uuid(), id, 'email', 'release.nudge', 'answered', '<answered@x.example>', 'accepted', now(), now(),
      '2030-03-04T10:15:00Z', now() from users where email = 'cal@people.example'`);
  expect(await release('show cal@people.example')).toEqual([
    'cal@people.example: No release is open. A reply to our email came on 2030-03-04 at 10:15 UTC. It is not an answer. Read it in the mailbox.',
  ]);
  expect(JSON.parse((await release('show cal@people.example --json'))[0] ?? '')).toMatchObject({ state: 'watching' });
  await expect(release('show nobody@people.example')).rejects.toThrow('No account has this address.');
});

test.each([
  '',
  'freeze',
  'start',
  'show ada@people.example --all',
  'freeze ada@people.example --all',
  'resume a@b.example c',
  'retry',
  'retry a@b.example --all',
  'resume a@b.example --agree',
])('release %s is refused as words that are off', async (words) => {
  await expect(release(words)).rejects.toMatchObject({ name: 'CommandError', exitCode: 2 });
});

test('release retry says why nothing can be tried again', async () => {
  await expect(release('retry nobody@people.example')).rejects.toThrow('No account has this address.');
  await expect(release('retry ada@people.example')).rejects.toThrow('No release of this owner is in progress.');
});

test('release show says that a clock that was ahead stops everything, and how that ends', async () => {
  await database.db.execute(sql`update service_health set highest_seen_at = now() + interval '400 days'`);
  const shown = await release('show');
  expect(shown).toEqual([expect.stringMatching(/^The clock was ahead once: .* run clock accept\.$/)]);
  await database.db.execute(sql`update service_health set highest_seen_at = now()`);
  expect(await release('show')).toEqual(['Releases go on.']);
});
