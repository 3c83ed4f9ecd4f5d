import { and, eq, lte, not, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared } from '#server/platform/db/prepared.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { isHeld, isInLine } from './held-notifications.repository.ts';
import type { NotificationRow } from './notifications.repository.ts';

export type Claim = {
  now: Date;
  leaseUntil: Date;
  except: readonly string[];
  /** Kinds that stay while they, or everything, is frozen. */
  held: readonly string[];
  /** Whether the mail server takes any now; texts leave all the same. */
  hasMailRoom: boolean;
  /** Where it takes no more than so many: how many each owner has had lately, by their id, so that they are given out in turn. */
  served: ReadonlyMap<string | null, number> | null;
  limit: number;
};

const isDue = () =>
  and(
    // In the text, or a plan for any status would pass by the index on open ones.
    isInLine,
    lte(notifications.nextAttemptAt, sql.placeholder('now')),
    sql`${notifications.id} <> all(${sql.placeholder('except')}::uuid[])`,
    not(isHeld(sql`${sql.placeholder('held')}`)),
    sql`(${notifications.channel} <> 'email' or ${sql.placeholder('hasMailRoom')}::boolean)`,
  );

const claimed = {
  status: 'sending',
  attempts: sql`${notifications.attempts} + case when ${notifications.acceptedAt} is null then 1 else 0 end`,
  firstAttemptAt: sql`coalesce(${notifications.firstAttemptAt}, ${sql.placeholder('now')}::timestamptz)`,
  lastAttemptAt: sql`${sql.placeholder('now')}`,
  isLeaving: false,
  leaseUntil: sql`${sql.placeholder('leaseUntil')}`,
  nextAttemptAt: sql`${sql.placeholder('leaseUntil')}`,
} as const;

const dueClaimed = prepared((executor) => {
  const due = executor
    .$with('due')
    .as(
      executor
        .select({ id: notifications.id })
        .from(notifications)
        .where(isDue())
        .orderBy(notifications.nextAttemptAt, notifications.id)
        .limit(sql.placeholder('limit'))
        .for('update', { skipLocked: true }),
    );
  return executor
    .with(due)
    .update(notifications)
    .set(claimed)
    .where(eq(notifications.id, sql`any(array(select id from due))`))
    .returning()
    .prepare('notifications_claim_due');
});

/**
 * The same where no more may leave than a provider takes: reminders first, which may end a release, and then each owner in
 * turn. It looks at all that is due, which is more than the other does, and asked less often.
 */
const fairlyClaimed = prepared((executor) => {
  const turns = executor.$with('turns').as(
    executor
      .select({
        id: notifications.id,
        turn: sql<number>`coalesce((${sql.placeholder('served')}::jsonb ->> ${notifications.userId}::text)::int, 0)
          + row_number() over (partition by ${notifications.policy} = 'owner-reminder', ${notifications.userId}
            order by ${notifications.nextAttemptAt}, ${notifications.id})`.as('turn'),
      })
      .from(notifications)
      .where(isDue()),
  );
  const due = executor.$with('due').as(
    executor
      .select({ id: notifications.id })
      .from(notifications)
      .innerJoin(turns, eq(turns.id, notifications.id))
      // Once more: another worker may have taken it since its turn was counted.
      .where(and(isInLine, lte(notifications.nextAttemptAt, sql.placeholder('now'))))
      .orderBy(
        sql`${notifications.policy} <> 'owner-reminder'`,
        sql`${turns.turn}`,
        notifications.nextAttemptAt,
        notifications.id,
      )
      .limit(sql.placeholder('limit'))
      .for('update', { of: notifications, skipLocked: true }),
  );
  return executor
    .with(turns, due)
    .update(notifications)
    .set(claimed)
    .where(eq(notifications.id, sql`any(array(select id from due))`))
    .returning()
    .prepare('notifications_claim_fairly');
});

/**
 * Takes those that have waited longest, or each owner's in turn, in one statement: attempt and lease are written before anything is sent.
 * Rows that another worker is just taking are passed by, and so is what is frozen. What was accepted but not settled is
 * taken too.
 */
export async function claimDue(
  executor: Executor,
  { now, leaseUntil, except, held, hasMailRoom, served, limit }: Claim,
): Promise<NotificationRow[]> {
  const given = {
    now: now.toISOString(),
    leaseUntil: leaseUntil.toISOString(),
    except: [...except],
    held: [...held],
    hasMailRoom,
    limit,
  };
  const rows = served
    ? await fairlyClaimed(executor).execute({ ...given, served: JSON.stringify(Object.fromEntries(served)) })
    : await dueClaimed(executor).execute(given);
  const isLater = (row: NotificationRow) => (served && row.policy !== 'owner-reminder' ? 1 : 0);
  return rows.sort(
    (one, other) =>
      isLater(one) - isLater(other) ||
      one.notBefore.getTime() - other.notBefore.getTime() ||
      (one.id < other.id ? -1 : 1),
  );
}
