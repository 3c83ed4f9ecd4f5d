import { and, eq, lte, not, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared } from '#server/platform/db/prepared.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { isFrozenMail, isInLine } from './frozen-mail.repository.ts';
import type { NotificationRow } from './notifications.repository.ts';

export type Claim = {
  now: Date;
  leaseUntil: Date;
  except: readonly string[];
  /** Kinds that stay while their owner, or everything, is frozen. */
  frozenKinds: readonly string[];
  /** True if the mail server accepts mail now. Texts leave anyway. */
  hasMailRoom: boolean;
  /** Recent number of messages per owner id, if the mail server limits the rate, so that owners take turns. */
  served: ReadonlyMap<string | null, number> | null;
};

const isDue = () =>
  and(
    // In the text, or a plan for any status would pass by the index on open ones.
    isInLine,
    lte(notifications.nextAttemptAt, sql.placeholder('now')),
    sql`${notifications.id} <> all(${sql.placeholder('except')}::uuid[])`,
    not(isFrozenMail(sql`${sql.placeholder('frozenKinds')}`)),
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
        .limit(1)
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
 * Variant for a provider with a limited rate: reminders first, which may end a release, and then each owner in turn. It
 * reads all due rows, which costs more than the other statement, and runs less often.
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
      .limit(1)
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
 * Claims the message that has waited longest, or the next owner's in turn, in one statement: attempt and lease are
 * written before anything is sent. Skips rows that another worker is claiming, and frozen ones. An accepted message
 * without recorded consequences is claimed too. Null if none is due.
 */
export async function claimDue(
  executor: Executor,
  { now, leaseUntil, except, frozenKinds, hasMailRoom, served }: Claim,
): Promise<NotificationRow | null> {
  const given = {
    now: now.toISOString(),
    leaseUntil: leaseUntil.toISOString(),
    except: [...except],
    frozenKinds: [...frozenKinds],
    hasMailRoom,
  };
  const [row] = served
    ? await fairlyClaimed(executor).execute({ ...given, served: JSON.stringify(Object.fromEntries(served)) })
    : await dueClaimed(executor).execute(given);
  return row ?? null;
}
