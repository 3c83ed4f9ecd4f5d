import { html, letter } from '#server/platform/mail/letter.ts';
import { productName, productSlug } from '#shared/product.ts';

/** Tells the operator that the breaker has stopped releases. `limit` is how many owners a day may move on. */
export function breakerEmail({ limit, baseUrl }: { limit: number; baseUrl: string }) {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      html`More than ${limit} owners would have moved on to a release in one day. That is more than can be right, so ${productName} has stopped all releases. Reminders to owners go on.`,
      html`Look at the clock of the database, at what was changed there, and at your mail server. When all is well, run ${`${productSlug} release resume`}.`,
    ],
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: releases are stopped until you look`, ...parts };
}
