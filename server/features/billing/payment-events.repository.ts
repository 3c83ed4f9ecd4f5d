import { and, arrayOverlaps, asc, eq, inArray, isNotNull, lte, min, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { paymentEvents } from '#server/schema/billing.tables.ts';

export type EventRow = typeof paymentEvents.$inferSelect;
type NewEvent = typeof paymentEvents.$inferInsert;

/** Stores what was told. Gives false where it was told before. */
export async function insertEvent(tx: Executor, event: NewEvent): Promise<boolean> {
  const stored = await tx
    .insert(paymentEvents)
    .values(event)
    .onConflictDoNothing({ target: [paymentEvents.provider, paymentEvents.providerEventId] })
    .returning({ id: paymentEvents.id });
  return stored.length > 0;
}

export async function listDueEvents(executor: Executor, at: Date, limit: number): Promise<string[]> {
  const rows = await executor
    .select({ id: paymentEvents.id })
    .from(paymentEvents)
    .where(lte(paymentEvents.nextAttemptAt, at))
    .orderBy(asc(paymentEvents.nextAttemptAt))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Takes the work on an event until `leaseUntil`; null where another worker has, or nothing is left to do. */
export async function claimEvent(
  tx: Executor,
  { id, at, leaseUntil }: { id: string; at: Date; leaseUntil: Date },
): Promise<EventRow | null> {
  const [row] = await tx
    .update(paymentEvents)
    .set({ nextAttemptAt: leaseUntil, attempts: sql`${paymentEvents.attempts} + 1` })
    .where(and(eq(paymentEvents.id, id), lte(paymentEvents.nextAttemptAt, at)))
    .returning();
  return row ?? null;
}

type EventState = Partial<Pick<EventRow, 'facts' | 'subjects' | 'status' | 'reason' | 'nextAttemptAt'>>;

/**
 * Writes how an event stands. One that is over and was not applied to a purchase holds no body from then on: no account
 * would take it along when it goes, and nothing reads it again.
 */
export async function storeEvent(tx: Executor, id: string, state: EventState): Promise<void> {
  const isOver = state.status !== undefined && endedAlone.has(state.status);
  await tx
    .update(paymentEvents)
    .set({ ...state, ...(isOver ? { body: null } : {}) })
    .where(eq(paymentEvents.id, id));
}

const endedAlone: ReadonlySet<EventRow['status']> = new Set(['ignored', 'refused', 'applied']);

/** Marks events as done with, and whose they are. */
export async function storeApplied(tx: Executor, ids: readonly string[], subscriptionId: string): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .update(paymentEvents)
    .set({ status: 'applied', subscriptionId, nextAttemptAt: null, reason: null })
    .where(inArray(paymentEvents.id, [...ids]));
}

/** What was read of everything this provider told about any of these subjects. */
export function listEventsAbout(
  executor: Executor,
  provider: EventRow['provider'],
  subjects: readonly string[],
): Promise<EventRow[]> {
  return executor
    .select()
    .from(paymentEvents)
    .where(
      and(
        eq(paymentEvents.provider, provider),
        arrayOverlaps(paymentEvents.subjects, [...subjects]),
        isNotNull(paymentEvents.facts),
      ),
    );
}

export async function findNextEvent(executor: Executor): Promise<Date | null> {
  const [row] = await executor.select({ at: min(paymentEvents.nextAttemptAt) }).from(paymentEvents);
  return row?.at ?? null;
}

/** Empties the bodies of events that came before; what was read of them stays. Gives how many. */
export async function emptyBodies(tx: Executor, before: Date, limit: number): Promise<number> {
  const old = tx
    .select({ id: paymentEvents.id })
    .from(paymentEvents)
    .where(and(isNotNull(paymentEvents.body), lte(paymentEvents.receivedAt, before)))
    .limit(limit);
  const emptied = await tx
    .update(paymentEvents)
    .set({ body: null })
    .where(sql`${paymentEvents.id} in ${old}`)
    .returning({ id: paymentEvents.id });
  return emptied.length;
}
