import { count, countDistinct, eq, gt, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { payments, subscriptions } from '#server/schema/billing.tables.ts';

export async function countUsers(executor: Executor): Promise<number> {
  const [row] = await executor.select({ total: count() }).from(users);
  return row?.total ?? 0;
}

/** Income of the active subscriptions by term, in pence. */
export async function sumActive(executor: Executor): Promise<{ term: string; pence: number }[]> {
  return executor
    .select({ term: subscriptions.term, pence: sql<number>`sum(${subscriptions.pricePence})`.mapWith(Number) })
    .from(subscriptions)
    .where(eq(subscriptions.status, 'active'))
    .groupBy(subscriptions.term);
}

const kept = sql`sum(${payments.amountPence} - ${payments.refundedPence})`;

/** Number of accounts that ever paid, and the income after refunds in pence. */
export async function sumPayments(executor: Executor): Promise<{ payers: number; keptPence: number }> {
  const [row] = await executor
    .select({ payers: countDistinct(payments.payerId), keptPence: sql<number>`coalesce(${kept}, 0)`.mapWith(Number) })
    .from(payments)
    .where(gt(payments.amountPence, 0));
  return row ?? { payers: 0, keptPence: 0 };
}

/** Income after refunds of the last months, the present one included, oldest first. Months follow London time. */
export async function sumMonths(
  executor: Executor,
  { now, months }: { now: Date; months: number },
): Promise<{ month: string; keptPence: number }[]> {
  const present = sql`date_trunc('month', ${now.toISOString()}::timestamptz at time zone 'Europe/London')`;
  const { rows } = await executor.execute<{ month: string; kept: string }>(sql`
    with months as (
      select generate_series(${present} - make_interval(months => ${months - 1}), ${present}, interval '1 month') as starts
    )
    select to_char(months.starts, 'YYYY-MM') as month, coalesce(${kept}, 0) as kept
    from months left join ${payments}
      on ${payments.paidAt} >= months.starts at time zone 'Europe/London'
      and ${payments.paidAt} < (months.starts + interval '1 month') at time zone 'Europe/London'
    group by months.starts order by months.starts`);
  return rows.map(({ month, kept: pence }) => ({ month, keptPence: Number(pence) }));
}
