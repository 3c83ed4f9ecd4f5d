import type { IncomingHttpHeaders } from 'node:http';
import type { PaymentFact } from './payment-facts.rules.ts';
import type { Term } from './periods.ts';

export type ProviderName = 'stripe' | 'paypal' | 'sandbox';

/** What is asked for. `plan` is a word for the provider's catalogue, `title` what people read. In pence of a pound. */
export type AskedPrice = { plan: string; title: string; term: Term; amountPence: number };

export type AskedCheckout = AskedPrice & {
  /** Ours; it comes back with everything the provider tells of it. */
  checkoutId: string;
  email: string;
  /** Who paid here before; null for somebody new. */
  customerId: string | null;
  expiresAt: Date;
  /** Where the browser comes back to. What it says is never taken for a payment. */
  returnUrl: string;
  leaveUrl: string;
};

export type OpenedCheckout = {
  url: string;
  /** The provider's name for it. */
  reference: string;
  /** The provider's name of the price that it will ask again; null for what is bought once. */
  priceId: string | null;
};

/** A subscription as the provider knows it, and what we last knew of it. */
export type HeldSubscription = {
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

/** Somebody who takes money. A call that fails throws `PaymentError`; nothing is changed then, or it may be called again. */
export type PaymentProvider = {
  readonly name: ProviderName;
  openCheckout(asked: AskedCheckout): Promise<OpenedCheckout>;
  /** Lets nobody pay it any more. Quiet where that is not possible. */
  closeCheckout(reference: string): Promise<void>;
  /** Each gives what is true afterwards. */
  cancelAtPeriodEnd(held: HeldSubscription): Promise<PaymentFact[]>;
  resume(held: HeldSubscription): Promise<PaymentFact[]>;
  /** Ends it at once; nothing is charged any more. */
  end(held: HeldSubscription): Promise<PaymentFact[]>;
  /** How it stands now; for when the provider has been silent. */
  read(held: HeldSubscription): Promise<PaymentFact[]>;
  /** Asks another price from now on. With `approvalUrl` the payer has to agree there first. */
  changePrice(
    held: HeldSubscription,
    change: AskedPrice & { returnUrl: string; leaveUrl: string },
  ): Promise<{ priceId: string; approvalUrl: string | null }>;
  /** Where the payer gives another card; null if the provider has no such page. */
  openCardChange(held: HeldSubscription, returnUrl: string): Promise<string | null>;
  /** @throws WebhookRefused where the signature is not the provider's, is too old, or the body was changed. */
  verify(webhook: IncomingWebhook): Promise<ToldEvent>;
  /** What a verified body says in our words; nothing where it does not concern us. May ask the provider for more. */
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

/** A webhook that nobody who may tell us anything has sent. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
  readonly reason: 'unsigned' | 'signature' | 'old' | 'unreadable';

  constructor(reason: WebhookRefused['reason']) {
    super('The signature of a webhook is not good.');
    this.reason = reason;
  }
}

/** How far the time in a signature may be from ours, in seconds, both ways. */
export const signatureToleranceSeconds = 300;

export type PaymentSettings = {
  stripe?: { secretKey: string; webhookSecret: string; apiBase?: string | undefined } | undefined;
  paypal?: { clientId: string; clientSecret: string; webhookId: string; apiBase?: string | undefined } | undefined;
  /** True if the sandbox may stand in where there is none of these. */
  sandboxCheckout: boolean;
};

/** What the sandbox needs of this installation. */
export type SandboxGround = {
  baseUrl: string;
  /** A value nobody can guess, the same at every call. */
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
