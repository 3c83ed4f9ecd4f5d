import { and, asc, gt, ne, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { vaultKeys } from '#server/schema/accounts.tables.ts';

export type StoredVaultKey = { userId: string; keyVersion: number; wrappedKey: Buffer };

/** Keys that are not wrapped with this version, in the order of their owners, after one of them. */
export function listKeysOfOtherVersions(
  executor: Executor,
  { version, afterUserId, limit }: { version: number; afterUserId: string; limit: number },
): Promise<StoredVaultKey[]> {
  return executor
    .select({ userId: vaultKeys.userId, keyVersion: vaultKeys.keyVersion, wrappedKey: vaultKeys.wrappedKey })
    .from(vaultKeys)
    .where(and(ne(vaultKeys.keyVersion, version), gt(vaultKeys.userId, afterUserId)))
    .orderBy(asc(vaultKeys.userId))
    .limit(limit);
}

/**
 * Stores rewrapped keys, each only if it did not change since it was read, so a destroyed vault stays destroyed.
 * Returns the number of stored keys.
 */
export async function replaceKeys(
  executor: Executor,
  keys: readonly { userId: string; readVersion: number; keyVersion: number; wrappedKey: Buffer }[],
): Promise<number> {
  const column = <Value>(read: (key: (typeof keys)[number]) => Value) => sql.param(keys.map(read));
  const { rowCount } = await executor.execute(sql`
    update vault_keys set key_version = fresh.key_version, wrapped_key = fresh.wrapped_key
    from unnest(${column(({ userId }) => userId)}::uuid[], ${column(({ readVersion }) => readVersion)}::int[],
                ${column(({ keyVersion }) => keyVersion)}::int[], ${column(({ wrappedKey }) => wrappedKey)}::bytea[])
      as fresh (user_id, read_version, key_version, wrapped_key)
    where vault_keys.user_id = fresh.user_id and vault_keys.key_version = fresh.read_version`);
  return rowCount ?? 0;
}
