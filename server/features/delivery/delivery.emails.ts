import { html, isolate, letter } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import type { AddressSource } from '#shared/rules/deliveries.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { supportLines } from '#shared/support-lines.ts';
import { letterKeptDays } from './delivery.rules.ts';

/** A mail as the notifications take it. */
export type Mail = { subject: string; html: string; text: string };

/** Whose letter it is. `name` in full, `firstName` for the sentences that follow. */
export type Sender = { name: string; firstName: string };

type MailWithLink = { sender: Sender; link: string; baseUrl: string };
type LetterMail = MailWithLink & { addressFrom: AddressSource };

/** The mail that brings a letter: who wrote it, why it comes now, and the link. Never a word of the letter itself. */
export function deliveryEmail({ sender, link: url, baseUrl, addressFrom }: LetterMail): Mail {
  const name = isolate(sender.name);
  const firstName = isolate(sender.firstName);
  const parts = letter({
    preheader: `${sender.firstName} asked us to send it to you. You can read it when you feel ready.`,
    greeting: 'Hello,',
    paragraphs: [
      html`${name} wrote a message for you and asked us to send it after ${firstName}’s death or a long silence.`,
      html`You can read it when you feel ready. It stays there for ${letterKeptDays} days after this email.`,
    ],
    action: { label: 'Read the message', url },
    after: [
      html`You need no account. Reading it costs nothing, and nobody will ask you for money.`,
      html`A letter may be sealed with words that only you would know; the page then asks for them.`,
      supportLine(),
    ],
    reason: reasonFor(sender, addressFrom),
    baseUrl,
  });
  return { subject: `${sender.name} wrote a message for you`, ...parts };
}

/** Says again that a letter waits, with the same link. `expiresAt` is when the link dies. */
export function unopenedEmail({
  sender,
  link: url,
  baseUrl,
  addressFrom,
  expiresAt,
}: LetterMail & { expiresAt: Date }): Mail {
  const until = longDate(expiresAt);
  const parts = letter({
    preheader: `It stays there until ${until}.`,
    greeting: 'Hello,',
    paragraphs: [
      html`${isolate(sender.name)} wrote a message for you. It has not been opened yet.`,
      html`It stays there until ${until}. There is no hurry before then.`,
    ],
    action: { label: 'Read the message', url },
    after: [supportLine()],
    reason: reasonFor(sender, addressFrom),
    baseUrl,
  });
  return { subject: `A message from ${sender.name} is kept for you until ${until}`, ...parts };
}

/** The link again, because its time was over and the recipient asked. */
export function renewedEmail({ sender, link: url, baseUrl, addressFrom }: LetterMail): Mail {
  const parts = letter({
    preheader: `The message stays there for another ${letterKeptDays} days.`,
    greeting: 'Hello,',
    paragraphs: [
      html`Here is the message that ${isolate(sender.name)} wrote for you. Somebody who had the old link asked for it.`,
      html`It stays there for ${letterKeptDays} days after this email.`,
    ],
    action: { label: 'Read the message', url },
    after: [supportLine()],
    reason: reasonFor(sender, addressFrom),
    baseUrl,
  });
  return { subject: `Your new link to the message from ${sender.name}`, ...parts };
}

/** To an address that did not take a letter before, or where nobody opened it, while another one waits for its day. */
export function onceMoreEmail({
  sender,
  link: url,
  baseUrl,
  addressFrom,
  sendsAt,
}: LetterMail & { sendsAt: Date }): Mail {
  const firstName = isolate(sender.firstName);
  const parts = letter({
    preheader: 'Before it goes to another address, we try this one once more.',
    greeting: 'Hello,',
    paragraphs: [
      html`${isolate(sender.name)} left a message for you. When we wrote to you here before, our email was not taken, or nobody opened the message.`,
      html`Somebody whom ${firstName} trusts has now told us another address of yours. Unless this email reaches you, the message goes there on ${longDate(sendsAt)}.`,
      html`If you read this, it has reached you here, and you have nothing else to do. Take the time you need before you open it.`,
    ],
    action: { label: 'Read the message', url },
    reason: reasonFor(sender, addressFrom),
    baseUrl,
  });
  return { subject: `A message from ${sender.name}, once more at this address`, ...parts };
}

/** Tells a contact that a letter was refused for good, or its tries ran out. It says neither to whom nor what; the page behind the link does. */
export function unreachableEmail({
  sender,
  contactName,
  link: url,
  baseUrl,
}: MailWithLink & {
  contactName: string;
}): Mail {
  const firstName = isolate(sender.firstName);
  const parts = letter({
    preheader: 'Can you help?',
    greeting: html`Hello ${isolate(firstNameOf(contactName))},`,
    paragraphs: [
      html`We could not deliver a message that ${isolate(sender.name)} left: the last address we had did not take our mail. It is kept.`,
      html`If ${firstName} let you see whom it is for, you can propose another address. Nothing is sent when you open the page.`,
    ],
    action: { label: 'See what you can do', url },
    after: [html`If you can’t help, you have nothing to do.`],
    reason: html`You get this because ${isolate(sender.name)} named you as a trusted contact, and you accepted.`,
    baseUrl,
  });
  return { subject: `We could not reach somebody ${sender.name} wrote to. Can you help?`, ...parts };
}

