import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import type { MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { greetingName } from '#shared/rules/names.ts';
import {
  cancelledEmail,
  endedEmail,
  lapsedEmail,
  leftEmail,
  type Mail,
  pastDueEmail,
  planEmail,
  type Receipt,
  receiptEmail,
  refundEmail,
  refusedChangeEmail,
  supersededEmail,
  voucherSpentEmail,
  voucherWaitsEmail,
  waitingEmail,
} from './billing.emails.ts';
import type { CheckoutRow } from './checkouts.repository.ts';
import { graceDays } from './lifecycle.rules.ts';
import { endedAfterReleaseEmail, goesOnEmail, releasedEmail } from './release-stops/release-stops.emails.ts';
import type { PaymentRow, SubscriptionRow } from './subscriptions.repository.ts';

type Holder = Pick<OwnerRow, 'email' | 'firstName' | 'emailVerified'> | null;

type Letter = { kind: MailKind; key: string; row: SubscriptionRow; owner: Holder; at: Date; mail: Mail };

export function sendReceipt(
  app: App,
  tx: Executor,
  payment: PaymentRow,
  row: SubscriptionRow,
  owner: Holder,
  at: Date,
): Promise<void> {
  const mail = receiptEmail({ to: nameOf(owner), receipt: receiptOf(payment), baseUrl: app.baseUrl });
  return send(app, tx, { kind: 'billing.receipt', key: payment.id, row, owner, at, mail });
}

export function sendRefund(
  app: App,
  tx: Executor,
  payment: PaymentRow,
  row: SubscriptionRow,
  owner: Holder,
  at: Date,
): Promise<void> {
  const { refundedPence } = payment;
  const mail = refundEmail({ to: nameOf(owner), receipt: receiptOf(payment), refundedPence, baseUrl: app.baseUrl });
  return send(app, tx, { kind: 'billing.refund', key: `${payment.id}:${refundedPence}`, row, owner, at, mail });
}

export function sendPlan(app: App, tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void> {
  const key = `${row.id}:${row.plan}:${at.getTime()}`;
  return send(app, tx, { kind: 'billing.plan', key, row, owner, at, mail: planEmail(about(app, row, owner)) });
}

/** Emails that a paid purchase waits for an account with its address. */
export function sendPurchaseWaits(app: App, tx: Executor, row: SubscriptionRow, at: Date): Promise<void> {
  const mail = waitingEmail({ ...about(app, row, null), email: row.email });
  return send(app, tx, { kind: 'billing.waiting', key: row.id, row, owner: null, at, mail });
}

/** A voucher makes the plan free, once the address is verified. `key` makes it one email for each voucher and mailbox. */
export function sendVoucherWaits(
  app: App,
  tx: Executor,
  row: SubscriptionRow,
  { key, at }: { key: string; at: Date },
): Promise<void> {
  const mail = voucherWaitsEmail({ ...about(app, row, null), email: row.email });
  return send(app, tx, { kind: 'billing.voucher-waits', key, row, owner: null, at, mail });
}

/** The voucher had no use left when the address was verified. */
export function sendVoucherSpent(app: App, tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void> {
  return send(app, tx, {
    kind: 'billing.voucher-spent',
    key: row.id,
    row,
    owner,
    at,
    mail: voucherSpentEmail(about(app, row, owner)),
  });
}

export async function sendPastDue(
  app: App,
  tx: Executor,
  row: SubscriptionRow,
  owner: Holder,
  { day, at }: { day: number; at: Date },
): Promise<void> {
  if (!row.pastDueSince) return;
  const sinceMs = row.pastDueSince.getTime();
  const mail = pastDueEmail({ ...about(app, row, owner), until: new Date(sinceMs + graceDays * dayMs) });
  await send(app, tx, { kind: 'billing.past-due', key: `${row.id}:${sinceMs}:${day}`, row, owner, at, mail });
}

export function sendLapsed(app: App, tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void> {
  return send(app, tx, {
    kind: 'billing.lapsed',
    key: endKey(row),
    row,
    owner,
    at,
    mail: lapsedEmail(about(app, row, owner)),
  });
}

export function sendEnded(app: App, tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void> {
  const mail = (row.releaseStop === 'stopped' ? endedAfterReleaseEmail : endedEmail)(about(app, row, owner));
  return send(app, tx, { kind: 'billing.ended', key: endKey(row), row, owner, at, mail });
}

export function sendCancelled(app: App, tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void> {
  const mail = cancelledEmail({ ...about(app, row, owner), endsAt: row.currentPeriodEnd });
  return send(app, tx, { kind: 'billing.cancelled', key: `${row.id}:${at.getTime()}`, row, owner, at, mail });
}

/** Cancelled, because the account is being deleted. */
export function sendLeft(app: App, tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void> {
  const mail = leftEmail({ ...about(app, row, owner), endsAt: row.currentPeriodEnd });
  return send(app, tx, { kind: 'billing.left', key: `${row.id}:${at.getTime()}`, row, owner, at, mail });
}

/** A release is done, and the plan does not renew. */
export function sendReleased(app: App, tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void> {
  const mail = releasedEmail({ ...about(app, row, owner), endsAt: row.currentPeriodEnd });
  return send(app, tx, { kind: 'billing.released', key: `${row.id}:${at.getTime()}`, row, owner, at, mail });
}

/** The owner is back, and the plan renews again. */
export function sendRenewsAgain(app: App, tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void> {
  const mail = goesOnEmail({ ...about(app, row, owner), endsAt: row.currentPeriodEnd });
  return send(app, tx, { kind: 'billing.goes-on', key: `${row.id}:${at.getTime()}`, row, owner, at, mail });
}

/** A change that was agreed to and is not made, since its voucher had no use left. */
export function sendRefusedChange(
  app: App,
  tx: Executor,
  row: SubscriptionRow,
  owner: Holder,
  { change, at }: { change: CheckoutRow; at: Date },
): Promise<void> {
  const { plan, term, amountPence } = change;
  const asked = { plan, term, amountPence };
  const mail = refusedChangeEmail({ ...about(app, row, owner), asked, endsAt: row.currentPeriodEnd });
  return send(app, tx, { kind: 'billing.refused-change', key: change.id, row, owner, at, mail });
}

export function sendSuperseded(app: App, tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void> {
  return send(app, tx, {
    kind: 'billing.superseded',
    key: row.id,
    row,
    owner,
    at,
    mail: supersededEmail(about(app, row, owner)),
  });
}

async function send(app: App, tx: Executor, { kind, key, row, owner, at, mail }: Letter): Promise<void> {
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind,
    userId: row.userId,
    subjectId: row.id,
    dedupeKey: `${kind}:${key}`,
    at,
    to: { address: owner?.email ?? row.email },
    mail,
  });
}

function about(app: App, row: SubscriptionRow, owner: Holder) {
  return { to: nameOf(owner), plan: row.plan, baseUrl: app.baseUrl };
}

export function receiptOf(payment: PaymentRow): Receipt {
  const { number, plan, term, amountPence, paidAt, cardBrand, cardLast4, provider } = payment;
  const card = cardBrand && cardLast4 ? { brand: cardBrand, last4: cardLast4 } : null;
  return { number, plan, term, amountPence, paidAt, card, isSandbox: provider === 'sandbox' };
}

function nameOf(owner: Holder) {
  return { firstName: owner && greetingName(owner) };
}

function endKey({ id, endedAt }: SubscriptionRow): string {
  return `${id}:${endedAt?.getTime() ?? 0}`;
}
