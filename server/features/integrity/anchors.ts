import type { App } from '#server/app.ts';
import { type Anchor, anchoredAction, anchorLine } from '#server/features/audit/audit.rules.ts';
import { anchorAudit } from '#server/features/audit/audit.ts';
import { findLastAnchor } from '#server/features/audit/audit-anchors.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { enqueueToOperator } from '#server/features/notifications/enqueue.ts';
import { findWarnings } from '#server/features/service-health/endings.ts';
import type { Finding } from '#server/features/service-health/findings.rules.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dailyEmail } from './integrity.emails.ts';

/**
 * Anchors the audit log, so that a change of the database can't hide the end of a chain: in the log itself, in the log output,
 * and in a mail to the operator. It does so once a day (UTC). A second anchor of a day does no harm.
 */
export async function anchorToday(app: App): Promise<void> {
  const { db, clock, log } = app;
  const day = (await clock.now()).toISOString().slice(0, 10);
  const last = await findLastAnchor(db);
  if (last && last.day >= day) return;
  const warnings = await findWarnings(app);
  if (warnings.length > 0) log.warn({ warnings }, 'Something ends soon, is nearly full, or has no copy.');
  const anchor = await anchorAudit(app, day);
  await db.transaction(async (tx) => {
    const at = await clock.now(tx);
    await recordAudit(app, tx, { userId: null, action: anchoredAction, resource: 'audit', details: anchor, at });
    await tellOperator(app, tx, { anchor, warnings, at });
  });
  log.info({ anchor: anchorLine(anchor) }, 'how the audit log stands today');
}

type Told = { anchor: Anchor; warnings: readonly Finding[]; at: Date };

/** Sends the operator's daily mail. If mails stay on this machine, it is written for warnings alone: the log output has the anchor. */
async function tellOperator(app: App, tx: Executor, { anchor, warnings, at }: Told): Promise<void> {
  const { baseUrl, mailer } = app;
  if (mailer.kind !== 'smtp' && warnings.length === 0) return;
  const { day } = anchor;
  await enqueueToOperator(app, tx, {
    kind: 'operator.audit-anchor',
    dedupeKey: `operator-audit-anchor:${day}`,
    at,
    mail: dailyEmail({ day, line: anchorLine(anchor), warnings, baseUrl }),
  });
}
