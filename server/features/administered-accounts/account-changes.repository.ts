import { eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import type { RoleName } from '#shared/rules/roles.ts';

/** Marks a new account as opened by an administrator: its password is good for one sign-in. */
export async function storeOpenedFor(
  tx: Executor,
  account: { userId: string; plan: PlanName; role: RoleName; at: Date },
): Promise<void> {
  const { userId, plan, role, at } = account;
  await tx
    .update(users)
    .set({ plan, role, planGrantedAt: plan === 'free' ? null : at, tempPassword: true })
    .where(eq(users.id, userId));
}

export async function storeGrantedPlan(tx: Executor, grant: { userId: string; plan: PlanName; at: Date }) {
  const { userId, plan, at } = grant;
  const planGrantedAt = plan === 'free' ? null : at;
  await tx.update(users).set({ plan, planGrantedAt, updatedAt: at }).where(eq(users.id, userId));
}

export async function storeRole(tx: Executor, change: { userId: string; role: RoleName; at: Date }): Promise<void> {
  await tx.update(users).set({ role: change.role, updatedAt: change.at }).where(eq(users.id, change.userId));
}

export async function storeUnverified(tx: Executor, userId: string, at: Date): Promise<void> {
  const changed = { emailVerified: false, mailboxProvenAt: null, updatedAt: at };
  await tx.update(users).set(changed).where(eq(users.id, userId));
}
