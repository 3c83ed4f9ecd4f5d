import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { leftSignal } from '#server/http/bodies/downloads.ts';
import {
  cancelSubscription,
  changeCard,
  changeSubscription,
  createSubscription,
  getBilling,
  getPaymentProviders,
  getReceipt,
  getSandboxCheckout,
  paypalWebhook,
  processPayment,
  resumeSubscription,
  sandboxWebhook,
  stripeWebhook,
  validateVoucher,
} from '#shared/contract/billing.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { Billing } from './billing.service.ts';

export function registerBillingRoutes(app: FastifyInstance, billing: Billing): void {
  registerSubscriptionRoutes(app, billing);
  registerCheckoutRoutes(app, billing);
  registerWebhooks(app, billing);
}

/** What an owner does with a plan that is bought. */
function registerSubscriptionRoutes(app: FastifyInstance, { subscriptions, checkouts }: Billing): void {
  bind(app, getBilling, ({ principal }) => subscriptions.read(principal));
  bind(app, getReceipt, ({ principal, params, reply }) =>
    subscriptions.receipt(principal, params.id, leftSignal(reply)),
  );
  bind(app, cancelSubscription, async (call) => ({ message: await subscriptions.cancel(call) }));
  bind(app, resumeSubscription, async (call) => ({ message: await subscriptions.resume(call) }));
  bind(app, changeCard, async (call) => ({ paymentUrl: await subscriptions.changeCard(call) }));
  bind(app, changeSubscription, ({ principal, origin, body }) => checkouts.change({ principal, origin }, body));
}

/** Buying one, signed in or not. */
function registerCheckoutRoutes(app: FastifyInstance, { checkouts, sandbox, providers }: Billing): void {
  bind(app, getPaymentProviders, () => [...providers]);
  bind(app, validateVoucher, ({ principal, body }) => checkouts.lookAtVoucher(principal, body.code));
  bind(app, createSubscription, ({ principal, origin, body }) => checkouts.begin({ principal, origin }, body));
  bind(app, getSandboxCheckout, ({ params }) => sandbox.read(params.token));
  app.register(async (scope) => {
    // Before the body is looked at: with a real provider there is nothing here, whatever is sent.
    scope.addHook('onRequest', async () => {
      if (!providers.includes('sandbox')) throw notFound();
    });
    bind(scope, processPayment, ({ body }) => sandbox.process(body.checkout, body.card));
  });
}

/** What providers tell. It is stored before the answer, and read after it. */
function registerWebhooks(app: FastifyInstance, { receive }: Billing): void {
  const doors = { stripe: stripeWebhook, paypal: paypalWebhook, sandbox: sandboxWebhook } as const;
  for (const name of ['stripe', 'paypal', 'sandbox'] as const) {
    bind(app, doors[name], async ({ rawBody, request }) => {
      await receive(name, { body: rawBody, headers: request.headers });
      return { received: true as const };
    });
  }
}
