import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { pushDevices } from '#server/schema/notifications.tables.ts';

export type PushDeviceRow = typeof pushDevices.$inferSelect;

/** Devices of these owners, by owner. */
export async function listDeviceIds(
  executor: Executor,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const rows = await executor
    .select({ id: pushDevices.id, userId: pushDevices.userId })
    .from(pushDevices)
    .where(inArray(pushDevices.userId, [...userIds]));
  return new Map([...Map.groupBy(rows, ({ userId }) => userId)].map(([id, all]) => [id, all.map((row) => row.id)]));
}

export function listDevices(executor: Executor, userId: string): Promise<PushDeviceRow[]> {
  return executor.select().from(pushDevices).where(eq(pushDevices.userId, userId)).orderBy(asc(pushDevices.createdAt));
}

export async function findDevice(executor: Executor, id: string): Promise<PushDeviceRow | null> {
  const [row] = await executor.select().from(pushDevices).where(eq(pushDevices.id, id));
  return row ?? null;
}

/** Stores a device. A browser that belonged to another account belongs to this one from now on. */
export async function storeDevice(tx: Executor, row: PushDeviceRow): Promise<void> {
  await tx.delete(pushDevices).where(eq(pushDevices.endpointHash, row.endpointHash));
  await tx.insert(pushDevices).values(row);
}

/** False if this owner has no such device. */
export async function deleteDevice(tx: Executor, { id, userId }: { id: string; userId: string }): Promise<boolean> {
  const gone = await tx
    .delete(pushDevices)
    .where(and(eq(pushDevices.id, id), eq(pushDevices.userId, userId)))
    .returning({ id: pushDevices.id });
  return gone.length > 0;
}
