import { type Anchor, anchoredAction, anchorLine } from '#server/features/audit/audit.rules.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import { anchorEmail } from './integrity.emails.ts';

export type Anchors = {
  /**
   * Writes down how the audit log stands: in the log itself, in the log output, and in a mail to the operator. Once a day
   * (UTC); twice is fine.
   */
  anchorToday(): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: Pick<Audit, 'anchor' | 'lastAnchor' | 'record'>;
  notifications: Pick<Notifications, 'enqueue'>;
  log: { info(details: object, message: string): void };
  baseUrl: string;
  adminEmail: string | null;
  /** Where mails stay on this machine, they keep nothing that the log output does not. */
  isMailSetUp: boolean;
};

/** Keeps the end of every chain where a hand in the database does not reach. */
export function createAnchors(deps: Dependencies): Anchors {
  const { db, clock, audit, notifications, log, baseUrl, adminEmail, isMailSetUp } = deps;

  async function tellOperator(tx: Parameters<Notifications['enqueue']>[0], anchor: Anchor, at: Date): Promise<void> {
    if (!adminEmail || !isMailSetUp) return;
    const { day } = anchor;
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: 'operator.audit-anchor',
      userId: null,
      subjectId: null,
      dedupeKey: `operator-audit-anchor:${day}`,
      at,
      to: { address: adminEmail },
      mail: anchorEmail({ day, line: anchorLine(anchor), baseUrl }),
    });
  }

  return {
    async anchorToday() {
      const day = (await clock.now()).toISOString().slice(0, 10);
      const last = await audit.lastAnchor(db);
      if (last && last.day >= day) return;
      const anchor = await audit.anchor(db, day);
      await db.transaction(async (tx) => {
        const at = await clock.now(tx);
        const entry = { userId: null, action: anchoredAction, resource: 'audit', details: anchor };
        await audit.record(tx, { ...entry, at });
        await tellOperator(tx, anchor, at);
      });
      log.info({ anchor: anchorLine(anchor) }, 'how the audit log stands today');
    },
  };
}
