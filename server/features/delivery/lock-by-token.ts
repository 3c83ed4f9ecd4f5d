import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type DeliveryRow, findByTokenHash, lockDelivery } from './delivery.repository.ts';

/** Finds a delivery by its link and locks it, the owner first as everywhere. */
export async function lockByToken(app: App, tx: Executor, token: string): Promise<DeliveryRow | null> {
  const known = await findByTokenHash(tx, app.serviceKeys.hashToken(token));
  if (!known) return null;
  await lockOwnerRow(tx, known.userId);
  return lockDelivery(tx, known.id);
}
