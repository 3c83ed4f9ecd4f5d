import { and, asc, eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { passkeys } from '#server/schema/second-factors.tables.ts';

export type PasskeyRow = typeof passkeys.$inferSelect;

export async function insertPasskey(tx: Executor, row: PasskeyRow): Promise<boolean> {
  const added = await tx
    .insert(passkeys)
    .values(row)
    .onConflictDoNothing({ target: passkeys.credentialId })
    .returning({ id: passkeys.id });
  return added.length > 0;
}

export function passkeysOf(executor: Executor, userId: string): Promise<PasskeyRow[]> {
  return executor.select().from(passkeys).where(eq(passkeys.userId, userId)).orderBy(asc(passkeys.createdAt));
}

export async function findPasskey(executor: Executor, credentialId: string): Promise<PasskeyRow | null> {
  const [row] = await executor.select().from(passkeys).where(eq(passkeys.credentialId, credentialId));
  return row ?? null;
}

/** Notes a use, unless the key is gone or was used since it was read: a counter that went back is a copied key. */
export async function storePasskeyUse(
  tx: Executor,
  use: { id: string; counterBefore: number; counter: number; isBackedUp: boolean; at: Date },
): Promise<boolean> {
  const stored = await tx
    .update(passkeys)
    .set({ counter: use.counter, isBackedUp: use.isBackedUp, lastUsedAt: use.at })
    .where(and(eq(passkeys.id, use.id), eq(passkeys.counter, use.counterBefore)))
    .returning({ id: passkeys.id });
  return stored.length > 0;
}

/** Returns true if the owner had it. */
export async function deletePasskey(tx: Executor, userId: string, id: string): Promise<boolean> {
  const gone = await tx
    .delete(passkeys)
    .where(and(eq(passkeys.userId, userId), eq(passkeys.id, id)))
    .returning({ id: passkeys.id });
  return gone.length > 0;
}
