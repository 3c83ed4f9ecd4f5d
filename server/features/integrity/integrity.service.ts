import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { SealContext } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import { integrityEmail } from './integrity.emails.ts';
import { type BrokenPlace, listBroken, noteBroken } from './integrity.repository.ts';

export type Integrity = {
  /**
   * Notes a place that was found broken: in the list, in the audit log of the installation, in the log, and in one mail
   * a day to the operator. Returns at once and never throws, so whoever finds it only has to say so.
   */
  report(context: SealContext): void;
  /**
   * From here on every place is written down again where it is met, also one that was met a moment ago. For a check,
   * which takes what it did not write down for mended.
   */
  lookAnew(): void;
  /** Waits until everything that was reported is written down. */
  settled(): Promise<void>;
  /** What is broken as far as it is known, the newest first. */
  broken(limit?: number): Promise<BrokenPlace[]>;
};

export type IntegrityDependencies = {
  db: Database;
  clock: Clock;
  audit: Pick<Audit, 'record'>;
  notifications: Pick<Notifications, 'enqueue'>;
  log: { error(details: object, message: string): void };
  baseUrl: string;
  adminEmail: string | null;
};

/** The same place again within this time, seen by this process, is not written down again. */
const repeatAfterMs = 60_000;
const rememberedMax = 10_000;
const listedMax = 1_000;

export function createIntegrity(deps: IntegrityDependencies): Integrity {
  const { db, clock, audit, notifications, log, baseUrl, adminEmail } = deps;
  const seenAtMs = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();

  async function write(context: SealContext): Promise<void> {
    await db.transaction(async (tx) => {
      const at = await clock.now(tx);
      if (!(await noteBroken(tx, context, at))) return;
      const { table, column, rowId } = context;
      await audit.record(tx, {
        userId: null,
        action: 'integrity.broken',
        resource: table,
        resourceId: rowId,
        details: { column },
        at,
      });
      await tellOperator(tx, at);
    });
  }

  async function tellOperator(tx: Parameters<Notifications['enqueue']>[0], at: Date): Promise<void> {
    if (!adminEmail) return;
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: 'operator.integrity',
      userId: null,
      subjectId: null,
      dedupeKey: `operator-integrity:${at.toISOString().slice(0, 10)}`,
      at,
      to: { address: adminEmail },
      mail: integrityEmail({ baseUrl }),
    });
  }

  return {
    report(context) {
      const place = JSON.stringify([context.table, context.column, context.rowId]);
      const nowMs = performance.now();
      if (nowMs - (seenAtMs.get(place) ?? Number.NEGATIVE_INFINITY) < repeatAfterMs) return;
      if (seenAtMs.size >= rememberedMax) seenAtMs.clear();
      seenAtMs.set(place, nowMs);
      log.error({ place: context }, 'something that is stored no longer matches its seal');
      // One after the other, and apart from the transaction that met it, which is about to be undone.
      writing = writing
        .then(() => write(context))
        .catch((err: unknown) => {
          seenAtMs.delete(place);
          log.error({ err }, 'a broken seal could not be written down');
        });
    },
    lookAnew: () => seenAtMs.clear(),
    settled: () => writing,
    broken: (limit = listedMax) => listBroken(db, limit),
  };
}
