import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
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

/** The mails of billing. Each is a row of the transaction of its cause, and is written once however often that comes. */
export type BillingLetters = {
  receipt(tx: Executor, payment: PaymentRow, row: SubscriptionRow, owner: Holder, at: Date): Promise<void>;
  refund(tx: Executor, payment: PaymentRow, row: SubscriptionRow, owner: Holder, at: Date): Promise<void>;
  plan(tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void>;
  waiting(tx: Executor, row: SubscriptionRow, at: Date): Promise<void>;
  /** A voucher makes the plan free, once the address is verified. `key` makes it one email for each voucher and mailbox. */
  voucherWaits(tx: Executor, row: SubscriptionRow, when: { key: string; at: Date }): Promise<void>;
  /** The voucher had no use left when the address was verified. */
  voucherSpent(tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void>;
  pastDue(tx: Executor, row: SubscriptionRow, owner: Holder, due: { day: number; at: Date }): Promise<void>;
  lapsed(tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void>;
  ended(tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void>;
  cancelled(tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void>;
  /** Cancelled, because the account is being deleted. */
  left(tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void>;
  /** A release is done, and the plan does not renew. */
  released(tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void>;
  /** The owner is back, and the plan renews again. */
  goesOn(tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void>;
  superseded(tx: Executor, row: SubscriptionRow, owner: Holder, at: Date): Promise<void>;
  /** A change that was agreed to and is not made, since its voucher had no use left. */
  refusedChange(
    tx: Executor,
    row: SubscriptionRow,
    owner: Holder,
    what: { change: CheckoutRow; at: Date },
  ): Promise<void>;
};

type Letter = { kind: string; key: string; row: SubscriptionRow; owner: Holder; at: Date; mail: Mail };

export function createBillingLetters({
  notifications,
  baseUrl,
}: {
  notifications: Pick<Notifications, 'enqueue'>;
  baseUrl: string;
}): BillingLetters {
  async function send(tx: Executor, { kind, key, row, owner, at, mail }: Letter): Promise<void> {
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: `billing.${kind}`,
      userId: row.userId,
      subjectId: row.id,
      dedupeKey: `billing.${kind}:${key}`,
      at,
      to: { address: owner?.email ?? row.email },
      mail,
    });
  }
  const about = (row: SubscriptionRow, owner: Holder) => ({ to: nameOf(owner), plan: row.plan, baseUrl });

  return {
    receipt: (tx, payment, row, owner, at) => {
      const mail = receiptEmail({ to: nameOf(owner), receipt: receiptOf(payment), baseUrl });
      return send(tx, { kind: 'receipt', key: payment.id, row, owner, at, mail });
    },
    refund: (tx, payment, row, owner, at) => {
      const { refundedPence } = payment;
      const mail = refundEmail({ to: nameOf(owner), receipt: receiptOf(payment), refundedPence, baseUrl });
      return send(tx, { kind: 'refund', key: `${payment.id}:${refundedPence}`, row, owner, at, mail });
    },
    plan: (tx, row, owner, at) => {
      const key = `${row.id}:${row.plan}:${at.getTime()}`;
      return send(tx, { kind: 'plan', key, row, owner, at, mail: planEmail(about(row, owner)) });
    },
    waiting: (tx, row, at) => {
      const mail = waitingEmail({ ...about(row, null), email: row.email });
      return send(tx, { kind: 'waiting', key: row.id, row, owner: null, at, mail });
    },
    voucherWaits: (tx, row, { key, at }) => {
      const mail = voucherWaitsEmail({ ...about(row, null), email: row.email });
      return send(tx, { kind: 'voucher-waits', key, row, owner: null, at, mail });
    },
    voucherSpent: (tx, row, owner, at) =>
      send(tx, { kind: 'voucher-spent', key: row.id, row, owner, at, mail: voucherSpentEmail(about(row, owner)) }),
    pastDue: async (tx, row, owner, { day, at }) => {
      if (!row.pastDueSince) return;
      const sinceMs = row.pastDueSince.getTime();
      const mail = pastDueEmail({ ...about(row, owner), until: new Date(sinceMs + graceDays * dayMs) });
      await send(tx, { kind: 'past-due', key: `${row.id}:${sinceMs}:${day}`, row, owner, at, mail });
    },
    lapsed: (tx, row, owner, at) =>
      send(tx, { kind: 'lapsed', key: endKey(row), row, owner, at, mail: lapsedEmail(about(row, owner)) }),
    ended: (tx, row, owner, at) => {
      const mail = (row.releaseStop === 'stopped' ? endedAfterReleaseEmail : endedEmail)(about(row, owner));
      return send(tx, { kind: 'ended', key: endKey(row), row, owner, at, mail });
    },
    cancelled: (tx, row, owner, at) => {
      const mail = cancelledEmail({ ...about(row, owner), endsAt: row.currentPeriodEnd });
      return send(tx, { kind: 'cancelled', key: `${row.id}:${at.getTime()}`, row, owner, at, mail });
    },
    left: (tx, row, owner, at) => {
      const mail = leftEmail({ ...about(row, owner), endsAt: row.currentPeriodEnd });
      return send(tx, { kind: 'left', key: `${row.id}:${at.getTime()}`, row, owner, at, mail });
    },
    released: (tx, row, owner, at) => {
      const mail = releasedEmail({ ...about(row, owner), endsAt: row.currentPeriodEnd });
      return send(tx, { kind: 'released', key: `${row.id}:${at.getTime()}`, row, owner, at, mail });
    },
    goesOn: (tx, row, owner, at) => {
      const mail = goesOnEmail({ ...about(row, owner), endsAt: row.currentPeriodEnd });
      return send(tx, { kind: 'goes-on', key: `${row.id}:${at.getTime()}`, row, owner, at, mail });
    },
    refusedChange: (tx, row, owner, { change, at }) => {
      const { plan, term, amountPence } = change;
      const asked = { plan, term, amountPence };
      const mail = refusedChangeEmail({ ...about(row, owner), asked, endsAt: row.currentPeriodEnd });
      return send(tx, { kind: 'refused-change', key: change.id, row, owner, at, mail });
    },
    superseded: (tx, row, owner, at) =>
      send(tx, { kind: 'superseded', key: row.id, row, owner, at, mail: supersededEmail(about(row, owner)) }),
  };
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
