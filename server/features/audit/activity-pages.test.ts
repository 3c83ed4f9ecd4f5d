import { randomBytes, randomUUID } from 'node:crypto';
import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createVaultWorld, nowhere, type VaultWorld } from '#server/features/messages/vault.test-world.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { activityPerPage } from '#shared/contract/activity.ts';
import { getActivity } from './activity.ts';

let world: VaultWorld;
beforeAll(async () => {
  world = await createVaultWorld();
});
afterAll(() => world.close());

const lines = 2_000;

test('each of 2,000 lines is read once, fifty at a time, by one statement a page', async () => {
  const principal = await world.newOwner();
  const { userId } = principal;
  const event = { action: 'document.create', resource: 'document', chain: userId, userId, createdAt: new Date() };
  const rows = Array.from({ length: lines }, (_, index) => {
    const hashes = { previousHash: randomBytes(32), hash: randomBytes(32) };
    return { ...event, ...hashes, id: randomUUID(), position: index + 1 };
  });
  await world.db.insert(auditLogs).values(rows.slice(0, lines / 2));
  await world.db.insert(auditLogs).values(rows.slice(lines / 2));
  const statements: string[] = [];
  const db = drizzle({ client: world.pool, logger: { logQuery: (query) => void statements.push(query) } });
  const app = { ...world.app, db } as typeof world.app;
  const seen: number[] = [];
  for (let before: number | undefined, isLast = false; !isLast; ) {
    const { entries, next } = await getActivity(app, { principal, origin: nowhere, query: { before } });
    expect(entries.length).toBeLessThanOrEqual(activityPerPage);
    seen.push(...entries.map(({ position }) => position));
    before = next ?? undefined;
    isLast = next === null;
  }
  expect(seen).toEqual(rows.map(({ position }) => position).toReversed());
  expect(statements).toHaveLength(lines / activityPerPage);
  expect(statements.every((query) => query.includes('limit'))).toBe(true);
});
