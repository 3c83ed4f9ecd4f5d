import { and, eq, inArray, lte, not, or, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared } from '#server/platform/db/prepared.ts';
import { notifications, wordChannels } from '#server/schema/notifications.tables.ts';
import { isFrozenMail, isInLine } from './frozen-mail.repository.ts';
import type { NotificationRow } from './notifications.repository.ts';

export type Claim = {
  now: Date;
  leaseUntil: Date;
  /** Messages that this process has claimed already. */
  except: readonly string[];
  /** True if the mail server accepts mail now. Texts leave anyway. */
  hasMailRoom: boolean;
  /** True if a push or a call of the webhook may take a lane now. */
  hasCompanionRoom: boolean;
  /** Recent number of claims per owner id, so that owners take turns. Null if the mail server has no rate limit. */
  served: ReadonlyMap<string | null, number> | null;
};

const isDue = () =>
  and(
    // Its statuses are literals. With parameters, the planner could not use the index on open messages.
    isInLine,
    lte(notifications.nextAttemptAt, sql.placeholder('now')),
    sql`${notifications.id} <> all(${sql.placeholder('except')}::uuid[])`,
    not(isFrozenMail),
    sql`(${notifications.channel} <> 'email' or ${sql.placeholder('hasMailRoom')}::boolean)`,
    or(inArray(notifications.channel, wordChannels), sql`${sql.placeholder('hasCompanionRoom')}::boolean`),
  );

/** An accepted message is claimed for its consequences alone, which is no attempt. */
const claimed = {
  status: 'sending',
  attempts: sql`${notifications.attempts} + case when ${notifications.acceptedAt} is null then 1 else 0 end`,
  firstAttemptAt: sql`coalesce(${notifications.firstAttemptAt}, ${sql.placeholder('now')}::timestamptz)`,
  lastAttemptAt: sql`${sql.placeholder('now')}`,
  // The provider of texts has it already.
  isLeaving: sql`${notifications.acceptedAt} is null and ${notifications.providerId} is not null`,
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
 * Claim for a provider with a rate limit. Reminders go first, because their answers may end a release, and then owners
 * take turns. It reads all due rows, so it costs more than `dueClaimed`, but runs less often.
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
      // Repeats the condition, because another worker may have claimed the row since its turn was counted.
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
 * Claims the due message that has waited longest or, with `served`, the one whose owner is next. Records its attempt and
 * lease before it is sent. Skips frozen rows and rows that another worker claims. Null if none is due.
 */
export async function claimDue(
  executor: Executor,
  { now, leaseUntil, except, hasMailRoom, hasCompanionRoom, served }: Claim,
): Promise<NotificationRow | null> {
  const given = {
    now: now.toISOString(),
    leaseUntil: leaseUntil.toISOString(),
    except: [...except],
    hasMailRoom,
    hasCompanionRoom,
  };
  const [row] = served
    ? await fairlyClaimed(executor).execute({ ...given, served: JSON.stringify(Object.fromEntries(served)) })
    : await dueClaimed(executor).execute(given);
  return row ?? null;
}
