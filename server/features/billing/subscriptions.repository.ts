import { and, asc, desc, eq, inArray, isNotNull, isNull, lte, min, ne, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { payments, subscriptions } from '#server/schema/billing.tables.ts';

export type SubscriptionRow = typeof subscriptions.$inferSelect;
export type PaymentRow = typeof payments.$inferSelect;
type NewPayment = typeof payments.$inferInsert;

const paymentsShownMax = 100;
/** Release stops that the provider has not received yet. */
const pendingStops = ['asked', 'withdrawn', 'undoing'] as const;

export async function findSubscription(executor: Executor, id: string): Promise<SubscriptionRow | null> {
  const [row] = await executor.select().from(subscriptions).where(eq(subscriptions.id, id));
  return row ?? null;
}

/** Subscriptions of an owner, newest first. */
export function listSubscriptions(executor: Executor, userId: string): Promise<SubscriptionRow[]> {
  return executor
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.userId, userId))
    .orderBy(desc(subscriptions.createdAt), desc(subscriptions.id));
}

/**
 * Inserts it, or replaces all except its beginning and its `releaseStop`. While a release stop is pending at the
 * provider, the next step does not move later.
 */
export async function saveSubscription(tx: Executor, row: SubscriptionRow): Promise<void> {
  const { id: _id, createdAt: _createdAt, releaseStop: _releaseStop, nextStepAt, ...rest } = row;
  const isPending = inArray(subscriptions.releaseStop, [...pendingStops]);
  const next = nextStepAt === null ? sql`null::timestamptz` : sql`${sql.param(nextStepAt, subscriptions.nextStepAt)}`;
  const nextStep = sql`case when ${isPending} then least(${subscriptions.nextStepAt}, ${next}) else ${next} end`;
  const set = { ...rest, nextStepAt: nextStep };
  await tx.insert(subscriptions).values(row).onConflictDoUpdate({ target: subscriptions.id, set });
}

export async function storeNextStep(tx: Executor, id: string, nextStepAt: Date): Promise<void> {
  await tx.update(subscriptions).set({ nextStepAt }).where(eq(subscriptions.id, id));
}

/** Makes the owner's other subscriptions due, because a new one may replace them. */
export async function makeOthersDue(tx: Executor, row: { userId: string; id: string; at: Date }): Promise<void> {
  await tx
    .update(subscriptions)
    .set({ nextStepAt: row.at })
    .where(
      and(
        eq(subscriptions.userId, row.userId),
        ne(subscriptions.id, row.id),
        inArray(subscriptions.status, ['active', 'past_due']),
        ne(subscriptions.term, 'once'),
      ),
    );
}

/** Makes subscriptions due that would still be charged while their owners' accounts are being deleted. */
export async function wakeOfLeaving(tx: Executor, at: Date): Promise<void> {
  const leaving = tx.select({ id: users.id }).from(users).where(isNotNull(users.deletionRequestedAt));
  await tx
    .update(subscriptions)
    .set({ nextStepAt: at })
    .where(
      and(
        inArray(subscriptions.userId, leaving),
        inArray(subscriptions.status, ['active', 'past_due']),
        eq(subscriptions.cancelAtPeriodEnd, false),
        ne(subscriptions.term, 'once'),
        ne(subscriptions.provider, 'voucher'),
      ),
    );
}

