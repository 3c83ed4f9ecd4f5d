import { randomUUID } from 'node:crypto';
import { type App, operatorAddressOf } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordAct, requireAdministrator, requireFreshAdministrator } from '#server/features/admin/administrator.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import type { NotificationOutcome } from '#server/features/notifications/mail-reactions.ts';
import type { Call } from '#server/http/bind.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type * as contract from '#shared/contract/complaints.ts';
import { complaintsPerPage } from '#shared/contract/complaints.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { complaintAcknowledgedDays } from '#shared/rules/retention.ts';
import { complaintNoticeEmail, complaintReceiptEmail } from './complaints.emails.ts';
import {
  type ComplaintRow,
  findComplaints,
  insertComplaint,
  lockComplaint,
  storeClosed,
  storeReceipt,
} from './complaints.repository.ts';
import { openComplaint, sealComplaint } from './complaints.sealing.ts';

type Answer = RouteAnswer<typeof contract.closeComplaint>;

/** Complaints from one network address in an hour. */
const addressBudget = { limit: 5, windowMs: 3_600_000 };
/** Complaints from one network in a day. */
const networkBudget = { limit: 40, windowMs: dayMs };
/** Receipts to one mailbox in a day. */
const mailboxBudget = { limit: 3, windowMs: dayMs };

const received = 'We have your complaint. A receipt is on its way to your mailbox, and we will tell you the outcome.';

/** Stores a complaint about the use of personal data, and sends its receipt. @throws AppError `RATE_LIMITED`. */
export async function sendComplaint(app: App, { principal, origin, body }: Call<typeof contract.sendComplaint>) {
  const { db, clock, limits, serviceKeys } = app;
  const { name, email, words } = body;
  const address = origin.ipAddress ?? 'unknown';
  await limits.spendOfAddress('complaint', address, addressBudget);
  await limits.spendOfNetwork('complaint', address, networkBudget);
  await limits.spend(`complaint of ${email}`, mailboxBudget);
  const id = randomUUID();
  await db.transaction(async (tx) => {
    const owner = principal ? await lockOwnerRow(tx, principal.userId) : null;
    const userId = owner?.id ?? null;
    const at = await clock.now(tx);
    const payload = sealComplaint(serviceKeys, id, { name, email, words });
    await insertComplaint(tx, { id, userId, payload, receivedAt: at });
    const audit = { action: 'complaint.receive', resource: 'complaint', resourceId: id };
    await recordAudit(app, tx, { ...audit, userId, origin, at });
    await enqueueMails(app, tx, { id, email, at });
  });
  return { message: received, reference: referenceOf(id) };
}

/** @throws AppError `NOT_FOUND` if `after` names no complaint. */
export async function listComplaints(app: App, call: Call<typeof contract.listComplaints>): Promise<Answer[]> {
  requireAdministrator(call);
  const rows = await findComplaints(app.db, { after: call.query.after, limit: complaintsPerPage });
  if (!rows) throw notFound('The list has changed. Begin again with the first page.');
  return rows.map((row) => answerOf(app, row));
}

/** Notes that a complaint is answered. @throws AppError `NOT_FOUND`, `REAUTHENTICATION_REQUIRED`. */
export async function closeComplaint(app: App, call: Call<typeof contract.closeComplaint>): Promise<Answer> {
  const { id } = call.params;
  await requireFreshAdministrator(app, call);
  return app.db.transaction(async (tx) => {
    await lockOwnerRow(tx, call.principal.userId);
    const row = await lockComplaint(tx, id);
    if (!row) throw notFound();
    if (row.closedAt) return answerOf(app, row);
    const at = await app.clock.now(tx);
    await recordAct(app, tx, call, { action: 'admin.complaint_close', resource: 'complaint', resourceId: id, at });
    return answerOf(app, await storeClosed(tx, id, at));
  });
}

/** Stores if the receipt of a complaint was accepted. Runs in the transaction that records the outcome of the mail. */
export async function noteReceiptOutcome(tx: Executor, { subjectId, at, outcome }: NotificationOutcome): Promise<void> {
  if (subjectId === null) return;
  const isAccepted = outcome === 'accepted';
  await storeReceipt(tx, subjectId, {
    acknowledgedAt: isAccepted ? at : null,
    receiptFailedAt: isAccepted ? null : at,
  });
}

async function enqueueMails(
  app: App,
  tx: Executor,
  { id, email, at }: { id: string; email: string; at: Date },
): Promise<void> {
  const { baseUrl } = app;
  const shared = { channel: 'email', userId: null, at } as const;
  await enqueueNotification(app, tx, {
    ...shared,
    kind: 'complaints.receipt',
    subjectId: id,
    dedupeKey: `complaints.receipt:${id}`,
    to: { address: email },
    mail: complaintReceiptEmail({ reference: referenceOf(id), baseUrl }),
  });
  const hour = at.toISOString().slice(0, 13);
  await enqueueNotification(app, tx, {
    ...shared,
    kind: 'operator.complaint',
    subjectId: null,
    dedupeKey: `operator.complaint:${hour}`,
    to: { address: operatorAddressOf(app) },
    mail: complaintNoticeEmail({ acknowledgeDays: complaintAcknowledgedDays, baseUrl }),
  });
}

function answerOf({ serviceKeys }: App, { payload, userId: _, ...row }: ComplaintRow): Answer {
  const opened = unlessBroken(() => openComplaint(serviceKeys, row.id, payload));
  return {
    ...row,
    ...(opened ?? { name: damagedTitle, email: '', words: '', isDamaged: true as const }),
    reference: referenceOf(row.id),
    acknowledgeBy: new Date(row.receivedAt.getTime() + complaintAcknowledgedDays * dayMs),
  };
}

/** Reference of a complaint, short enough to read out on the telephone. */
function referenceOf(id: string): string {
  return `EK-${id.slice(0, 8).toUpperCase()}`;
}