/** Tells a contact that letters were taken by a mailbox and opened by nobody. It says neither to whom nor what; the page does. */
export function neverOpenedEmail({
  sender,
  contactName,
  letters,
  link: url,
  baseUrl,
}: MailWithLink & {
  contactName: string;
  letters: number;
}): Mail {
  const firstName = isolate(sender.firstName);
  const isOne = letters === 1;
  const what = isOne ? 'a message' : `${letters} messages`;
  const parts = letter({
    preheader: 'Can you help?',
    greeting: html`Hello ${isolate(firstNameOf(contactName))},`,
    paragraphs: [
      isOne
        ? html`A message that ${isolate(sender.name)} left was delivered to a mailbox ${letterKeptDays} days ago, and nobody has opened it. We wrote three times. Perhaps nobody reads that mailbox any more. The message is kept.`
        : html`${letters} messages that ${isolate(sender.name)} left were delivered to mailboxes ${letterKeptDays} days ago, and nobody has opened them. We wrote three times. Perhaps nobody reads these mailboxes any more. The messages are kept.`,
      isOne
        ? html`If ${firstName} let you see whom it is for, you can tell that person, or propose another address. Nothing is sent when you open the page.`
        : html`Where ${firstName} let you see whom they are for, you can tell these people, or propose another address. Nothing is sent when you open the page.`,
    ],
    action: { label: 'See what you can do', url },
    after: [html`If you can’t help, you have nothing to do. Whoever has the old email can ask for the link again.`],
    reason: html`You get this because ${isolate(sender.name)} named you as a trusted contact, and you accepted.`,
    baseUrl,
  });
  return { subject: `Nobody has opened ${what} that ${sender.name} left. Can you help?`, ...parts };
}

/** Tells a contact that letters are damaged and wait. It says neither whose nor what. */
export function heldBackEmail({
  sender,
  contactName,
  letters,
  baseUrl,
}: {
  sender: Sender;
  contactName: string;
  letters: number;
  baseUrl: string;
}): Mail {
  const what = letters === 1 ? 'One of the messages' : `${letters} of the messages`;
  const [are, them] = letters === 1 ? ['is', 'it'] : ['are', 'them'];
  const parts = letter({
    preheader: 'We are looking after it.',
    greeting: html`Hello ${isolate(firstNameOf(contactName))},`,
    paragraphs: [
      html`${what} that ${isolate(sender.name)} left ${are} damaged where we keep ${them}, so we did not send ${them}. Whatever is not damaged is on its way.`,
      html`The people who run ${productName} have been told. As soon as we can read ${them} again, we send ${them}. There is nothing you have to do.`,
    ],
    reason: html`You get this because ${isolate(sender.name)} named you as a trusted contact, and you accepted.`,
    baseUrl,
  });
  return { subject: `Something that ${sender.name} left is damaged, and we are looking after it`, ...parts };
}

const whyNotRead = {
  refused: 'could not be delivered: the last address we had did not take our mail.',
  unopened: 'was delivered, and nobody has opened it in its days.',
};

/** Tells the operator that a letter waits and nobody can be asked for another address. It says neither to whom nor what. */
export function nobodyToAskEmail({
  ownerEmail,
  why,
  baseUrl,
}: {
  ownerEmail: string;
  why: keyof typeof whyNotRead;
  baseUrl: string;
}): Mail {
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      html`A message that the owner of the account ${isolate(ownerEmail)} left ${whyNotRead[why]} This owner has no confirmed trusted contact whom we could ask for another address.`,
      html`Nothing is lost: the message is kept. What it says and for whom it is are sealed, for you too, so there is nothing you have to do. Should somebody write to you about this owner, you know now that a message waits.`,
    ],
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: a message waits, and there is nobody to ask`, ...parts };
}

function supportLine() {
  const { cruse, cruseScotland } = supportLines;
  return html`If this is hard to read alone, ${cruse.name} listens, free, on ${cruse.phone}. In Scotland, it is ${cruseScotland.name}, ${cruseScotland.phone}.`;
}

function reasonFor(sender: Sender, addressFrom: AddressSource) {
  const name = isolate(sender.name);
  const why =
    addressFrom === 'owner'
      ? html`${name} gave ${productName} your address for this message, and for nothing else.`
      : html`${name} left this message for you. Nobody could be reached at the address we had, so a trusted contact of ${isolate(sender.firstName)} gave us this one. We use it for nothing else.`;
  return html`${why} Not for you, or no more of these? Reply to this email. A person reads it.`;
}

const dateFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'Europe/London',
});

function longDate(date: Date): string {
  return dateFormat.format(date);
}
