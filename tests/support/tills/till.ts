import type { Payments, ProviderName, SandboxGround } from '#server/platform/payments/payments.ts';

/** What is wrong with the signature of a webhook. */
export type Forgery = 'unsigned' | 'other key' | '301 seconds old' | '301 seconds ahead' | 'one byte changed';
export const forgeries: readonly Forgery[] = [
  'unsigned',
  'other key',
  '301 seconds old',
  '301 seconds ahead',
  'one byte changed',
];

/** What is told instead of what was asked. */
export type Wrong = { amountPence?: number; currency?: string; customer?: string };

/** A payment provider as those behind the other counter see it: payers, and whoever gives money back. */
export type Till = {
  readonly name: ProviderName;
  /** The driver of the product, set up against this till. */
  payments(ground: SandboxGround): Payments;
  /** Its clock runs so far ahead of the real one. */
  setAheadMs(aheadMs: number): void;
  /** Somebody pays at this address. Gives the till's own name of the purchase. */
  pay(url: string, wrong?: Wrong): Promise<string>;
  /** Somebody tries a card that is declined. */
  decline(url: string): Promise<void>;
  /** The next period is paid for, or not. */
  renew(purchase: string, wrong?: Wrong): void;
  failRenewal(purchase: string): void;
  /** Of the newest payment; all of it unless told otherwise. */
  refund(purchase: string, amountPence?: number): void;
  dispute(purchase: string, outcome: 'open' | 'won' | 'lost'): void;
  /** The payer agrees to a change of price, where the provider asks them. */
  approve(url: string): void;
  /** What is to be told of all that since the last time, oldest first: bodies of webhooks. */
  take(): string[];
  /** Signs it, or spoils it. */
  sign(body: string, forgery?: Forgery): { body: string; headers: Record<string, string> };
  /** The next calls are answered as if the service were down. */
  failNext(count: number): void;
  /** Where it is called, and what its webhooks are signed for or with. */
  readonly url: string;
  readonly secret: string;
  /** A signed word of its own about a purchase that nobody knows. */
  sample(id: string): string;
  /** What it was called for, as `POST /v1/prices`. */
  readonly calls: string[];
  close(): Promise<void>;
};

/** Changes a byte that makes another text of the same length. */
export function spoiled(body: string): string {
  return body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
}
