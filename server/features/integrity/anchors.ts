import type { App } from '#server/app.ts';
import { type Anchor, anchoredAction, anchorLine } from '#server/features/audit/audit.rules.ts';
import { anchorAudit } from '#server/features/audit/audit.ts';
import { findLastAnchor } from '#server/features/audit/audit-anchors.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { enqueueToOperator } from '#server/features/notifications/enqueue.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { anchorEmail } from './integrity.emails.ts';

/**
 * Anchors the audit log, so that a change of the database can't hide the end of a chain: in the log itself, in the log output,
 * and in a mail to the operator. It does so once a day (UTC). A second anchor of a day does no harm.
 */
export async function anchorToday(app: App): Promise<void> {
  const { db, clock, log } = app;
  const day = (await clock.now()).toISOString().slice(0, 10);
  const last = await findLastAnchor(db);
  if (last && last.day >= day) return;
  const anchor = await anchorAudit(app, day);
  await db.transaction(async (tx) => {
    const at = await clock.now(tx);
    await recordAudit(app, tx, { userId: null, action: anchoredAction, resource: 'audit', details: anchor, at });
    await tellOperator(app, tx, { anchor, at });
  });
  log.info({ anchor: anchorLine(anchor) }, 'how the audit log stands today');
}

/** Emails the anchor to the operator, unless mails stay on this machine, where the log output has it already. */
async function tellOperator(app: App, tx: Executor, { anchor, at }: { anchor: Anchor; at: Date }): Promise<void> {
  const { baseUrl, mailer } = app;
  if (mailer.kind !== 'smtp') return;
  const { day } = anchor;
  await enqueueToOperator(app, tx, {
    kind: 'operator.audit-anchor',
    dedupeKey: `operator-audit-anchor:${day}`,
    at,
    mail: anchorEmail({ day, line: anchorLine(anchor), baseUrl }),
  });
}
