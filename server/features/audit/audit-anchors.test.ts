import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { App } from '#server/app.ts';
import { users } from '#server/schema/accounts.tables.ts';
import type { TestDatabase } from '#tests/support/database.ts';
import { openTestApp } from '#tests/support/installation/open-test-app.ts';
import { type Anchor, anchoredAction, anchorLine, readAnchorLine } from './audit.rules.ts';
import { anchorAudit, pruneAudit, verifyAudit } from './audit.ts';
import { findLastAnchor } from './audit-anchors.ts';
import { pseudonymise, recordAudit } from './record.ts';

let database: TestDatabase;
let app: App;

beforeAll(async () => {
  ({ app, database } = await openTestApp());
});
afterAll(() => app.close());
beforeEach(() => run('truncate audit_logs, audit_chains, users cascade'));

const run = (statement: string) => database.db.execute(sql.raw(statement));
const origin = { ipAddress: '203.0.113.7', userAgent: 'Browser/1.0' };

async function record(userId: string | null, day: string, action = 'message.update'): Promise<void> {
  const at = new Date(`${day}T12:00:00Z`);
  await database.db.transaction((tx) => recordAudit(app, tx, { userId, action, resource: 'message', origin, at }));
}

async function newOwner(day: string, rows = 2): Promise<string> {
  const id = randomUUID();
  await database.db.insert(users).values({ id, email: `${id}@example.org` });
  for (let index = 0; index < rows; index += 1) await record(id, day);
  return id;
}

async function anchor(day: string): Promise<Anchor> {
  const anchored = await anchorAudit(app, day);
  const entry = { userId: null, action: anchoredAction, resource: 'audit', details: anchored };
  await database.db.transaction((tx) => recordAudit(app, tx, { ...entry, at: new Date(`${day}T23:00:00Z`) }));
  return anchored;
}

const verify = (given: readonly Anchor[] = []) => verifyAudit(app, given);

async function erase(userId: string): Promise<void> {
  await database.db.transaction((tx) => pseudonymise(tx, userId));
  await run(`delete from users where id = '${userId}'`);
}

