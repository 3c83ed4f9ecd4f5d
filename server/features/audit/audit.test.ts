import { createHash, randomUUID } from 'node:crypto';
import { eq, max, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { App } from '#server/app.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { auditChains, auditLogs } from '#server/schema/audit.tables.ts';
import type { TestDatabase } from '#tests/support/database.ts';
import { openTestApp } from '#tests/support/installation/open-test-app.ts';
import { canonicalContent } from './audit.rules.ts';
import { verifyAudit } from './audit.ts';
import { type AuditEntry, recordAudit, recordAudits } from './record.ts';

let database: TestDatabase;
let app: App;
const at = new Date('2026-03-01T09:30:00.123Z');

beforeAll(async () => {
  ({ app, database } = await openTestApp());
});

afterAll(() => app.close());

beforeEach(async () => {
  await database.db.delete(auditLogs);
  await database.db.delete(auditChains);
  await database.db.delete(users);
});

async function newOwner(): Promise<string> {
  const id = randomUUID();
  await database.db.insert(users).values({ id, email: `${id}@example.org` });
  return id;
}

function record(entry: Partial<AuditEntry> & { userId: string | null }): Promise<void> {
  return recordAudit(app, database.db, { action: 'message.update', resource: 'message', at, ...entry });
}

async function newChain(length: number): Promise<string> {
  const userId = await newOwner();
  for (let index = 0; index < length; index += 1) await record({ userId, resourceId: `${index}`, details: { index } });
  return userId;
}

test('a record says who did what to which row, from where and when', async () => {
  const userId = await newOwner();
  const origin = { ipAddress: '203.0.113.7', userAgent: 'Browser/1.0 (\u00fc)' };
  await record({ userId, resourceId: 'abc', details: { b: 1, a: ['x', null, true] }, origin });

  const [row] = await database.db.select().from(auditLogs);
  expect(row).toMatchObject({
    userId,
    action: 'message.update',
    resource: 'message',
    resourceId: 'abc',
    details: { a: ['x', null, true], b: 1 },
    ipAddress: '203.0.113.7',
    userAgent: 'Browser/1.0 (\u00fc)',
    createdAt: at,
    chain: userId,
    position: 1,
  });
  expect(await verifyAudit(app)).toMatchObject({ ok: true, rows: 1 });
});

test('several entries of an owner go into the chain in their order, beside single ones, however many come at once', async () => {
  const userId = await newOwner();
  const entries = Array.from({ length: 3 }, (_, index) => {
    return { userId, action: 'message.update', resource: 'message', resourceId: `${index}`, details: { index }, at };
  });
  const { db } = database;
  await record({ userId });
  await Promise.all([1, 2, 3].map(() => db.transaction((tx) => recordAudits(app, tx, entries))));
  await record({ userId });
  await db.transaction((tx) => recordAudits(app, tx, []));

  const rows = await db.select().from(auditLogs).where(eq(auditLogs.chain, userId)).orderBy(auditLogs.position);
  expect(rows.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(rows.slice(1, 10).map(({ resourceId }) => resourceId)).toEqual(['0', '1', '2', '0', '1', '2', '0', '1', '2']);
  expect(await verifyAudit(app)).toMatchObject({ ok: true, rows: 11 });
});

test('entries of several owners and of none go each into its own chain, and whoever writes them crosswise waits for nobody for ever', async () => {
  const owners = [await newOwner(), await newOwner(), null];
  const entry = { action: 'message.update', resource: 'message', resourceId: 'x', details: { words: 2, a: 'b' }, at };
  const entries: AuditEntry[] = [...owners, ...owners].map((userId) => ({ ...entry, userId }));
  const { db } = database;
  const rounds = Array.from({ length: 10 }, (_, index) => (index % 2 ? entries : entries.toReversed()));
  await Promise.all(rounds.map((round) => db.transaction((tx) => recordAudits(app, tx, round))));

  const lengths = await db
    .select({ chain: auditLogs.chain, length: max(auditLogs.position) })
    .from(auditLogs)
    .groupBy(auditLogs.chain);
  expect(lengths.map(({ length }) => length)).toEqual([20, 20, 20]);
  expect(await verifyAudit(app)).toMatchObject({ ok: true, rows: 60 });
});

test('an empty log verifies', async () => {
  expect(await verifyAudit(app)).toMatchObject({ ok: true, rows: 0 });
});

test('what a browser calls itself cannot break a record', async () => {
  const userAgent = `\0\ud800${'\u{1f989}'.repeat(1_000)}`;
  await record({ userId: null, origin: { ipAddress: null, userAgent } });
  const [row] = await database.db.select().from(auditLogs);
  expect(row?.userAgent).toHaveLength(400);
  expect(await verifyAudit(app)).toMatchObject({ ok: true, rows: 1 });
});

test('texts and addresses are withheld from the details', async () => {
  await record({
    userId: null,
    details: { reason: 'He died on Tuesday', to: 'priya@example.org', nested: { note: 'two words', ok: 'ready' } },
  });
  const [row] = await database.db.select().from(auditLogs);
  expect(row?.details).toEqual({
    reason: '[withheld]',
    to: '[withheld]',
    nested: { note: '[withheld]', ok: 'ready' },
  });
  expect(await verifyAudit(app)).toMatchObject({ ok: true, rows: 1 });
});

test('a record is two statements, and three where its chain begins', async () => {
  const statements: string[] = [];
  const client = await database.pool.connect();
  const { drizzle } = await import('drizzle-orm/node-postgres');
  const watched = drizzle({ client, logger: { logQuery: (query) => statements.push(query) } });
  const entry = { userId: null, action: 'a.b', resource: 'a', at };
  const counted = async () => {
    statements.length = 0;
    await watched.transaction((tx) => recordAudit(app, tx, entry));
    return statements.filter((statement) => statement.includes('audit_')).length;
  };
  expect([await counted(), await counted()]).toEqual([3, 2]);
  client.release();
});

test('a record is undone with the transaction it belongs to', async () => {
  const userId = await newChain(2);
  await expect(
    database.db.transaction(async (tx) => {
      await recordAudit(app, tx, { userId, action: 'a.b', resource: 'a', at });
      throw new Error('undone');
    }),
  ).rejects.toThrow('undone');
  await record({ userId });
  expect(await verifyAudit(app)).toMatchObject({ ok: true, rows: 3 });
});

test('a hundred records of one owner at once make one chain without a gap', async () => {
  const userId = await newOwner();
  await Promise.all(Array.from({ length: 100 }, () => record({ userId })));
  const [head] = await database.db.select().from(auditChains);
  expect(head?.length).toBe(100);
  expect(await verifyAudit(app)).toMatchObject({ ok: true, rows: 100 });
});

test('a log longer than a page of reading verifies', async () => {
  const userId = await newOwner();
  await database.db.transaction(async (tx) => {
    for (let index = 0; index < 1_001; index += 1) {
      await recordAudit(app, tx, { userId, action: 'a.b', resource: 'a', at });
    }
  });
  await newChain(2);
  expect(await verifyAudit(app)).toMatchObject({ ok: true, rows: 1_003 });
});

test('the chain outlives the account and still verifies', async () => {
  const userId = await newChain(3);
  await database.db.delete(users);
  const rows = await database.db.select().from(auditLogs);
  expect(rows.map((row) => [row.userId, row.chain])).toEqual([
    [null, userId],
    [null, userId],
    [null, userId],
  ]);
  expect(await verifyAudit(app)).toMatchObject({ ok: true, rows: 3 });
});

describe('verification finds', () => {
  let owner: string;

  beforeEach(async () => {
    await newChain(3);
    owner = await newChain(5);
    await newChain(3);
    await record({ userId: null });
  });

  const broken = async () => {
    const found = await verifyAudit(app);
    expect(found.ok).toBe(false);
    return found.firstBroken;
  };
  const rowAt = (position: number) => sql`chain = ${owner} and position = ${position}`;

  test.each([1, 3, 5])('row %i removed', async (position) => {
    await database.db.delete(auditLogs).where(rowAt(position));
    expect(await broken()).toEqual({ chain: owner, position });
  });

  test('several rows cut off at the end', async () => {
    await database.db.delete(auditLogs).where(sql`chain = ${owner} and position >= 3`);
    expect(await broken()).toEqual({ chain: owner, position: 3 });
  });

  test('a whole chain removed', async () => {
    await database.db.delete(auditLogs).where(eq(auditLogs.chain, owner));
    expect(await broken()).toEqual({ chain: owner, position: 1 });
  });

  test('the head of a chain removed', async () => {
    await database.db.delete(auditChains).where(eq(auditChains.chain, owner));
    expect(await broken()).toMatchObject({ chain: owner });
  });

  const changes: [string, string][] = [
    ['action', `action = 'message.delete'`],
    ['resource', `resource = 'contact'`],
    ['resource id', `resource_id = 'x'`],
    ['missing resource id', `resource_id = null`],
    ['details', `details = '{"index": 9}'`],
    ['address', `ip_address = '198.51.100.1'`],
    ['browser', `user_agent = 'Other'`],
    ['time', `created_at = created_at + interval '1 millisecond'`],
    ['id', `id = gen_random_uuid()`],
    ['hash', `hash = sha256('x')`],
    ['previous hash', `previous_hash = sha256('x')`],
  ];

  test.each(changes)('a changed %s', async (_, change) => {
    await database.db.execute(sql`update audit_logs set ${sql.raw(change)} where ${rowAt(3)}`);
    expect(await broken()).toEqual({ chain: owner, position: 3 });
  });

  test('a row that was given to somebody else', async () => {
    await database.db
      .update(auditLogs)
      .set({ userId: await newOwner() })
      .where(rowAt(3));
    expect(await broken()).toEqual({ chain: owner, position: 3 });
  });

  test('two rows that changed places', async () => {
    await database.db.update(auditLogs).set({ position: 99 }).where(rowAt(2));
    await database.db.update(auditLogs).set({ position: 2 }).where(rowAt(3));
    await database.db.update(auditLogs).set({ position: 3 }).where(rowAt(99));
    expect(await broken()).toEqual({ chain: owner, position: 2 });
  });

  test('a row that was added', async () => {
    await database.db.execute(sql`
      insert into audit_logs (id, user_id, action, resource, created_at, chain, position, previous_hash, hash)
      select gen_random_uuid(), user_id, 'a.b', 'a', created_at, chain, 6, hash, sha256('x')
      from audit_logs where ${rowAt(5)}`);
    expect(await broken()).toEqual({ chain: owner, position: 6 });
  });
});

describe('somebody who writes to the database and has no key', () => {
  let owner: string;

  beforeEach(async () => {
    await newChain(3);
    owner = await newChain(5);
    await record({ userId: null });
  });

  const run = (statement: string) => database.pool.query(statement.replaceAll('OWNER', `'${owner}'`));
  const broken = async () => (await verifyAudit(app)).firstBroken;

  test('removes rows and hashes the chain again without the key, and it shows', async () => {
    await run('delete from audit_logs where chain = OWNER and position in (2, 3)');
    const { db } = database;
    const rows = await db.select().from(auditLogs).where(eq(auditLogs.chain, owner)).orderBy(auditLogs.position);
    let previousHash: Buffer = Buffer.alloc(32);
    for (const [index, row] of rows.entries()) {
      const text = canonicalContent({ ...row, createdAt: row.createdAt.toISOString() });
      const hash = createHash('sha256')
        .update(previousHash)
        .update(`${index + 1} ${text}`)
        .digest();
      await db
        .update(auditLogs)
        .set({ position: index + 1, previousHash, hash })
        .where(eq(auditLogs.id, row.id));
      previousHash = hash;
    }
    await db.update(auditChains).set({ length: 3, headHash: previousHash }).where(eq(auditChains.chain, owner));
    expect(await broken()).toEqual({ chain: owner, position: 1 });
  });

  test('cuts the end off and says that the chain is shorter, and it shows', async () => {
    await run('delete from audit_logs where chain = OWNER and position > 3');
    await run(`update audit_chains c set length = 3, head_hash = l.hash from audit_logs l
               where c.chain = OWNER and l.chain = OWNER and l.position = 3`);
    expect(await broken()).toEqual({ chain: owner, position: 3 });
  });

  test('cuts the beginning off as if its time were over, and it shows', async () => {
    await run(`update audit_chains c set pruned_length = 2, pruned_hash = l.hash from audit_logs l
               where c.chain = OWNER and l.chain = OWNER and l.position = 2`);
    await run('delete from audit_logs where chain = OWNER and position <= 2');
    expect(await broken()).toMatchObject({ chain: owner });
  });

  test('empties where requests of somebody who is still there came from, and it shows', async () => {
    const origin = { ipAddress: '203.0.113.7', userAgent: 'Browser/1.0' };
    await record({ userId: owner, origin });
    expect(await broken()).toBeUndefined();
    const emptied = 'ip_address = null, user_agent = null, origin_salt = null';
    await run(`update audit_logs set ${emptied} where chain = OWNER and position = 6`);
    expect(await broken()).toEqual({ chain: owner, position: 6 });
    await run('update audit_logs set user_id = null where chain = OWNER and position = 6');
    expect(await broken()).toEqual({ chain: owner, position: 6 });
  });
});
