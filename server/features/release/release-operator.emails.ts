import { html, isolate, letter } from '#server/platform/mail/letter.ts';
import { productName, productSlug } from '#shared/product.ts';

/** Tells the operator that the breaker has stopped releases. `limit` is how many owners a day may move on. */
export function breakerEmail({ limit, baseUrl }: { limit: number; baseUrl: string }) {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      html`More than ${limit} owners would have moved on to a release in one day. That is more than can be right, so ${productName} has stopped all releases. Letters, and questions to contacts, that were waiting to be sent wait on; what had left already can still arrive. Reminders to owners go on.`,
      html`Look at the clock of the database, at what was changed there, and at your mail server. When all is well, run ${`${productSlug} release resume`}.`,
    ],
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: releases are stopped until you look`, ...parts };
}

/** Tells an owner that the operator has stopped their release, or lets it go on. */
export function ownerFreezeEmail({
  firstName,
  isFrozen,
  baseUrl,
}: {
  firstName: string;
  isFrozen: boolean;
  baseUrl: string;
}) {
  const paragraphs = isFrozen
    ? [
        html`The people who run ${productName} have stopped the release of your messages for now. Until they let it go on, we begin nothing new: no reminders to you, no questions to your contacts, no new deliveries. What was waiting to be sent to your contacts or recipients waits too. An email that had left already can still arrive.`,
        html`Your messages are kept. If you did not expect this, answer this email.`,
      ]
    : [
        html`The release of your messages was stopped for a while. It goes on now as you chose it, and no time that you or your contacts have to answer was lost.`,
        html`If you are well, sign in, and everything begins again from today.`,
      ];
  const parts = letter({
    greeting: html`Hello ${isolate(firstName)},`,
    paragraphs,
    action: { label: 'See your vault', url: `${baseUrl}/` },
    reason: `You get this because you keep messages with ${productName}.`,
    baseUrl,
  });
  const subject = isFrozen ? 'The release of your messages is stopped for now' : 'The release of your messages goes on';
  return { subject, ...parts };
}