/** Ids of due subscriptions, the longest overdue first. */
export async function listDueSubscriptions(executor: Executor, at: Date, limit: number): Promise<string[]> {
  const rows = await executor
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(lte(subscriptions.nextStepAt, at))
    .orderBy(asc(subscriptions.nextStepAt))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Claims a subscription until `leaseUntil`; false if another worker has it. */
export async function claimSubscription(
  tx: Executor,
  { id, at, leaseUntil }: { id: string; at: Date; leaseUntil: Date },
): Promise<boolean> {
  const claimed = await tx
    .update(subscriptions)
    .set({ nextStepAt: leaseUntil })
    .where(and(eq(subscriptions.id, id), lte(subscriptions.nextStepAt, at)))
    .returning({ id: subscriptions.id });
  return claimed.length > 0;
}

export async function findNextSubscriptionStep(executor: Executor): Promise<Date | null> {
  const [row] = await executor.select({ at: min(subscriptions.nextStepAt) }).from(subscriptions);
  return row?.at ?? null;
}

/** Purchases for an address that has no account yet. */
export function listUnclaimed(executor: Executor, email: string): Promise<SubscriptionRow[]> {
  return executor
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.email, email), isNull(subscriptions.userId)))
    .orderBy(asc(subscriptions.createdAt));
}

/** Owners with a verified address for which something was bought that they do not have yet. */
export async function listClaimants(executor: Executor, limit: number): Promise<string[]> {
  const rows = await executor
    .selectDistinct({ userId: users.id })
    .from(subscriptions)
    .innerJoin(users, and(eq(users.email, subscriptions.email), eq(users.emailVerified, true)))
    .where(isNull(subscriptions.userId))
    .limit(limit);
  return rows.map(({ userId }) => userId);
}

export async function giveSubscription(tx: Executor, id: string, userId: string): Promise<void> {
  await tx.update(subscriptions).set({ userId }).where(eq(subscriptions.id, id));
  await tx.update(payments).set({ userId, payerId: userId }).where(eq(payments.subscriptionId, id));
}

export async function findByProviderSubscription(
  executor: Executor,
  provider: string,
  providerSubscriptionId: string,
): Promise<string | null> {
  const [row] = await executor
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(
      and(
        sql`${subscriptions.provider} = ${provider}`,
        eq(subscriptions.providerSubscriptionId, providerSubscriptionId),
      ),
    );
  return row?.id ?? null;
}

/** The newest subscription of a customer of a provider. */
export async function findByCustomer(executor: Executor, provider: string, customerId: string): Promise<string | null> {
  const [row] = await executor
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(and(sql`${subscriptions.provider} = ${provider}`, eq(subscriptions.providerCustomerId, customerId)))
    .orderBy(desc(subscriptions.createdAt))
    .limit(1);
  return row?.id ?? null;
}

/** Customer id of an owner at a provider; null if the provider does not know the owner. */
export async function findCustomerId(executor: Executor, provider: string, userId: string): Promise<string | null> {
  const [row] = await executor
    .select({ customerId: subscriptions.providerCustomerId })
    .from(subscriptions)
    .where(and(sql`${subscriptions.provider} = ${provider}`, eq(subscriptions.userId, userId)))
    .orderBy(desc(subscriptions.createdAt))
    .limit(1);
  return row?.customerId ?? null;
}

export function listPaymentsOf(executor: Executor, subscriptionId: string): Promise<PaymentRow[]> {
  return executor.select().from(payments).where(eq(payments.subscriptionId, subscriptionId));
}

/** Saves a payment, or the refund of a known one. Returns the new row. */
export async function savePayment(tx: Executor, payment: NewPayment): Promise<PaymentRow> {
  const { status, refundedPence } = payment;
  const [row] = await tx
    .insert(payments)
    .values(payment)
    .onConflictDoUpdate({ target: [payments.provider, payments.providerPaymentId], set: { status, refundedPence } })
    .returning();
  if (!row) throw new Error('A payment was written and not given back.');
  return row;
}

/** Newest first. */
export function listPayments(executor: Executor, userId: string): Promise<PaymentRow[]> {
  return executor
    .select()
    .from(payments)
    .where(eq(payments.userId, userId))
    .orderBy(desc(payments.paidAt), desc(payments.number))
    .limit(paymentsShownMax);
}

export async function findPayment(executor: Executor, userId: string, id: string): Promise<PaymentRow | null> {
  const [row] = await executor
    .select()
    .from(payments)
    .where(and(eq(payments.id, id), eq(payments.userId, userId)));
  return row ?? null;
}
