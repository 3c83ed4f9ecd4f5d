import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Card, PaymentFact, Snapshot } from './payment-facts.rules.ts';
import {
  type AskedCheckout,
  type AskedPrice,
  type IncomingWebhook,
  type PaymentProvider,
  type ProviderSubscription,
  type SandboxGround,
  signatureToleranceSeconds,
  WebhookRefused,
} from './payments.ts';
import { periodEndAfter } from './periods.ts';

/** Cards of the sandbox: one that pays, one that is declined at once, one that pays once and is declined afterwards. */
export const sandboxCardOf = {
  pays: { brand: 'visa', last4: '4242' },
  declined: { brand: 'visa', last4: '0002' },
  stops: { brand: 'visa', last4: '0341' },
} as const satisfies Record<string, Card>;

export type SandboxCardName = keyof typeof sandboxCardOf;

type Signed = IncomingWebhook;

/**
 * A provider that moves no money. It remembers nothing: what it tells follows from what it is asked. It tells it as
 * the others do, by signed events, so that everything behind the webhook's door is the same.
 */
export type SandboxProvider = PaymentProvider & {
  readonly name: 'sandbox';
  /** The token in the address of a checkout. */
  tokenFor(checkoutId: string): string;
  /** Pays with a test card that succeeds. */
  paid(asked: Pick<AskedCheckout, 'checkoutId' | 'term' | 'amountPence'>, card: SandboxCardName): Promise<Signed>;
  cardGiven(subscription: ProviderSubscription, card: SandboxCardName, owes: boolean): Promise<Signed>;
  priceChanged(subscription: ProviderSubscription, price: AskedPrice): Promise<Signed>;
  /** Event at the end of a period; null while it lasts. */
  periodEnded(subscription: ProviderSubscription): Promise<Signed | null>;
};

const eventSchema = z.object({ id: z.string(), type: z.string(), at: z.iso.datetime(), facts: z.array(z.unknown()) });
const signatureHeader = 'everkept-signature';

export function createSandboxProvider({ baseUrl, derive, now }: SandboxGround): SandboxProvider {
  const secret = derive('sandbox-webhook', 'secret');
  const tokenFor = (checkoutId: string) => derive('sandbox-checkout', checkoutId);

  function signed(event: { id: string; type: string; at: Date; facts: PaymentFact[] }): Signed {
    const body = Buffer.from(JSON.stringify(event));
    const seconds = Math.floor(Date.now() / 1_000);
    return { body, headers: { [signatureHeader]: `t=${seconds},v1=${hmac(secret, seconds, body)}` } };
  }

  const snapshotNow = async (subscription: ProviderSubscription, state: Partial<Snapshot>): Promise<PaymentFact[]> => [
    snapshotOf(subscription, await now(), state),
  ];

  return {
    name: 'sandbox',
    tokenFor,

    openCheckout: async (asked) => ({
      url: `${baseUrl}/checkout/${tokenFor(asked.checkoutId)}`,
      reference: `sandbox_checkout_${asked.checkoutId}`,
      priceId: asked.term === 'once' ? null : priceIdOf(asked),
    }),
    closeCheckout: async () => {},

    cancelAtPeriodEnd: (subscription) => snapshotNow(subscription, { cancelAtPeriodEnd: true }),
    resume: (subscription) => snapshotNow(subscription, { cancelAtPeriodEnd: false }),
    end: (subscription) => snapshotNow(subscription, { hasEnded: true }),
    // The sandbox stores nothing of its own.
    read: async () => [],
    changePrice: async (_held, change) => ({ priceId: priceIdOf(change), approvalUrl: null }),
    openCardChange: async () => null,

    async paid({ checkoutId, term, amountPence }, card) {
      const at = await now();
      const about = aboutOf(checkoutId, term, at);
      const periodEndMs = term === 'once' ? null : periodEndAfter(at, term, at).getTime();
      const money = { amountPence, currency: 'GBP' };
      const facts: PaymentFact[] = [
        { ...about, kind: 'checkout_paid', reference: `sandbox_checkout_${checkoutId}`, ...money },
        {
          ...about,
          kind: 'payment_received',
          paymentId: `sandbox_payment_${checkoutId}`,
          pricePence: amountPence,
          isRegular: true,
          periodEndMs,
          card: sandboxCardOf[card],
          ...money,
        },
      ];
      return signed({ id: `sandbox_paid_${checkoutId}`, type: 'checkout.paid', at, facts });
    },

    async cardGiven(subscription, card, owes) {
      const at = await now();
      const about = aboutOf(subscription.checkoutId, subscription.term, at);
      const facts: PaymentFact[] = [{ ...about, kind: 'card_changed', card: sandboxCardOf[card] }];
      if (owes) facts.push(renewal(subscription, at, sandboxCardOf[card], `${at.getTime()}`));
      return signed({ id: `sandbox_card_${subscription.checkoutId}_${at.getTime()}`, type: 'card.changed', at, facts });
    },

    async priceChanged(subscription, price) {
      const at = await now();
      const snapshot = snapshotOf(subscription, at, { priceId: priceIdOf(price), cancelAtPeriodEnd: false });
      const facts: PaymentFact[] = [snapshot, renewal({ ...subscription, ...price }, at, null, `${at.getTime()}`)];
      return signed({
        id: `sandbox_change_${subscription.checkoutId}_${at.getTime()}`,
        type: 'price.changed',
        at,
        facts,
      });
    },

    async periodEnded(subscription) {
      const { periodEnd, checkoutId, term, cardLast4 } = subscription;
      if (!periodEnd || periodEnd > (await now())) return null;
      const name = `${checkoutId}_${periodEnd.getTime()}`;
      if (cardLast4 === sandboxCardOf.stops.last4) {
        const fact: PaymentFact = { ...aboutOf(checkoutId, term, periodEnd), kind: 'payment_failed' };
        return signed({ id: `sandbox_failed_${name}`, type: 'payment.failed', at: periodEnd, facts: [fact] });
      }
      const facts = [renewal(subscription, periodEnd, null, `${periodEnd.getTime()}`)];
      return signed({ id: `sandbox_renewed_${name}`, type: 'payment.received', at: periodEnd, facts });
    },

    async verify({ body, headers }) {
      checkSignature(secret, body, headers[signatureHeader]);
      const { id, type, at } = readEvent(body);
      return { id, type, at: new Date(at) };
    },
    // The body is our own, under our own signature.
    interpret: async (body) => readEvent(body).facts as PaymentFact[],
  };
}

