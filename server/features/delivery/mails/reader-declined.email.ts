import { html, isolate, letter } from '#server/platform/mail/letter.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import type { Mail, Sender } from './delivery.emails.ts';

/** One reader wants no more letters now. The mail says neither who it is nor what is in the letters. */
export function readerDeclinedEmail({
  sender: { name, firstName },
  contactName,
  baseUrl,
}: {
  sender: Sender;
  contactName: string;
  baseUrl: string;
}): Mail {
  const parts = letter({
    preheader: 'Their letters wait. There is nothing you have to do.',
    greeting: html`Hello ${isolate(firstNameOf(contactName))},`,
    paragraphs: [
      html`A person to whom ${isolate(name)} wrote has told us that they want no more letters now. We do not say who it is, and we do not tell ${isolate(firstName)}.`,
      html`Letters that ${isolate(firstName)} left for later days wait for this person. There is nothing you have to do. The letters stay, and the person can ask for them on the page of any letter that they have.`,
      html`If you know that they want the letters after all, open the link in our email that asked you about ${isolate(firstName)}. Its page has a button for that.`,
    ],
    reason: html`You get this because ${isolate(name)} named you as a trusted contact, and you accepted.`,
    baseUrl,
  });
  return { subject: `A reader wants no more letters from ${name} now`, ...parts };
}
