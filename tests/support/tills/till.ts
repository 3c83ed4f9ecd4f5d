import type { Payments, ProviderName, SandboxGround } from '#server/platform/payments/payments.ts';

/** Fault of a webhook's signature. */
export type Forgery = 'unsigned' | 'other key' | '301 seconds old' | '301 seconds ahead' | 'one byte changed';
export const forgeries: readonly Forgery[] = [
  'unsigned',
  'other key',
  '301 seconds old',
  '301 seconds ahead',
  'one byte changed',
];

/** Wrong values in place of the requested ones. */
export type Wrong = { amountPence?: number; currency?: string; customer?: string };

/** A payment provider from the other side: payers, and refunds. */
export type Till = {
  readonly name: ProviderName;
  /** The driver of the product, set up against this till. */
  payments(ground: SandboxGround): Payments;
  /** Its clock runs so far ahead of the real one. */
  setAheadMs(aheadMs: number): void;
  /** Pays at this address. Returns the provider's name of the purchase. */
  pay(url: string, wrong?: Wrong): Promise<string>;
  /** Tries a card that is declined. */
  decline(url: string): Promise<void>;
  /** The next period is paid for, or not. */
  renew(purchase: string, wrong?: Wrong): void;
  failRenewal(purchase: string): void;
  /** Refunds the newest payment; default: all of it. */
  refund(purchase: string, amountPence?: number): void;
  dispute(purchase: string, outcome: 'open' | 'won' | 'lost'): void;
  /** The payer agrees to a change of price, where the provider asks them. */
  approve(url: string): void;
  /** Webhook bodies since the last call, oldest first. */
  take(): string[];
  /** Signs it, or spoils it. */
  sign(body: string, forgery?: Forgery): { body: string; headers: Record<string, string> };
  /** The next calls are answered as if the service were down. */
  failNext(count: number): void;
  /** Address of the API, and values for signing webhooks. */
  readonly url: string;
  readonly secret: string;
  /** A signed event about an unknown purchase. */
  sample(id: string): string;
  /** Calls received, such as `POST /v1/prices`. */
  readonly calls: string[];
  close(): Promise<void>;
};

/** Changes a byte that makes another text of the same length. */
export function spoiled(body: string): string {
  return body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
}
