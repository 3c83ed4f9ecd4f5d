import { html, letter } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';

/**
 * Receipt that the law requires. It repeats nothing that was typed into the form, not even a name. The address may belong to
 * another person, and a stranger must not be able to write to them under our letterhead.
 */
export function complaintReceiptEmail({ reference, baseUrl }: { reference: string; baseUrl: string }) {
  const parts = letter({
    preheader: 'We look into it without delay, and tell you the outcome.',
    greeting: 'Hello,',
    paragraphs: [
      html`We have your complaint about how ${productName} uses personal data. Its reference is ${reference}.`,
      html`We look into it without delay, and tell you the outcome at this address. To add something, reply to this email.`,
      html`If our answer does not help, you can complain to the Information Commissioner’s Office.`,
    ],
    action: { label: 'Read our privacy policy', url: `${baseUrl}/privacy-policy` },
    reason: `You get this email because somebody gave this address with a complaint to ${productName}. If it was not you, there is nothing to do.`,
    baseUrl,
  });
  return { subject: `We have your complaint, ${reference}`, ...parts };
}

/** Tells the operator that a complaint waits for an answer. One mail an hour at most. */
export function complaintNoticeEmail({ acknowledgeDays, baseUrl }: { acknowledgeDays: number; baseUrl: string }) {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      html`Somebody complained about how ${productName} uses personal data. Sign in as the administrator and open the Admin Panel to read it.`,
      html`They are sent a receipt at once. If it does not get through, the Admin Panel says so. They must know within ${`${acknowledgeDays}`} days that you have their complaint. Look into it without delay, and tell them the outcome.`,
    ],
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: a complaint about the use of data came in`, ...parts };
}
