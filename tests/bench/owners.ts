import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import { sessions, users, vaultKeys } from '#server/schema/accounts.tables.ts';

const monthMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Owners on the widest plan, each with a vault and signed in. Written by SQL, since passwords are slow by design and
 * signing in has a budget. Gives their cookies.
 */
export async function createOwners(
  db: Database,
  { dataDir, count, name = 'owner' }: { dataDir: string; count: number; name?: string },
) {
  const masterKeys = await loadMasterKeys({ dataDir });
  const vaults = createVaults(masterKeys);
  const { hashToken } = await createServiceKeys(db, masterKeys);
  const owners = Array.from({ length: count }, (_, number) => ({
    id: randomUUID(),
    email: `${name}-${number}@everkept.example`,
    token: newToken(),
  }));
  const soon = new Date(Date.now() + monthMs);
  await db.insert(users).values(
    owners.map(({ id, email }) => ({
      id,
      email,
      firstName: 'Bench',
      plan: 'premium' as const,
      emailVerified: true,
      nextStepAt: soon,
    })),
  );
  await db.insert(vaultKeys).values(owners.map(({ id }) => ({ userId: id, ...vaults.create(id) })));
  await db.insert(sessions).values(
    owners.map(({ id, token }) => ({
      sid: hashToken(token),
      sess: { ipAddress: null, userAgent: null },
      expire: soon,
      userId: id,
    })),
  );
  await db.execute(sql`analyze users, vault_keys, sessions`);
  return owners.map(({ token }) => `everkept=${token}`);
}
