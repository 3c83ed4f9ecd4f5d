import { and, eq, inArray, ne, or, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { subscriptions } from '#server/schema/billing.tables.ts';
import type { SubscriptionRow } from '../subscriptions.repository.ts';

const { userId, status, term, provider, cancelAtPeriodEnd, releaseStop } = subscriptions;
const isLive = inArray(status, ['active', 'past_due']);

/** Subscriptions of an owner that a provider renews, or is about to renew again. */
const renewing = (owner: string) =>
  and(
    eq(userId, owner),
    isLive,
    ne(term, 'once'),
    ne(provider, 'voucher'),
    or(eq(cancelAtPeriodEnd, false), inArray(releaseStop, ['withdrawn', 'undoing'])),
  );

export async function hasRenewing(executor: Executor, owner: string): Promise<boolean> {
  return (await executor.$count(subscriptions, renewing(owner))) > 0;
}

/** Asks for the renewals of an owner to be stopped. False if nothing of theirs renews. */
export async function askStops(tx: Executor, owner: string, at: Date): Promise<boolean> {
  const asked = await tx
    .update(subscriptions)
    .set({ releaseStop: 'asked', nextStepAt: at })
    .where(renewing(owner))
    .returning({ id: subscriptions.id });
  return asked.length > 0;
}

/** Requests that the renewals which a release stopped continue. Ended subscriptions stay as they are. */
export async function withdrawStops(tx: Executor, owner: string, at: Date): Promise<void> {
  await tx
    .update(subscriptions)
    .set({
      releaseStop: sql`case when ${releaseStop} = 'asked' then 'withdrawn' else 'undoing' end`,
      nextStepAt: at,
    })
    .where(and(eq(userId, owner), isLive, inArray(releaseStop, ['asked', 'stopped'])));
}

/** Moves a stop on, if it is still as it was read. */
export async function storeStop(
  tx: Executor,
  { id, releaseStop: before }: Pick<SubscriptionRow, 'id' | 'releaseStop'>,
  after: SubscriptionRow['releaseStop'],
): Promise<boolean> {
  if (before === null) return false;
  const stored = await tx
    .update(subscriptions)
    .set({ releaseStop: after })
    .where(and(eq(subscriptions.id, id), eq(releaseStop, before)))
    .returning({ id: subscriptions.id });
  return stored.length > 0;
}

/** The owner has chosen, so no release changes this subscription any more. */
export async function forgetStop(tx: Executor, id: string): Promise<void> {
  await tx.update(subscriptions).set({ releaseStop: null }).where(eq(subscriptions.id, id));
}
