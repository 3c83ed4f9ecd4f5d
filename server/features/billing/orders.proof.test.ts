import { and, eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentFact } from '#server/platform/payments/payment-facts.rules.ts';
import { checkouts, paymentEvents, payments, subscriptions } from '#server/schema/billing.tables.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { createSandboxTill } from '#tests/support/tills/sandbox-till.ts';
import { ownerByRow } from './billing.test-world.ts';
import { processDueBilling } from './billing.ts';
import { receiveWebhook } from './payment-events.ts';

const orders = 200;
const seed = 22;
const workers = 4;
/** Ten times what the test takes alone, which is more than tests have by default. */
const tenfoldMs = 600_000;

const till = createSandboxTill();
let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept({ payments: (ground) => till.payments(ground) });
});
afterAll(() => everkept.close());

/** Recent enough that no plan ends by time alone, whichever event comes last. */
const paidAtMs = Date.now() - 5 * dayMs;
const money = { amountPence: 499, currency: 'GBP' };

/** Events of one purchase: paid, a failed payment and its repeat, another card, a refund, a won dispute. */
function history(checkoutId: string): PaymentFact[][] {
  const at = (day: number) => ({
    atMs: paidAtMs + day * dayMs,
    checkoutId,
    subscriptionId: `sub_${checkoutId}`,
    customerId: `cus_${checkoutId}`,
  });
  const received = (day: number, name: string, last4: string): PaymentFact => ({
    ...at(day),
    ...money,
    kind: 'payment_received',
    paymentId: `${name}_${checkoutId}`,
    pricePence: 499,
    isRegular: true,
    periodEndMs: paidAtMs + (day + 30) * dayMs,
    card: { brand: 'visa', last4 },
  });
  const unplaced = { checkoutId: null, subscriptionId: null, customerId: null };
  return [
    [{ ...at(0), ...money, kind: 'checkout_paid', reference: `ref_${checkoutId}` }],
    [received(0, 'first', '4242')],
    [{ ...at(1), kind: 'payment_failed' }],
    [received(2, 'second', '4444'), { ...at(2), kind: 'card_changed', card: { brand: 'visa', last4: '4444' } }],
    [
      { ...at(3), ...unplaced, kind: 'refunded', paymentId: `first_${checkoutId}`, refundedPence: 200 },
      { ...at(4), ...unplaced, kind: 'disputed', paymentId: `second_${checkoutId}`, outcome: 'won' },
    ],
  ];
}

/** Pseudo-random numbers that are equal in every run. */
function randomOf(state: number): () => number {
  let current = state;
  return () => {
    current = (Math.imul(current, 1_664_525) + 1_013_904_223) >>> 0;
    return current / 2 ** 32;
  };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0] as T);
}

/** Creates an owner with a checkout. Its events are shuffled, and one of them is repeated. */
async function begin(random: () => number) {
  const { userId: id, email } = await ownerByRow(everkept);
  const createdAt = new Date(paidAtMs);
  const wish = { purpose: 'subscribe', provider: 'sandbox', plan: 'essential', term: 'monthly' } as const;
  const price = { listPricePence: 499, amountPence: 499, providerReference: `ref_${id}`, providerPriceId: null };
  const row = { id, userId: id, email, ...wish, ...price, createdAt, expiresAt: createdAt };
  await everkept.database.db.insert(checkouts).values(row);
  const events = history(id).map((facts, index) =>
    JSON.stringify({ id: `${id}_${index}`, type: 'told', at: createdAt.toISOString(), facts }),
  );
  const order = shuffled(events, random);
  return { id, email, told: [...order, order[0] as string] };
}

async function tell(body: string): Promise<void> {
  const signed = till.sign(body);
  await receiveWebhook(everkept.opened, 'sandbox', { body: Buffer.from(signed.body), headers: signed.headers });
}

/** State of a purchase without its own ids. */
async function standing({ id, email }: { id: string; email: string }): Promise<string> {
  const { db } = everkept.database;
  const [row] = await db.select().from(subscriptions).where(eq(subscriptions.id, id));
  const received = await db.select().from(payments).where(eq(payments.subscriptionId, id)).orderBy(payments.paidAt);
  const { rows } = await db.execute<Record<string, unknown>>(
    sql`select plan, subscription_status from users where id = ${id}`,
  );
  const own = new Set(['id', 'number', 'createdAt', 'updatedAt', 'nextStepAt']);
  const state = JSON.stringify([row, received, rows], (key, value: unknown) => (own.has(key) ? undefined : value));
  return state.replaceAll(id, 'id').replaceAll(email, 'email');
}

/** Several workers claim due events in parallel, also those of one purchase. */
async function work(): Promise<void> {
  const worker = async () => {
    while ((await processDueBilling(everkept.opened)) > 0);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

test(
  'a purchase has the same result in two hundred orders of its events, stored and processed in PostgreSQL',
  async () => {
    const { db } = everkept.database;
    const random = randomOf(seed);
    const purchases = [];
    for (let count = 0; count < orders; count += 1) purchases.push(await begin(random));
    for (let turn = 0; turn < (purchases[0]?.told.length ?? 0); turn += 1) {
      await Promise.all(purchases.map(({ told }) => tell(told[turn] as string)));
      await work();
    }
    const ends = new Set<string>();
    for (const purchase of purchases) ends.add(await standing(purchase));
    expect(ends.size).toBe(1);
    const [end = ''] = ends;
    expect(JSON.parse(end)).toMatchObject([
      { plan: 'essential', status: 'active', cardLast4: '4444' },
      [{ refundedPence: 200, status: 'partly_refunded' }, { status: 'paid' }],
      [{ plan: 'essential' }],
    ]);
    // An event that came before its purchase, and was postponed by one worker while another placed it, is retried.
    await everkept.jump(1);
    await work();
    const left = and(eq(paymentEvents.provider, 'sandbox'), sql`${paymentEvents.status} <> 'applied'`);
    expect(await db.$count(paymentEvents, left)).toBe(0);
  },
  tenfoldMs,
);
