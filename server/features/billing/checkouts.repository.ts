import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lte, ne, or, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { checkouts } from '#server/schema/billing.tables.ts';

export type CheckoutRow = typeof checkouts.$inferSelect;
type NewCheckout = typeof checkouts.$inferInsert;

export async function insertCheckout(tx: Executor, checkout: NewCheckout): Promise<CheckoutRow> {
  const [row] = await tx.insert(checkouts).values(checkout).returning();
  if (!row) throw new Error('A checkout was written and not given back.');
  return row;
}

export async function findCheckout(executor: Executor, id: string): Promise<CheckoutRow | null> {
  const [row] = await executor.select().from(checkouts).where(eq(checkouts.id, id));
  return row ?? null;
}

export async function findCheckoutByToken(executor: Executor, tokenHash: string): Promise<CheckoutRow | null> {
  const [row] = await executor.select().from(checkouts).where(eq(checkouts.tokenHash, tokenHash));
  return row ?? null;
}

/** Takes the row until the end of the transaction: whoever settles a purchase holds its first checkout. */
export async function lockCheckout(tx: Executor, id: string): Promise<CheckoutRow | null> {
  const [row] = await tx.select().from(checkouts).where(eq(checkouts.id, id)).for('update');
  return row ?? null;
}

/** What was asked for in one purchase, oldest first: its own checkout, and every change of price since. */
export function listAsked(executor: Executor, id: string): Promise<CheckoutRow[]> {
  return executor
    .select()
    .from(checkouts)
    .where(
      and(
        or(eq(checkouts.id, id), eq(checkouts.subscriptionId, id)),
        inArray(checkouts.purpose, ['subscribe', 'change']),
      ),
    )
    .orderBy(asc(checkouts.createdAt), asc(checkouts.id));
}

export async function storeOpened(
  tx: Executor,
  {
    id,
    ...opened
  }: { id: string; providerReference: string | null; providerPriceId: string | null; tokenHash: string | null },
): Promise<void> {
  await tx.update(checkouts).set(opened).where(eq(checkouts.id, id));
}

export async function storeCheckoutPaid(tx: Executor, id: string, paidAt: Date): Promise<void> {
  await tx.update(checkouts).set({ status: 'paid', paidAt }).where(eq(checkouts.id, id));
}

export async function storeCheckoutStatus(
  tx: Executor,
  id: string,
  status: 'agreed' | 'refused' | 'expired',
): Promise<void> {
  await tx.update(checkouts).set({ status }).where(eq(checkouts.id, id));
}

/** The change of a subscription that its owner agreed to: it begins with the next payment, or had to be refused. */
export async function findChange(
  executor: Executor,
  subscriptionId: string,
  status: 'agreed' | 'refused',
): Promise<CheckoutRow | null> {
  const [row] = await executor
    .select()
    .from(checkouts)
    .where(and(eq(checkouts.subscriptionId, subscriptionId), eq(checkouts.status, status)));
  return row ?? null;
}

export async function expireCheckout(tx: Executor, id: string): Promise<void> {
  await tx
    .update(checkouts)
    .set({ status: 'expired' })
    .where(and(eq(checkouts.id, id), eq(checkouts.status, 'open')));
}

/**
 * Ends what somebody began before and has not paid, signed in as this owner or signed out with this address. An owner's own
 * ends for nobody who is signed out (`userId` null): anybody can type an address. Gives what it was.
 */
export function expireOpenCheckouts(
  tx: Executor,
  { email, userId, purpose }: Pick<CheckoutRow, 'email' | 'userId' | 'purpose'>,
): Promise<CheckoutRow[]> {
  return tx
    .update(checkouts)
    .set({ status: 'expired' })
    .where(
      and(
        or(
          and(eq(checkouts.email, email), isNull(checkouts.userId)),
          userId === null ? undefined : eq(checkouts.userId, userId),
        ),
        eq(checkouts.purpose, purpose),
        eq(checkouts.status, 'open'),
      ),
    )
    .returning();
}

/** Whether somebody stands before a checkout, or has just paid one that we have not heard of. */
export async function hasOpenCheckout(executor: Executor, userId: string, at: Date): Promise<boolean> {
  const [row] = await executor
    .select({ id: checkouts.id })
    .from(checkouts)
    .where(
      and(
        eq(checkouts.userId, userId),
        inArray(checkouts.purpose, ['subscribe', 'change']),
        eq(checkouts.status, 'open'),
        isNotNull(checkouts.providerReference),
        gt(checkouts.expiresAt, at),
      ),
    )
    .orderBy(desc(checkouts.createdAt))
    .limit(1);
  return row !== undefined;
}

/** Plans that a voucher makes free and that wait until this owner's address is verified, oldest first. */
export function listWaitingVouchers(
  tx: Executor,
  { id, email }: { id: string; email: string },
  at: Date,
): Promise<CheckoutRow[]> {
  const isTheirs = or(eq(checkouts.userId, id), and(isNull(checkouts.userId), eq(checkouts.email, email)));
  return tx
    .select()
    .from(checkouts)
    .where(and(isTheirs, eq(checkouts.provider, 'voucher'), eq(checkouts.status, 'open'), gt(checkouts.expiresAt, at)))
    .orderBy(asc(checkouts.createdAt), asc(checkouts.id));
}

/** Ends what was open too long. What is paid late all the same is still honoured. */
export async function expireOldCheckouts(tx: Executor, at: Date): Promise<void> {
  await tx
    .update(checkouts)
    .set({ status: 'expired' })
    .where(and(eq(checkouts.status, 'open'), lte(checkouts.expiresAt, at)));
}

/**
 * Removes what nobody paid, so that the address of a visitor who left is not kept. Gives how many. A change goes with
 * its subscription: a provider may ask the new price only months later.
 */
export async function deleteAbandonedCheckouts(tx: Executor, before: Date, limit: number): Promise<number> {
  const old = tx
    .select({ id: checkouts.id })
    .from(checkouts)
    .where(and(eq(checkouts.status, 'expired'), ne(checkouts.purpose, 'change'), lte(checkouts.expiresAt, before)))
    .limit(limit);
  const gone = await tx.delete(checkouts).where(sql`${checkouts.id} in ${old}`).returning({ id: checkouts.id });
  return gone.length;
}

/** Whether somebody may be paying at this moment, with an account or for its address alone. */
export async function hasRunningCheckout(
  executor: Executor,
  { id, email }: { id: string; email: string },
  at: Date,
): Promise<boolean> {
  const isTheirs = or(eq(checkouts.userId, id), and(isNull(checkouts.userId), eq(checkouts.email, email)));
  // A voucher that waits for a verified address is no payment.
  const isPayment = ne(checkouts.provider, 'voucher');
  const isRunning = and(isPayment, inArray(checkouts.status, ['open', 'agreed']), gt(checkouts.expiresAt, at));
  const [row] = await executor.select({ id: checkouts.id }).from(checkouts).where(and(isTheirs, isRunning)).limit(1);
  return row !== undefined;
}
