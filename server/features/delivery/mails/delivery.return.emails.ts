import { html, isolate, letter } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import type { Mail, Sender } from './delivery.emails.ts';

/* Mails about letters after their owner has come back. */

/** The owner is back, so a letter's words about a death or a long silence are wrong. */
export function returnedEmail({ sender, baseUrl }: { sender: Sender; baseUrl: string }): Mail {
  const firstName = isolate(sender.firstName);
  const parts = letter({
    preheader: 'The email you got from us can be ignored.',
    greeting: 'Hello,',
    paragraphs: [
      html`You got an email from us about a message from ${isolate(sender.name)}. Since then somebody has answered us as ${firstName}, and stopped this.`,
      html`Please ignore the email you got. A message that you have not opened can’t be opened any more; ${firstName} keeps it.`,
      html`To be certain, ask ${firstName} in a way that you know.`,
    ],
    reason: html`You get this because ${isolate(sender.name)} gave ${productName} your address for a message, and we had written to you about it.`,
    baseUrl,
  });
  return { subject: `We have heard from ${sender.name}. Our earlier email can be ignored`, ...parts };
}

/**
 * Reason why a letter that was being sent was withdrawn: its owner came back, or a contact withdrew a yes before any
 * letter had left.
 */
export type WhyStopped = 'owner_back' | 'undone';

/** The letter had been called back when it arrived, and nothing is known of its owner. */
export function tooEarlyEmail({ sender, baseUrl }: { sender: Sender; baseUrl: string }): Mail {
  const parts = letter({
    preheader: 'It came too early, and its link opens nothing.',
    greeting: 'Hello,',
    paragraphs: [
      html`You got an email from us about a message from ${isolate(sender.name)}. It came too early: we had just called it back, because it is not settled yet whether the message should go. We are sorry.`,
      html`The link in that email opens nothing. If it does go, we will write to you again. There is nothing you need to do.`,
    ],
    reason: html`You get this because ${isolate(sender.name)} gave ${productName} your address for a message, and we had written to you about it.`,
    baseUrl,
  });
  return { subject: `Our earlier email about a message from ${sender.name} came too early`, ...parts };
}

/** Tells an owner who has left a delivery as it was that a letter of it was refused since. */
export function refusedSinceEmail({ firstName, baseUrl }: { firstName: string; baseUrl: string }): Mail {
  const parts = letter({
    greeting: html`Hello ${isolate(firstName)},`,
    paragraphs: [
      html`You told us to leave the delivery of your messages as it was. Since then we could not deliver one of them: its address did not accept our email.`,
      html`It is kept in your vault. If no other reader of it has it, it is ready to send again, and your next release sends it to the address that you give by then. Please check that the address is right.`,
    ],
    action: { label: 'See your messages', url: `${baseUrl}/messages` },
    reason: `You get this because you keep messages with ${productName}.`,
    baseUrl,
  });
  return { subject: 'A message of yours could not be delivered', ...parts };
}

const atThatMoment = {
  owner_back: 'When you came back, a message of yours was just being handed over to a mail server.',
  undone:
    'A trusted contact’s confirmation no longer counted, so the delivery was stopped. At that moment a message of yours was just being handed over to a mail server.',
};

const whatIsSaid = { owner_back: 'that it can be ignored', undone: 'that it came too early' };

/** Tells an owner that a letter which was just being handed over when all was stopped has reached its mailbox. */
export function arrivedLateEmail({
  firstName,
  why,
  baseUrl,
}: {
  firstName: string;
  why: WhyStopped;
  baseUrl: string;
}): Mail {
  const parts = letter({
    greeting: html`Hello ${isolate(firstName)},`,
    paragraphs: [
      html`${atThatMoment[why]} As far as we know, that email has arrived.`,
      html`Nobody can read your message: the link in that email opens nothing. We have told its reader ${whatIsSaid[why]}, and told your trusted contacts.`,
    ],
    action: { label: 'See your vault', url: `${baseUrl}/` },
    reason: `You get this because you keep messages with ${productName}.`,
    baseUrl,
  });
  return { subject: 'An email about a message of yours arrived all the same', ...parts };
}

/** Mail to a contact, who has read that the delivery was stopped. */
export function arrivedLateToContactEmail({
  sender,
  contactName,
  why,
  baseUrl,
}: {
  sender: Sender;
  contactName: string;
  why: WhyStopped;
  baseUrl: string;
}): Mail {
  const firstName = isolate(sender.firstName);
  const isBack = why === 'owner_back';
  const stopped = isBack
    ? html`We told you that ${firstName} has come back and that the delivery is stopped.`
    : html`A confirmation by a trusted contact of ${firstName} no longer counted, so the delivery was stopped before anything had left.`;
  const parts = letter({
    greeting: html`Hello ${isolate(firstNameOf(contactName))},`,
    paragraphs: [
      html`${stopped} At that moment an email about a message was just being handed over, and as far as we know it has arrived.`,
      html`The link in it opens nothing, and we have told its reader ${whatIsSaid[why]}. There is nothing you need to do.`,
    ],
    reason: html`You get this because ${isolate(sender.name)} named you as a trusted contact, and you accepted.`,
    baseUrl,
  });
  const subject = isBack
    ? `We have heard from ${sender.name}. An email about a message arrived all the same`
    : `An email about a message from ${sender.name} arrived all the same`;
  return { subject, ...parts };
}

/* Reasons for the operator, for letters without a contact to ask. */

const whyNotRead = {
  refused: 'could not be delivered: the last address we had did not accept our email.',
  unopened: 'was delivered, and nobody has opened it in its 30 days.',
};

const noContact = 'This owner has no confirmed trusted contact whom we could ask for another address.';
const noneHeard =
  'We asked the trusted contacts of this owner for another address. None of their mailboxes accepted our email.';

/**
 * Notifies the operator that a letter waits and no contact can be asked for another address. It names neither recipient
 * nor contents.
 */
export function noContactToAskEmail({
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
      html`Nothing is lost: the message is kept. Its words and its reader are sealed, for you too, so there is nothing you have to do. If a person writes to you about this owner, you now know that a message waits.`,
    ],
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: a message waits, and there is nobody to ask`, ...parts };
}
