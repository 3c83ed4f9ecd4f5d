import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { PaymentFact } from './payment-facts.rules.ts';
import type { Term } from './periods.ts';

export type ProviderName = 'stripe' | 'paypal' | 'sandbox';

/** Requested price in pence. `plan` is the provider's catalogue word, `title` the displayed text. */
export type AskedPrice = { plan: string; title: string; term: Term; amountPence: number };

export type AskedCheckout = AskedPrice & {
  /** Ours; it comes back with everything the provider tells of it. */
  checkoutId: string;
  email: string;
  /** Customer who paid here before; null for a new one. */
  customerId: string | null;
  expiresAt: Date;
  /** Return address of the browser. Its query never counts as a payment. */
  returnUrl: string;
  leaveUrl: string;
};

export type OpenedCheckout = {
  url: string;
  /** The provider's name for it. */
  reference: string;
  /** Provider's id of the recurring price; null for a one-off purchase. */
  priceId: string | null;
};

/** A subscription as the provider knows it, and what we last knew of it. */
export type ProviderSubscription = {
  checkoutId: string;
  subscriptionId: string;
  customerId: string | null;
  term: Term;
  amountPence: number;
  periodEnd: Date | null;
  cardLast4: string | null;
};

/** A webhook whose signature is good. */
export type ToldEvent = { id: string; type: string; at: Date };

export type IncomingWebhook = { body: Buffer; headers: IncomingHttpHeaders };

/** A payment provider. A failed call throws `PaymentError`; it changed nothing, or can be repeated. */
export type PaymentProvider = {
  readonly name: ProviderName;
  openCheckout(asked: AskedCheckout): Promise<OpenedCheckout>;
  /** Closes the checkout for payment. Silent if that is impossible. */
  closeCheckout(reference: string): Promise<void>;
  /** Each returns the resulting facts. */
  cancelAtPeriodEnd(subscription: ProviderSubscription): Promise<PaymentFact[]>;
  resume(subscription: ProviderSubscription): Promise<PaymentFact[]>;
  /** Ends it at once; nothing is charged any more. */
  end(subscription: ProviderSubscription): Promise<PaymentFact[]>;
  /** Current state, for use after a silence of the provider. */
  read(subscription: ProviderSubscription): Promise<PaymentFact[]>;
  /** Asks another price from now on. With `approvalUrl` the payer has to agree there first. */
  changePrice(
    subscription: ProviderSubscription,
    change: AskedPrice & { returnUrl: string; leaveUrl: string },
  ): Promise<{ priceId: string; approvalUrl: string | null }>;
  /** Page where the payer enters another card; null if the provider has none. */
  openCardChange(subscription: ProviderSubscription, returnUrl: string): Promise<string | null>;
  /**
   * @throws WebhookRefused where the signature is not the provider's, is too old, or the body was changed.
   * @throws UnknownShapeError if the signature matches and the content can't be read.
   */
  verify(webhook: IncomingWebhook): Promise<ToldEvent>;
  /** Facts of a verified body; empty if it does not concern us. May ask the provider for more. */
  interpret(body: Buffer): Promise<PaymentFact[]>;
};

/** The doors through which money comes, the usual one first. */
export type Payments = {
  readonly names: readonly ProviderName[];
  find(name: string): PaymentProvider | undefined;
};

/** `refused`: the provider will not do this. `unavailable`: it could not be asked, or did not answer sensibly. */
export class PaymentError extends Error {
  override readonly name = 'PaymentError';
  readonly failure: 'refused' | 'unavailable';
  /** A word for the operator. */
  readonly code: string;

  constructor(failure: 'refused' | 'unavailable', code: string) {
    super(failure === 'refused' ? 'The payment provider refused this.' : 'The payment provider could not be asked.');
    this.failure = failure;
    this.code = code;
  }
}

/** A webhook without a valid signature. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
  readonly reason: 'unsigned' | 'signature' | 'old' | 'unreadable';

  constructor(reason: WebhookRefused['reason']) {
    super('The signature of a webhook does not match.');
    this.reason = reason;
  }
}

/** A webhook with a valid signature about an object of a shape that we can't read, such as one of another version of an API. */
export class UnknownShapeError extends Error {
  override readonly name = 'UnknownShapeError';
  readonly event: ToldEvent;

  constructor(event: ToldEvent) {
    super(`The shape of an event ${event.type} is unknown.`);
    this.event = event;
  }
}

/** Name of an event as it can be stored. */
const eventWord = z
  .string()
  .min(1)
  .max(255)
  .refine((word) => !word.includes('\0'));
const toldEvent = z.object({
  id: eventWord,
  type: eventWord,
  at: z.date().min(new Date('2000-01-01')).max(new Date('9999-12-31')),
});

/** Reads the head of a signed event. @throws WebhookRefused if it can't be stored, so that no provider sends it again for days. */
export function readToldEvent(head: Record<keyof ToldEvent, unknown>): ToldEvent {
  const read = toldEvent.safeParse(head);
  if (!read.success) throw new WebhookRefused('unreadable');
  return read.data;
}

/** Accepted difference between a signature's time and ours, in seconds. */
export const signatureToleranceSeconds = 300;

export type PaymentSettings = {
  stripe?: { secretKey: string; webhookSecret: string; apiBase?: string | undefined } | undefined;
  paypal?: { clientId: string; clientSecret: string; webhookId: string; apiBase?: string | undefined } | undefined;
  /** True if the sandbox may stand in where there is none of these. */
  sandboxCheckout: boolean;
};

/** Parts of this installation that the sandbox needs. */
export type SandboxGround = {
  baseUrl: string;
  /** An unguessable value, equal at every call. */
  derive(purpose: string, id: string): string;
  now(): Promise<Date>;
};

/** The providers these settings ask for; the sandbox where there is none and it may stand in. Their libraries are loaded only when needed. */
export async function openPayments(settings: PaymentSettings, ground: SandboxGround): Promise<Payments> {
  const providers: PaymentProvider[] = [];
  if (settings.stripe) {
    const { createStripeProvider } = await import('./stripe-provider.ts');
    providers.push(createStripeProvider(settings.stripe));
  }
  if (settings.paypal) {
    const { createPayPalProvider } = await import('./paypal-provider.ts');
    providers.push(createPayPalProvider(settings.paypal));
  }
  if (providers.length === 0 && settings.sandboxCheckout) {
    const { createSandboxProvider } = await import('./sandbox-provider.ts');
    providers.push(createSandboxProvider(ground));
  }
  return paymentsOf(providers);
}

/** These providers, the usual one first. */
export function paymentsOf(providers: readonly PaymentProvider[]): Payments {
  return {
    names: providers.map(({ name }) => name),
    find: (name) => providers.find((provider) => provider.name === name),
  };
}