/** The name of a price says all there is to say about it. */
function priceIdOf({ plan, term, amountPence }: AskedPrice): string {
  return `sandbox_price_${plan}_${term}_${amountPence}`;
}

function aboutOf(checkoutId: string, term: AskedPrice['term'], at: Date) {
  return {
    atMs: at.getTime(),
    checkoutId,
    subscriptionId: term === 'once' ? null : `sandbox_subscription_${checkoutId}`,
    customerId: `sandbox_customer_${checkoutId}`,
  };
}

function snapshotOf(subscription: ProviderSubscription, at: Date, state: Partial<Snapshot>): Snapshot {
  const standing = { hasEnded: false, cancelAtPeriodEnd: false, periodEndMs: null, priceId: null };
  return { ...aboutOf(subscription.checkoutId, subscription.term, at), kind: 'snapshot', ...standing, ...state };
}

function renewal(subscription: ProviderSubscription, at: Date, card: Card | null, name: string): PaymentFact {
  const { checkoutId, term, amountPence } = subscription;
  return {
    ...aboutOf(checkoutId, term, at),
    kind: 'payment_received',
    paymentId: `sandbox_payment_${checkoutId}_${name}`,
    pricePence: amountPence,
    isRegular: true,
    periodEndMs: term === 'once' ? null : periodEndAfter(at, term, at).getTime(),
    card,
    amountPence,
    currency: 'GBP',
  };
}

function readEvent(body: Buffer) {
  try {
    return eventSchema.parse(JSON.parse(body.toString('utf8')));
  } catch {
    throw new WebhookRefused('unreadable');
  }
}

/** The scheme of signatures is Stripe's: HMAC-SHA256 over the second of signing and the bytes as they came. */
function checkSignature(secret: string, body: Buffer, header: string | string[] | undefined): void {
  const [, seconds, signature] =
    /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(typeof header === 'string' ? header : '') ?? [];
  if (seconds === undefined || signature === undefined) throw new WebhookRefused('unsigned');
  const expected = Buffer.from(hmac(secret, Number(seconds), body), 'hex');
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) throw new WebhookRefused('signature');
  if (Math.abs(Date.now() / 1_000 - Number(seconds)) > signatureToleranceSeconds) throw new WebhookRefused('old');
}

function hmac(secret: string, seconds: number, body: Buffer): string {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
}

export function isSandbox(provider: PaymentProvider): provider is SandboxProvider {
  return provider.name === 'sandbox';
}
