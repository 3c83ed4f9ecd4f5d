import type { App } from '#server/app.ts';
import { isSandbox, type SandboxProvider, sandboxCardOf } from '#server/platform/payments/sandbox-provider.ts';
import type { getSandboxCheckout, SandboxCard } from '#shared/contract/billing.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { type CheckoutRow, findCheckoutByToken, storeCheckoutPaid } from './checkouts.repository.ts';
import { receiveWebhookNow } from './payment-events.ts';
import { providerSubscriptionOf } from './subscription-rows.ts';
import { findSubscription } from './subscriptions.repository.ts';

const labels: Record<SandboxCard, string> = {
  pays: 'A card that pays',
  declined: 'A card that is declined',
  stops: 'A card that pays once and is declined at the next payment',
};

/** Data of the sandbox page. @throws AppError `NOT_FOUND` with a real provider, or for an unknown token. */
export async function readSandboxCheckout(app: App, token: string): Promise<RouteAnswer<typeof getSandboxCheckout>> {
  const { checkout, at } = await find(app, token);
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
}

/**
 * Pays a sandbox checkout: the sandbox sends a signed event, like any provider. Returns the next address of the page.
 * @throws AppError `CONFLICT` for a declined card or an expired checkout.
 */
export async function paySandboxCheckout(
  app: App,
  token: string,
  card: SandboxCard,
): Promise<{ message: string; redirectTo: string }> {
  const { sandbox, checkout, at } = await find(app, token);
  if (statusAt(checkout, at) !== 'open') throw over();
  if (card === 'declined') throw new AppError('CONFLICT', 'The card was declined. Try another card.');
  if (checkout.purpose === 'card') {
    await giveCard(app, sandbox, checkout, card);
    return { message: 'The card is changed.', redirectTo: '/account' };
  }
  const redirectTo = checkout.userId ? '/account?payment=returned' : '/subscribe?payment=returned';
  const { id: checkoutId, term, amountPence } = checkout;
  await receiveWebhookNow(app, 'sandbox', await sandbox.paid({ checkoutId, term, amountPence }, card));
  return { message: 'Paid in the sandbox. No money has moved.', redirectTo };
}

async function find(app: App, token: string): Promise<{ sandbox: SandboxProvider; checkout: CheckoutRow; at: Date }> {
  const sandbox = app.payments.find('sandbox');
  if (!sandbox || !isSandbox(sandbox)) throw notFound();
  const checkout = await findCheckoutByToken(app.db, app.serviceKeys.hashToken(token));
  if (!checkout) throw notFound();
  return { sandbox, checkout, at: await app.clock.now() };
}

async function giveCard(app: App, sandbox: SandboxProvider, checkout: CheckoutRow, card: SandboxCard): Promise<void> {
  const row = checkout.subscriptionId ? await findSubscription(app.db, checkout.subscriptionId) : null;
  const subscription = row && providerSubscriptionOf(row);
  if (!subscription) throw over();
  await receiveWebhookNow(app, 'sandbox', await sandbox.cardGiven(subscription, card, row.status === 'past_due'));
  await storeCheckoutPaid(app.db, checkout.id, await app.clock.now());
}

function statusAt({ status, expiresAt }: CheckoutRow, at: Date): 'open' | 'paid' | 'expired' {
  if (status === 'open') return expiresAt <= at ? 'expired' : 'open';
  return status === 'expired' ? 'expired' : 'paid';
}

function over(): AppError {
  return new AppError('CONFLICT', 'This checkout has ended. Start again on the subscription page.');
}
