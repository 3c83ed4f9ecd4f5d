import { type App, perApp } from '#server/app.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { enqueueToOperator } from '#server/features/notifications/enqueue.ts';
import type { SealContext } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { integrityEmail } from './integrity.emails.ts';
import { type BrokenPlace, listBroken, noteBroken } from './integrity.repository.ts';

/** This process does not store the same place again within this time. */
const repeatAfterMs = 60_000;
const rememberedMax = 10_000;
const listedMax = 1_000;

/** Places that this process reported lately, and the promise of its writes. */
const reportsOf = perApp(() => ({ seenAtMs: new Map<string, number>(), writing: Promise.resolve() }));

/**
 * Reports a place with a broken seal: in the list, in the audit log of the installation, in the log, and in one mail a day to
 * the operator. It returns immediately and never throws.
 */
export function reportBroken(app: App, context: SealContext): void {
  const reports = reportsOf(app);
  const { seenAtMs } = reports;
  const place = JSON.stringify([context.table, context.column, context.rowId]);
  const nowMs = performance.now();
  if (nowMs - (seenAtMs.get(place) ?? Number.NEGATIVE_INFINITY) < repeatAfterMs) return;
  if (seenAtMs.size >= rememberedMax) seenAtMs.clear();
  seenAtMs.set(place, nowMs);
  app.log.error({ place: context }, 'something that is stored no longer matches its seal');
  // One after the other, in a transaction of its own, because the caller's transaction is about to be undone.
  reports.writing = reports.writing
    .then(() => write(app, context))
    .catch((err: unknown) => {
      seenAtMs.delete(place);
      app.log.error({ err }, 'a broken seal could not be written down');
    });
}

/**
 * Forgets the places that were reported lately, so that each is stored again when it is found. A check needs this, because
 * it counts a place as repaired if the check did not store it.
 */
export function forgetReports(app: App): void {
  reportsOf(app).seenAtMs.clear();
}

/** Waits until every reported place is stored. */
export function reportsStored(app: App): Promise<void> {
  return reportsOf(app).writing;
}

/** Returns the known broken places, the newest first. */
export function brokenPlaces({ db }: App): Promise<BrokenPlace[]> {
  return listBroken(db, listedMax);
}

function write(app: App, context: SealContext): Promise<void> {
  return app.db.transaction(async (tx) => {
    const at = await app.clock.now(tx);
    if (!(await noteBroken(tx, context, at))) return;
    const { table, column, rowId } = context;
    const entry = { userId: null, action: 'integrity.broken', resource: table, resourceId: rowId };
    await recordAudit(app, tx, { ...entry, details: { column }, at });
    await tellOperator(app, tx, at);
  });
}

async function tellOperator(app: App, tx: Executor, at: Date): Promise<void> {
  const { baseUrl } = app;
  await enqueueToOperator(app, tx, {
    kind: 'operator.integrity',
    dedupeKey: `operator-integrity:${at.toISOString().slice(0, 10)}`,
    at,
    mail: integrityEmail({ baseUrl }),
  });
}
