import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { isFrozen } from '#server/schema/release.tables.ts';

/**
 * Whether a message may not leave now: it is of one of these kinds, and what it is about is frozen. One that was accepted
 * has left already; only what follows from it is missing.
 */
export function isHeld(kinds: SQL): SQL {
  return sql`(${notifications.kind} = any(${kinds}::text[]) and ${notifications.acceptedAt} is null
    and ${isFrozen(notifications.userId)})`;
}

/** A list as one value, for statements that are not prepared. */
export const asParameter = (kinds: readonly string[]): SQL => sql`${sql.param([...kinds])}`;

const dueAnew = statement(sql`
    with waiting as (
      select id from ${notifications}
      where ${notifications.status} in ('pending', 'sending')
        and ${notifications.nextAttemptAt} <= ${sql.placeholder('at')}::timestamptz
        and ${notifications.acceptedAt} is null
        and ${notifications.kind} = any(${sql.placeholder('kinds')}::text[])
        and (${sql.placeholder('userId')}::uuid is null or ${notifications.userId} = ${sql.placeholder('userId')}::uuid)
      order by id for update skip locked
    )
    update ${notifications} set not_before = ${sql.placeholder('at')}::timestamptz
    from waiting where ${notifications.id} = waiting.id`);

/** Makes what is due of these kinds due from now on, of one owner or of all (`null`), as if it had just been written. */
export async function makeDueAnew(
  tx: Executor,
  { kinds, userId, at }: { kinds: readonly string[]; userId: string | null; at: Date },
): Promise<void> {
  await dueAnew(tx, { kinds: [...kinds], userId, at: at.toISOString() });
}
