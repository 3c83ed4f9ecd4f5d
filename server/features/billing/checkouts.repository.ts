import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lte, ne, or, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
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

/** Locks the row until the transaction ends. Every settlement of a purchase locks its first checkout. */
export async function lockCheckout(tx: Executor, id: string): Promise<CheckoutRow | null> {
  const [row] = await tx.select().from(checkouts).where(eq(checkouts.id, id)).for('update');
  return row ?? null;
}

/** Checkouts of one purchase, oldest first: the first one and every change of price since. */
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
 * Ends open checkouts of this owner, and those begun signed out with this address. A signed-out caller (`userId` null) ends no
 * owner's. A voucher that waits for its address stays, since a stranger can type the address. Returns the ended checkouts.
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
          and(eq(checkouts.email, email), isNull(checkouts.userId), ne(checkouts.provider, 'voucher')),
          userId === null ? undefined : eq(checkouts.userId, userId),
        ),
        eq(checkouts.purpose, purpose),
        eq(checkouts.status, 'open'),
      ),
    )
    .returning();
}

/** Ends the same signed-out wish of the same voucher and address, so that repeats leave one row. */
export async function expireSameWaiting(
  tx: Executor,
  { email, voucherCodeId, plan, term }: Pick<CheckoutRow, 'email' | 'voucherCodeId' | 'plan' | 'term'>,
): Promise<void> {
  if (voucherCodeId === null) return;
  await tx
    .update(checkouts)
    .set({ status: 'expired' })
    .where(
      and(
        eq(checkouts.email, email),
        isNull(checkouts.userId),
        eq(checkouts.provider, 'voucher'),
        eq(checkouts.status, 'open'),
        eq(checkouts.voucherCodeId, voucherCodeId),
        eq(checkouts.plan, plan),
        eq(checkouts.term, term),
      ),
    );
}

/** True if a voucher waits for the verified address of an account that is not closing. One statement, by index. */
export async function hasTypedVoucher(tx: Executor, userId: string, at: Date): Promise<boolean> {
  const [row] = await tx
    .select({ id: checkouts.id })
    .from(users)
    .innerJoin(checkouts, eq(checkouts.email, users.email))
    .where(
      and(
        eq(users.id, userId),
        eq(users.emailVerified, true),
        isNull(users.deletionRequestedAt),
        isNull(checkouts.userId),
        eq(checkouts.provider, 'voucher'),
        eq(checkouts.status, 'open'),
        gt(checkouts.expiresAt, at),
      ),
    )
    .limit(1);
  return row !== undefined;
}

/** True if the owner has an open checkout, or a paid one that the provider has not reported yet. */
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

/** Number of waiting vouchers that one sign-in or verification checks. */
const waitingMax = 50;

/** Plans that a voucher makes free and that wait for this owner's address, oldest first. */
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
    .orderBy(asc(checkouts.createdAt), asc(checkouts.id))
    .limit(waitingMax);
}

/** Expires checkouts that stayed open too long. A late payment is still honoured. */
export async function expireOldCheckouts(tx: Executor, at: Date): Promise<void> {
  await tx
    .update(checkouts)
    .set({ status: 'expired' })
    .where(and(eq(checkouts.status, 'open'), lte(checkouts.expiresAt, at)));
}

/**
 * Deletes unpaid checkouts, so that the address of a visitor who left is not kept. Returns their number. A change is
 * deleted with its subscription, because a provider may charge the new price months later.
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

/** True if a payment may be in progress, for the account or for its address alone. */
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
