import { eq, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';

/** Frees the address of an account that is about to go, so that another may have it. */
export async function setAddressAside(tx: Executor, userId: string): Promise<void> {
  await tx
    .update(users)
    .set({ email: sql`${users.id} || '@handed-over.invalid'` })
    .where(eq(users.id, userId));
}

/** Copies the plan, paid or given by an administrator. A stranger can't have planted these columns. */
export async function copyPlan(tx: Executor, { from, to }: { from: string; to: string }): Promise<void> {
  await tx.execute(sql`
    update users set plan = before.plan, plan_granted_at = before.plan_granted_at,
      subscription_status = before.subscription_status, subscription_start = before.subscription_start,
      subscription_end = before.subscription_end, payment_provider = before.payment_provider,
      payment_customer_id = before.payment_customer_id, payment_subscription_id = before.payment_subscription_id
    from users before where before.id = ${from} and users.id = ${to}`);
}
