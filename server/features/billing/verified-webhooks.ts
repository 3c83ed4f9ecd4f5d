import type { App } from '#server/app.ts';
import {
  type IncomingWebhook,
  PaymentError,
  type PaymentProvider,
  type ProviderName,
  type ToldEvent,
  UnknownShapeError,
  WebhookRefused,
} from '#server/platform/payments/payments.ts';
import { stripeApiVersion } from '#server/platform/payments/stripe-version.ts';
import { AppError } from '#shared/contract/errors.ts';
import { storeUnknownShape } from './payment-events.repository.ts';

/** Advice for the operator about events that we can't read. */
export const shapeAdvice: Readonly<Record<ProviderName, string>> = {
  stripe: `At Stripe, set the API version of the webhook endpoint to ${stripeApiVersion}, and send the failed events again.`,
  paypal: 'At PayPal, choose the events of docs/operations.md for the webhook, and send the failed events again.',
  sandbox: 'The practice checkout and the site are of different releases. Start the same release.',
};

/**
 * Checks the signature and the shape of a webhook.
 * @throws AppError `UNAUTHENTICATED` if the signature does not match, `VALIDATION` if the content can't be read, `UNAVAILABLE` if
 * the provider could not be reached. The provider then repeats the webhook.
 */
export async function verifiedEvent(app: App, provider: PaymentProvider, webhook: IncomingWebhook): Promise<ToldEvent> {
  try {
    return await provider.verify(webhook);
  } catch (error) {
    if (error instanceof UnknownShapeError) throw await unknownShape(app, provider.name, error.event);
    if (error instanceof WebhookRefused) {
      app.log.warn({ provider: provider.name, refusal: error.reason }, 'a webhook was refused');
      // The signature matches: it is checked first.
      if (error.reason === 'unreadable') throw new AppError('VALIDATION', 'This webhook holds no event that we know.');
      throw new AppError('UNAUTHENTICATED', 'The webhook signature does not match. Check the signing secret.');
    }
    if (error instanceof PaymentError) {
      app.log.warn({ provider: provider.name, code: error.code }, 'a webhook could not be checked');
      throw new AppError('UNAVAILABLE', 'This webhook could not be checked. Send it again.');
    }
    throw error;
  }
}

/** Notes the event for `everkept doctor`, and returns the answer to the provider. Its content is not kept. */
async function unknownShape(app: App, provider: ProviderName, { type, at }: ToldEvent): Promise<AppError> {
  app.log.warn({ provider, type }, 'an event has a shape that we cannot read');
  await storeUnknownShape(app.db, { provider, type, occurredAt: at, receivedAt: await app.clock.now() });
  return new AppError('VALIDATION', `We cannot read the shape of this event ${type}. ${shapeAdvice[provider]}`);
}
