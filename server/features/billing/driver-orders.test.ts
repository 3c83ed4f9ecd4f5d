import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PaymentProvider } from '#server/platform/payments/payments.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { createPayPalTill } from '#tests/support/tills/paypal-till.ts';
import { createSandboxTill } from '#tests/support/tills/sandbox-till.ts';
import { createStripeTill } from '#tests/support/tills/stripe-till.ts';
import type { Till } from '#tests/support/tills/till.ts';
import { type Asked, purchaseStateOf, type ReportedFact } from './lifecycle.rules.ts';

const orders = 200;
const sold = { plan: 'essential', term: 'monthly', amountPence: 499 } as const;

const openings: [name: string, open: () => Promise<Till>][] = [
  ['stripe', createStripeTill],
  ['paypal', createPayPalTill],
  ['sandbox', async () => createSandboxTill()],
];

function providerOf(till: Till): PaymentProvider {
  const ground = { baseUrl: 'http://localhost', derive: (purpose: string) => purpose, now: async () => new Date() };
  const provider = till.payments(ground).find(till.name);
  if (!provider) throw new Error(`The till of ${till.name} has no driver.`);
  return provider;
}

/**
 * Facts that the driver reads from a webhook. The PayPal driver also fetches the subscription as it is at that moment.
 */
async function reportedFactsOf(provider: PaymentProvider, body: string): Promise<ReportedFact[]> {
  const { id: eventId } = JSON.parse(body) as { id: string };
  return (await provider.interpret(Buffer.from(body))).map((fact) => ({ eventId, fact }));
}

/**
 * A purchase with a payment, a failed and a repeated payment, a partial refund, a won dispute and a cancellation. Each
 * webhook is read immediately.
 */
async function livedThrough(till: Till, provider: PaymentProvider) {
  const checkoutId = randomUUID();
  const about = { email: 'sam@people.example', customerId: null, returnUrl: 'http://a/', leaveUrl: 'http://b/' };
  const expiresAt = new Date(Date.now() + dayMs);
  const opened = await provider.openCheckout({ ...sold, title: 'Essential', ...about, checkoutId, expiresAt });
  const asked: Asked[] = [{ ...sold, purpose: 'subscribe', checkoutId, ...opened }];
  const bodies: string[] = [];
  const prompt: ReportedFact[] = [];
  const hear = async () => {
    for (const body of till.take()) {
      bodies.push(body);
      prompt.push(...(await reportedFactsOf(provider, body)));
    }
  };
  const paid = await till.pay(opened.url);
  await hear();
  const steps = [
    () => till.failRenewal(paid),
    () => till.renew(paid),
    () => till.refund(paid, 100),
    () => till.dispute(paid, 'open'),
    () => till.dispute(paid, 'won'),
  ];
  for (const [index, step] of steps.entries()) {
    till.setAheadMs((31 + index) * dayMs);
    step();
    await hear();
  }
  const atMs = Date.now() + 40 * dayMs;
  till.setAheadMs(40 * dayMs);
  const { purchase } = purchaseStateOf(asked, prompt, atMs);
  if (!purchase?.subscriptionId) throw new Error('Nothing was bought.');
  const { subscriptionId, customerId } = purchase;
  const subscription = { ...sold, checkoutId, subscriptionId, customerId, periodEnd: null, cardLast4: null };
  const answer = (await provider.cancelAtPeriodEnd(subscription)).map((fact) => ({
    eventId: 'answer',
    fact: { ...fact, checkoutId, atMs },
  }));
  await hear();
  return { asked, bodies, answer, prompt: [...prompt, ...answer], atMs };
}

test.each(openings)(
  'webhooks of %s in two hundred orders, with repeats, end as they do when read immediately',
  async (_, open) => {
    const till = await open();
    const provider = providerOf(till);
    const { asked, bodies, answer, prompt, atMs } = await livedThrough(till, provider);
    const nowMs = atMs + dayMs;
    const { purchase: expected } = purchaseStateOf(asked, prompt, nowMs);
    expect(expected).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, pastDueSinceMs: null });
    expect(expected?.payments.map(({ refundedPence }) => refundedPence)).toEqual([0, 100]);
    const property = fc.asyncProperty(
      fc.shuffledSubarray(bodies, { minLength: bodies.length }),
      fc.subarray(bodies),
      async (order, again) => {
        const heard: ReportedFact[] = [...answer];
        for (const body of [...order, ...again]) heard.push(...(await reportedFactsOf(provider, body)));
        const { purchase } = purchaseStateOf(asked, heard, nowMs);
        // PayPal names no period end after a cancellation, so the last payment's day counts.
        expect({ ...purchase, periodEndMs: 0 }).toEqual({ ...expected, periodEndMs: 0 });
        expect(Math.abs((purchase?.periodEndMs ?? 0) - (expected?.periodEndMs ?? 0))).toBeLessThan(7 * dayMs);
      },
    );
    await fc.assert(property, { numRuns: orders });
    await till.close();
  },
);