describe('an anchored day', () => {
  test('is worked out again, whatever happened to its owners since', async () => {
    const [one, other, gone] = [
      await newOwner('2026-03-01'),
      await newOwner('2026-03-01'),
      await newOwner('2026-03-01'),
    ];
    const first = await anchor('2026-03-01');
    expect(first).toMatchObject({ chains: 3, rows: 6 });
    await record(one, '2026-03-02');
    await newOwner('2026-03-02');
    await anchor('2026-03-02');
    await erase(gone);
    for (const day of ['2026-03-03', '2026-03-04']) await anchor(day);
    await record(other, '2026-03-05');
    expect(await verify([first])).toEqual({ ok: true, rows: 14, anchors: 5 });
  });

  test('is one line, which is read back as it was', async () => {
    await newOwner('2026-03-01');
    const made = await anchor('2026-03-01');
    expect(anchorLine(made)).toMatch(/^everkept-audit-anchor 2026-03-01 chains=1 rows=2 hmac=[\w-]{43}$/);
    expect(readAnchorLine(` ${anchorLine(made)}\n`)).toEqual(made);
    expect(readAnchorLine(anchorLine(made).slice('everkept-audit-anchor '.length))).toEqual(made);
    expect(readAnchorLine('2026-03-01')).toBeNull();
    expect(await findLastAnchor(database.db)).toEqual(made);
  });

  test('shows that rows and head of one owner were removed altogether', async () => {
    const [, owner] = [await newOwner('2026-03-01'), await newOwner('2026-03-02')];
    await anchor('2026-03-01');
    const made = await anchor('2026-03-02');
    const late = await newOwner('2026-03-03');
    await anchor('2026-03-03');
    await run(`delete from audit_logs where chain = '${late}'`);
    await run(`delete from audit_chains where chain = '${late}'`);
    expect(await verify()).toMatchObject({ ok: false, firstBrokenDay: '2026-03-03' });
    await run(`delete from audit_logs where chain = '${owner}'`);
    await run(`delete from audit_chains where chain = '${owner}'`);
    expect(await verify()).toMatchObject({ ok: false, firstBrokenDay: '2026-03-01' });
    // Without the rows that keep the anchors, the line of a mail still shows it.
    await run("delete from audit_logs where chain = 'installation'");
    await run("delete from audit_chains where chain = 'installation'");
    expect(await verify()).toMatchObject({ ok: true, anchors: 0 });
    expect(await verify([made])).toMatchObject({ ok: false, firstBrokenDay: '2026-03-02' });
  });

  test('shows that the log was set back to what it was before', async () => {
    const owner = await newOwner('2026-03-01');
    await run(`create table kept_head as select * from audit_chains where chain = '${owner}'`);
    await record(owner, '2026-03-01', 'release.stopped');
    await anchor('2026-03-01');
    await run(`delete from audit_logs where chain = '${owner}' and position = 3`);
    await run(`delete from audit_chains where chain = '${owner}'`);
    await run('insert into audit_chains select * from kept_head');
    await run('drop table kept_head');
    expect(await verify()).toMatchObject({ ok: false, firstBrokenDay: '2026-03-01' });
  });

  test('cannot show that rows after the last anchor were cut off with a saved head', async () => {
    const owner = await newOwner('2026-03-01');
    await anchor('2026-03-01');
    await run(`create table kept_head as select * from audit_chains where chain = '${owner}'`);
    await record(owner, '2026-03-02', 'release.stopped');
    await run(`delete from audit_logs where chain = '${owner}' and position = 3`);
    await run(`delete from audit_chains where chain = '${owner}'`);
    await run('insert into audit_chains select * from kept_head');
    await run('drop table kept_head');
    expect(await verify()).toMatchObject({ ok: true });
  });

  test('a line that somebody invented does not agree', async () => {
    await newOwner('2026-03-01');
    const made = await anchor('2026-03-01');
    const mac = randomBytes(32).toString('base64url');
    expect(await verify([{ ...made, mac }])).toMatchObject({ ok: false, firstBrokenDay: '2026-03-01' });
    expect(await verify([{ ...made, rows: made.rows + 1 }])).toMatchObject({ ok: false });
  });

  test('agrees where chains ended since because their time was over, and where one is emptied to its end', async () => {
    const [gone, quiet, lively] = [
      await newOwner('2024-03-01'),
      await newOwner('2024-03-01'),
      await newOwner('2024-03-01', 3),
    ];
    await anchor('2024-03-01');
    await record(lively, '2026-02-01');
    await anchor('2026-02-01');
    await record(lively, '2026-02-02');
    await erase(gone);
    await anchor('2026-02-02');
    const before = new Date('2026-01-01T00:00:00Z');
    for (let rows = 1; rows > 0; )
      rows = await database.db.transaction((tx) =>
        pruneAudit(app, tx, { before, limit: 2, at: new Date('2026-03-01') }),
      );
    const { rows: chains } = await database.db.execute<{ chain: string }>(
      sql`select chain from audit_chains order by 1`,
    );
    expect(chains.map(({ chain }) => chain)).toEqual([quiet, lively, 'installation'].sort());
    expect(await verify()).toMatchObject({ ok: true, anchors: 2 });
    await anchor('2026-03-01');
    expect(await verify()).toMatchObject({ ok: true, anchors: 3 });
    await run(`update audit_logs set details = details - 'length' where action = 'audit.chain_ended'`);
    expect(await verify()).toMatchObject({ ok: false, firstBroken: { chain: 'installation' } });
  });

  test('agrees also where rows are written while it is made, and where one was begun and never recorded', async () => {
    const owners = await Promise.all(Array.from({ length: 5 }, () => newOwner('2026-03-01')));
    await anchorAudit(app, '2026-03-01');
    await Promise.all([
      ...owners.flatMap((owner) => [record(owner, '2026-03-02'), record(owner, '2026-03-02'), newOwner('2026-03-02')]),
      anchor('2026-03-02'),
    ]);
    await anchor('2026-03-03');
    expect(await verify()).toMatchObject({ ok: true, anchors: 2 });
  });
});
