import type { Clock } from '#server/platform/clock/clock.ts';
import type { HashToken } from '#server/platform/crypto/token.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { Payments } from '#server/platform/payments/payments.ts';
import { isSandbox, type SandboxProvider, sandboxCardOf } from '#server/platform/payments/sandbox-provider.ts';
import type { getSandboxCheckout, SandboxCard } from '#shared/contract/billing.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { type CheckoutRow, findCheckoutByToken, storeCheckoutPaid } from './checkouts.repository.ts';
import type { PaymentEvents } from './payment-events.service.ts';
import { heldOf } from './subscription-rows.ts';
import { findSubscription } from './subscriptions.repository.ts';

export type SandboxCheckouts = {
  /** What the page shows. @throws AppError `NOT_FOUND` with a real provider, or for an unknown token. */
  read(token: string): Promise<RouteAnswer<typeof getSandboxCheckout>>;
  /**
   * Somebody presses Pay: the sandbox tells it by a signed event, like any provider. Gives where the page leads then.
   * @throws AppError `CONFLICT` for a card that is declined, or a checkout that is over.
   */
  process(token: string, card: SandboxCard): Promise<{ message: string; redirectTo: string }>;
};

type Dependencies = { db: Database; clock: Clock; hashToken: HashToken; payments: Payments; events: PaymentEvents };

const labels: Record<SandboxCard, string> = {
  pays: 'A card that pays',
  declined: 'A card that is declined',
  stops: 'A card that pays once and is declined at the next payment',
};

export function createSandboxCheckouts({ db, clock, hashToken, payments, events }: Dependencies): SandboxCheckouts {
  async function find(token: string): Promise<{ sandbox: SandboxProvider; checkout: CheckoutRow; at: Date }> {
    const sandbox = payments.find('sandbox');
    if (!sandbox || !isSandbox(sandbox)) throw notFound();
    const checkout = await findCheckoutByToken(db, hashToken(token));
    if (!checkout) throw notFound();
    return { sandbox, checkout, at: await clock.now() };
  }

  async function giveCard(sandbox: SandboxProvider, checkout: CheckoutRow, card: SandboxCard): Promise<void> {
    const row = checkout.subscriptionId ? await findSubscription(db, checkout.subscriptionId) : null;
    const held = row && heldOf(row);
    if (!held) throw over();
    await events.receiveNow('sandbox', await sandbox.cardGiven(held, card, row.status === 'past_due'));
    await storeCheckoutPaid(db, checkout.id, await clock.now());
  }

  return {
    async read(token) {
      const { checkout, at } = await find(token);
      const { purpose, plan, term, listPricePence, amountPence, email, expiresAt } = checkout;
      const isCard = purpose === 'card';
      return {
        purpose: isCard ? 'card' : 'payment',
        status: statusAt(checkout, at),
        plan,
        term,
        listPricePence,
        amountPence: isCard ? 0 : amountPence,
        email,
        expiresAt,
        cards: Object.entries(labels).map(([card, label]) => {
          const name = card as SandboxCard;
          return { card: name, label, ...sandboxCardOf[name] };
        }),
        backTo: isCard ? '/account' : `/subscribe?plan=${plan}`,
      };
    },

    async process(token, card) {
      const { sandbox, checkout, at } = await find(token);
      if (statusAt(checkout, at) !== 'open') throw over();
      if (card === 'declined') throw new AppError('CONFLICT', 'The card was declined. Try another card.');
      if (checkout.purpose === 'card') {
        await giveCard(sandbox, checkout, card);
        return { message: 'The card is changed.', redirectTo: '/account' };
      }
      const redirectTo = checkout.userId ? '/account?payment=returned' : '/subscribe?payment=returned';
      const { id: checkoutId, term, amountPence } = checkout;
      await events.receiveNow('sandbox', await sandbox.paid({ checkoutId, term, amountPence }, card));
      return { message: 'Paid in the sandbox. No money has moved.', redirectTo };
    },
  };
}

function statusAt({ status, expiresAt }: CheckoutRow, at: Date): 'open' | 'paid' | 'expired' {
  if (status === 'open') return expiresAt <= at ? 'expired' : 'open';
  return status === 'expired' ? 'expired' : 'paid';
}

function over(): AppError {
  return new AppError('CONFLICT', 'This checkout has ended. Start again on the subscription page.');
}
