import { type DeliveryRow, lifeOf } from '#server/features/delivery/delivery.repository.ts';
import { keptEndAt, type Moment } from '#server/features/delivery/delivery.rules.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { wantsNoMore } from './say.repository.ts';

/** Words of a reader so far. Left out if there are none. */
export type Said = { keptUntil?: Date; noReminders?: true; noMore?: true };

/** Returns the words of the reader of a letter. */
export async function saidOf(executor: Executor, delivery: DeliveryRow, now: Moment): Promise<{ said?: Said }> {
  const { userId, sayKey, personKey } = delivery;
  const keptUntilMs = keptEndAt(lifeOf(delivery).kept, now);
  const said: Said = {
    ...(keptUntilMs !== null && keptUntilMs > now.atMs ? { keptUntil: new Date(keptUntilMs) } : {}),
    ...(delivery.answeredAt ? { noReminders: true } : {}),
    ...((await wantsNoMore(executor, { userId, personKeys: [sayKey, personKey] })) ? { noMore: true } : {}),
  };
  return Object.keys(said).length > 0 ? { said } : {};
}
