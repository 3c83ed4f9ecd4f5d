import { createHmac, randomUUID } from 'node:crypto';
import type { PaymentFact } from '#server/platform/payments/payment-facts.rules.ts';
import { type AskedCheckout, paymentsOf } from '#server/platform/payments/payments.ts';
import { periodEndAfter } from '#server/platform/payments/periods.ts';
import { createSandboxProvider, sandboxCardOf } from '#server/platform/payments/sandbox-provider.ts';
import { spoiled, type Till } from './till.ts';

type Purchase = Pick<AskedCheckout, 'checkoutId' | 'term' | 'amountPence'> & {
  startedAtMs: number;
  periodEndMs: number | null;
  payments: { id: string; amountPence: number; refundedPence: number }[];
};

/** The sandbox's own signed events, in whatever order a test likes; its page is tried elsewhere. */
export function createSandboxTill(): Till {
  const told: string[] = [];
  const asked = new Map<string, AskedCheckout>();
  const purchases = new Map<string, Purchase>();
  let secret = '';
  let aheadMs = 0;
  const nowMs = () => Date.now() + aheadMs;

  const tell = (type: string, facts: PaymentFact[]) =>
    void told.push(JSON.stringify({ id: randomUUID(), type, at: new Date(nowMs()).toISOString(), facts }));

  const about = ({ checkoutId, term }: Pick<Purchase, 'checkoutId' | 'term'>, customer?: string) => ({
    atMs: nowMs(),
    checkoutId,
    subscriptionId: term === 'once' ? null : `sandbox_subscription_${checkoutId}`,
    customerId: customer ?? `sandbox_customer_${checkoutId}`,
  });
  const find = (id: string) => {
    const purchase = purchases.get(id);
    if (!purchase) throw new Error(`The till knows no purchase ${id}.`);
    return purchase;
  };
  const newest = (id: string) => {
    const payment = find(id).payments.at(-1);
    if (!payment) throw new Error(`Nothing was paid for ${id}.`);
    return payment;
  };
  const askedAt = (url: string) => {
    const found = asked.get(url);
    if (!found) throw new Error(`There is no checkout at ${url}.`);
    return found;
  };

  function receive(
    purchase: Purchase,
    money: { amountPence: number; currency: string },
    customer?: string,
  ): PaymentFact {
    const { term, startedAtMs, periodEndMs, payments } = purchase;
    if (term !== 'once') {
      const start = new Date(startedAtMs);
      purchase.periodEndMs = periodEndAfter(start, term, new Date(periodEndMs ?? startedAtMs)).getTime();
    }
    const paymentId = `sandbox_payment_${randomUUID()}`;
    payments.push({ id: paymentId, amountPence: money.amountPence, refundedPence: 0 });
    return {
      ...about(purchase, customer),
      kind: 'payment_received',
      paymentId,
      pricePence: money.amountPence,
      isRegular: true,
      periodEndMs: purchase.periodEndMs,
      card: sandboxCardOf.pays,
      ...money,
    };
  }

  return {
    name: 'sandbox',
    calls: [],
    url: '',
    secret: '',
    sample: (id) => JSON.stringify({ id, type: 'told', at: new Date(nowMs()).toISOString(), facts: [] }),
    failNext: () => {},
    close: async () => {},
    payments(ground) {
      secret = ground.derive('sandbox-webhook', 'secret');
      const provider = createSandboxProvider(ground);
      const openCheckout = async (wanted: AskedCheckout) => {
        const opened = await provider.openCheckout(wanted);
        asked.set(opened.url, wanted);
        return opened;
      };
      return paymentsOf([{ ...provider, openCheckout }]);
    },
    setAheadMs(ms) {
      aheadMs = ms;
    },

    async pay(url, wrong = {}) {
      const { checkoutId, term, amountPence: askedPence } = askedAt(url);
      const money = { amountPence: wrong.amountPence ?? askedPence, currency: wrong.currency ?? 'GBP' };
      const state = { startedAtMs: nowMs(), periodEndMs: null, payments: [] };
      const purchase: Purchase = { checkoutId, term, amountPence: askedPence, ...state };
      purchases.set(checkoutId, purchase);
      const received = receive(purchase, money);
      const reference = `sandbox_checkout_${checkoutId}`;
      tell('checkout.paid', [{ ...about(purchase), kind: 'checkout_paid', reference, ...money }]);
      tell('payment.received', [received]);
      return checkoutId;
    },
    async decline(url) {
      tell('payment.failed', [{ ...about(askedAt(url)), kind: 'payment_failed' }]);
    },
    renew(id, { amountPence, currency = 'GBP', customer } = {}) {
      const purchase = find(id);
      const money = { amountPence: amountPence ?? purchase.amountPence, currency };
      tell('payment.received', [receive(purchase, money, customer)]);
    },
    failRenewal: (id) => tell('payment.failed', [{ ...about(find(id)), kind: 'payment_failed' }]),
    refund(id, amountPence) {
      const payment = newest(id);
      payment.refundedPence += amountPence ?? payment.amountPence;
      const { id: paymentId, refundedPence } = payment;
      tell('payment.refunded', [{ ...about(find(id)), kind: 'refunded', paymentId, refundedPence }]);
    },
    dispute: (id, outcome) =>
      tell('payment.disputed', [{ ...about(find(id)), kind: 'disputed', paymentId: newest(id).id, outcome }]),
    approve: () => {},

    take: () => told.splice(0),
    sign(body, forgery) {
      const json = { 'content-type': 'application/json' };
      if (forgery === 'unsigned') return { body, headers: json };
      const ageSeconds = forgery === '301 seconds old' ? 302 : forgery === '301 seconds ahead' ? -305 : 0;
      const seconds = Math.floor(Date.now() / 1_000) - ageSeconds;
      const key = forgery === 'other key' ? 'somebody' : secret;
      const signature = createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex');
      const sent = forgery === 'one byte changed' ? spoiled(body) : body;
      return { body: sent, headers: { ...json, 'everkept-signature': `t=${seconds},v1=${signature}` } };
    },
  };
}
