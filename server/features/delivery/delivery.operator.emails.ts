import { html, isolate, letter } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import type { Mail } from './delivery.emails.ts';

const whyNotRead = {
  refused: 'could not be delivered: the last address we had did not accept our email.',
  unopened: 'was delivered, and nobody has opened it in its 30 days.',
};

const noContact = 'This owner has no confirmed trusted contact whom we could ask for another address.';
const noneHeard =
  'We asked the trusted contacts of this owner for another address. None of their mailboxes accepted our email.';

/** Tells the operator that a letter waits and nobody can be asked for another address. It says neither to whom nor what. */
export function nobodyToAskEmail({
  ownerEmail,
  why,
  asked,
  baseUrl,
}: {
  ownerEmail: string;
  why: keyof typeof whyNotRead;
  /** Contacts were asked for another address, and no mail server of theirs accepted the email. */
  asked: boolean;
  baseUrl: string;
}): Mail {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      html`A message that the owner of the account ${isolate(ownerEmail)} left ${whyNotRead[why]} ${asked ? noneHeard : noContact}`,
      html`Nothing is lost: the message is kept. What it says and for whom it is are sealed, for you too, so there is nothing you have to do. Should somebody write to you about this owner, you know now that a message waits.`,
    ],
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: a message waits, and there is nobody to ask`, ...parts };
}
