import type { FastifyInstance } from 'fastify';
import type { App } from '#server/app.ts';
import { bind } from '#server/http/bind.ts';
import { processPayment as processPaymentRoute } from '#shared/contract/billing.ts';
import { notFound } from '#shared/contract/errors.ts';
import { processPayment } from './billing.ts';

/** Serves the practice checkout. With a real provider it answers 404 before it reads the body. */
export function registerPracticeCheckout(http: FastifyInstance, app: App): void {
  http.register(async (scope) => {
    scope.addHook('onRequest', async () => {
      if (!app.payments.names.includes('sandbox')) throw notFound();
    });
    bind(scope, processPaymentRoute, (call) => processPayment(app, call));
  });
}
