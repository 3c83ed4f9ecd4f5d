import { randomUUIDv7 } from 'node:crypto';
import { and, arrayOverlaps, asc, eq, inArray, isNotNull, lte, min, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { paymentEvents } from '#server/schema/billing.tables.ts';

export type EventRow = typeof paymentEvents.$inferSelect;
type NewEvent = typeof paymentEvents.$inferInsert;

/** Stores an event. Returns false if it was stored before. */
export async function insertEvent(tx: Executor, event: NewEvent): Promise<boolean> {
  const stored = await tx
    .insert(paymentEvents)
    .values(event)
    .onConflictDoNothing({ target: [paymentEvents.provider, paymentEvents.providerEventId] })
    .returning({ id: paymentEvents.id });
  return stored.length > 0;
}

/** Reason of a row that notes a kind of event with an unknown shape. */
const shapeReason = 'shape';

type UnknownShape = Pick<NewEvent, 'provider' | 'type' | 'occurredAt' | 'receivedAt'>;

/**
 * Notes that an event of this kind had a shape that we can't read, in one row for each kind. The row has a name of its own, so
 * the same event is stored when the provider sends it again in another shape.
 */
export async function storeUnknownShape(executor: Executor, { provider, type, ...times }: UnknownShape): Promise<void> {
  const row = {
    provider,
    type,
    providerEventId: `${shapeReason}:${type}`,
    status: 'refused',
    reason: shapeReason,
  } as const;
  await executor
    .insert(paymentEvents)
    .values({ id: randomUUIDv7(), ...row, ...times })
    .onConflictDoUpdate({
      target: [paymentEvents.provider, paymentEvents.providerEventId],
      set: { ...times, attempts: sql`${paymentEvents.attempts} + 1` },
    });
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

/** Claims an event until `leaseUntil`. Null if another worker has it, or it needs no more work. */
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
 * Updates an event. An event that ended without being applied to a purchase loses its body. The deletion of an account
 * would not find it, and nothing reads it again.
 */
export async function storeEvent(tx: Executor, id: string, state: EventState): Promise<void> {
  const isOver = state.status !== undefined && endedAlone.has(state.status);
  await tx
    .update(paymentEvents)
    .set({ ...state, ...(isOver ? { body: null } : {}) })
    .where(eq(paymentEvents.id, id));
}

const endedAlone: ReadonlySet<EventRow['status']> = new Set(['ignored', 'refused', 'applied']);

/** Marks events as applied to this subscription. */
export async function storeApplied(tx: Executor, ids: readonly string[], subscriptionId: string): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .update(paymentEvents)
    .set({ status: 'applied', subscriptionId, nextAttemptAt: null, reason: null })
    .where(inArray(paymentEvents.id, [...ids]));
}

/** Facts of all events of this provider about any of these subjects. */
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

/** Clears the bodies of older events and keeps their facts. Returns the number of events. */
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
