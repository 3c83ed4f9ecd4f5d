import { and, eq, isNotNull } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { serviceAlerts } from '#server/schema/service-health.tables.ts';
import type { Trouble } from '#shared/rules/troubles.ts';
import type { Alert } from './alerts.rules.ts';

type Row = typeof serviceAlerts.$inferSelect;
/** With the mark of whoever is sending, or was. */
export type KeptAlert = Alert & { trouble: Trouble; claim: string | null };

const rowOf = (trouble: Trouble) => eq(serviceAlerts.trouble, trouble);

/** What is kept of a trouble that lasts, or was not told to be over; null where there is nothing. */
export async function findOpen(executor: Executor, trouble: Trouble): Promise<KeptAlert | null> {
  const [row] = await executor
    .select()
    .from(serviceAlerts)
    .where(and(rowOf(trouble), isNotNull(serviceAlerts.since)));
  return row ? alertOf(row) : null;
}

export async function listOpen(executor: Executor): Promise<KeptAlert[]> {
  const rows = await executor
    .select()
    .from(serviceAlerts)
    .where(isNotNull(serviceAlerts.since))
    .orderBy(serviceAlerts.since);
  return rows.map(alertOf);
}

export async function ensureAlert(executor: Executor, trouble: Trouble): Promise<void> {
  await executor.insert(serviceAlerts).values({ trouble }).onConflictDoNothing();
}

/** Keeps the row to this transaction; null where another process has it, which then does what is to be done. */
export async function takeAlert(tx: Executor, trouble: Trouble): Promise<KeptAlert | null> {
  const [row] = await tx.select().from(serviceAlerts).where(rowOf(trouble)).for('update', { skipLocked: true });
  return row ? alertOf(row) : null;
}

/** Waits for the row, where it still belongs to this claim; null where the lease ran out and another process took it. */
export async function takeClaimed(tx: Executor, trouble: Trouble, claim: string): Promise<KeptAlert | null> {
  const [row] = await tx
    .select()
    .from(serviceAlerts)
    .where(and(rowOf(trouble), eq(serviceAlerts.claim, claim)))
    .for('update');
  return row ? alertOf(row) : null;
}

export async function writeAlert(tx: Executor, { trouble, claim, ...alert }: KeptAlert): Promise<void> {
  const { isTold, isRelapse, mails, tries } = alert;
  await tx
    .update(serviceAlerts)
    .set({
      ...{ isTold, isRelapse, mails, tries, claim },
      since: dateOf(alert.sinceMs),
      wellSince: dateOf(alert.wellSinceMs),
      toldAt: dateOf(alert.toldAtMs),
      nextTryAt: dateOf(alert.nextTryAtMs),
      leaseUntil: dateOf(alert.leaseUntilMs),
    })
    .where(rowOf(trouble));
}

function alertOf({ trouble, claim, isTold, isRelapse, mails, tries, ...at }: Row): KeptAlert {
  return {
    ...{ trouble, claim, isTold, isRelapse, mails, tries },
    sinceMs: at.since?.getTime() ?? null,
    wellSinceMs: at.wellSince?.getTime() ?? null,
    toldAtMs: at.toldAt?.getTime() ?? null,
    nextTryAtMs: at.nextTryAt?.getTime() ?? null,
    leaseUntilMs: at.leaseUntil?.getTime() ?? null,
  };
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
