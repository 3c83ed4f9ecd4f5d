import { expiryOf, letterKeptDays } from '#server/features/delivery/delivery.rules.ts';
import { html, isolate, letter } from '#server/platform/mail/letter.ts';
import { type DayAfterSending, longDate } from '#server/platform/mail/mail-day.ts';
import { productName } from '#shared/product.ts';
import type { AddressSource } from '#shared/rules/deliveries.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { supportLines } from '#shared/support-lines.ts';

/** A mail as the notifications take it. */
export type Mail = { subject: string; html: string; text: string };

/** Writer of the letter: `name` in full, `firstName` for later sentences. */
export type Sender = { name: string; firstName: string };

type MailWithLink = { sender: Sender; link: string; baseUrl: string };
/** `letters`: how many the link leads to. */
type LetterMail = MailWithLink & { addressFrom: AddressSource; readerName: string | null; letters: number };

/**
 * Brings a reader their letters: who wrote them, why they come now, and the link. Never a word of the letters themselves.
 * `sealed`: how many of them ask for a passphrase.
 */
export function deliveryEmail({
  sender,
  link: url,
  baseUrl,
  addressFrom,
  readerName,
  letters,
  sealed,
  keptUntil,
}: LetterMail & { sealed: number; keptUntil: Date | DayAfterSending }): Mail {
  const [what, them, they, stay] =
    letters === 1 ? ['a message', 'it', 'It', 'stays'] : [`${letters} messages`, 'them', 'They', 'stay'];
  const name = isolate(sender.name);
  const firstName = isolate(sender.firstName);
  const parts = letter({
    preheader: `${sender.firstName} asked us to send ${them} to you. You can read ${them} when you feel ready.`,
    greeting: greetingOf(readerName),
    paragraphs: [
      html`${name} wrote ${what} for you and asked us to send ${them} after ${firstName}’s death or a long silence.`,
      html`You can read ${them} when you feel ready. ${they} ${stay} there until ${longDate(keptUntil)}.`,
    ],
    action: { label: readLabel(letters), url },
    after: [
      html`You don’t need an account. Reading it costs nothing, and nobody will ask you for money.`,
      ...(sealed > 0 ? [sealedWords(letters, sealed)] : []),
      supportLine(),
    ],
    reason: reasonFor(sender, addressFrom),
    baseUrl,
  });
  return { subject: `${sender.name} wrote ${what} for you`, ...parts };
}

/** Last day of letters whose mail is queued now. Their time begins with the mail, so the day is filled in when it leaves. */
export function keptFrom(queuedAtMs: number): DayAfterSending {
  return { notBeforeMs: expiryOf(queuedAtMs), daysAfterSending: letterKeptDays };
}

function sealedWords(letters: number, sealed: number) {
  const some = sealed === 1 ? 'One of them is' : `${sealed} of them are`;
  const which = letters === 1 ? 'It is' : sealed === letters ? 'They are' : some;
  return html`${which} sealed with words that only you would know. The page asks for them.`;
}

/** Says again that a letter waits, with the same link. `expiresAt` is when the link dies. */
export function unopenedEmail({
  sender,
  link: url,
  baseUrl,
  addressFrom,
  readerName,
  letters,
  expiresAt,
}: LetterMail & { expiresAt: Date }): Mail {
  const until = longDate(expiresAt);
  const isOne = letters === 1;
  const stays = isOne ? `It stays there until ${until}.` : `They stay there until ${until}.`;
  const parts = letter({
    preheader: stays,
    greeting: greetingOf(readerName),
    paragraphs: [
      isOne
        ? html`${isolate(sender.name)} wrote a message for you. It has not been opened yet.`
        : html`${isolate(sender.name)} wrote messages for you. Not all of them have been opened yet.`,
      html`${stays} There is no hurry before then.`,
    ],
    action: { label: readLabel(letters), url },
    after: [supportLine()],
    reason: reasonFor(sender, addressFrom),
    baseUrl,
  });
  const subject = isOne
    ? `A message from ${sender.name} is kept for you until ${until}`
    : `Messages from ${sender.name} are kept for you until ${until}`;
  return { subject, ...parts };
}

/** The link again, because its time was over and the recipient asked. */
export function renewedEmail({
  sender,
  link: url,
  baseUrl,
  addressFrom,
  readerName,
  letters,
  keptUntil,
}: LetterMail & { keptUntil: Date | DayAfterSending }): Mail {
  const isOne = letters === 1;
  const stays = `${isOne ? 'It stays' : 'They stay'} there until ${longDate(keptUntil)}.`;
  const parts = letter({
    preheader: stays,
    greeting: greetingOf(readerName),
    paragraphs: [
      isOne
        ? html`Here is the message that ${isolate(sender.name)} wrote for you. Somebody who had the old link asked for it.`
        : html`Here are the messages that ${isolate(sender.name)} wrote for you. Somebody who had an old link asked for them.`,
      html`${stays}`,
    ],
    action: { label: readLabel(letters), url },
    after: [supportLine()],
    reason: reasonFor(sender, addressFrom),
    baseUrl,
  });
  return { subject: `Your new link to the ${isOne ? 'message' : 'messages'} from ${sender.name}`, ...parts };
}

/**
 * Mail to an address that refused a letter or left it unopened, while another address waits for its day. After a
 * refusal, this mail's acceptance delivers the letter. After an unopened letter, a request for its link does.
 */
export function onceMoreEmail({
  sender,
  link: url,
  baseUrl,
  addressFrom,
  readerName,
  letters,
  sendsAt,
  wasUnopened,
}: LetterMail & { sendsAt: Date; wasUnopened: boolean }): Mail {
  const firstName = isolate(sender.firstName);
  const other = html`Somebody whom ${firstName} trusts has now told us another address of yours.`;
  const day = longDate(sendsAt);
  const tooLate = wasUnopened
    ? html`${other} The message goes there on ${day}, unless you ask for it here before then.`
    : html`${other} Unless this email reaches you, the message goes there on ${day}.`;
  const parts = letter({
    preheader: 'Before it goes to another address, we try this one once more.',
    greeting: greetingOf(readerName),
    paragraphs: [
      html`${isolate(sender.name)} left a message for you. ${wasUnopened ? 'We have written to you here before, and nobody has opened it.' : 'When we wrote to you here before, our email was turned away.'}`,
      tooLate,
      wasUnopened
        ? html`Press the button, and then “Send me a new link” on the page that opens. Take the time you need before you read it.`
        : html`If you read this, it has reached you here, and there is nothing else you need to do. Take the time you need before you open it.`,
    ],
    action: { label: readLabel(letters), url },
    reason: reasonFor(sender, addressFrom),
    baseUrl,
  });
  return { subject: `A message from ${sender.name}, once more at this address`, ...parts };
}

/**
 * Notifies a contact that a letter was refused permanently or its tries ran out. It names neither recipient nor
 * contents; the page of the link does.
 */
export function unreachableEmail({
  sender,
  contactName,
  link: url,
  isStillTried,
  baseUrl,
}: MailWithLink & {
  contactName: string;
  /** The address is tried for up to 30 days more. */
  isStillTried: boolean;
}): Mail {
  const firstName = isolate(sender.firstName);
  const goesOn = isStillTried ? 'It is kept, and we try that address again for up to 30 days.' : 'It is kept.';
  const parts = letter({
    preheader: 'Can you help?',
    greeting: html`Hello ${isolate(firstNameOf(contactName))},`,
    paragraphs: [
      html`We could not deliver a message that ${isolate(sender.name)} left: the last address we had did not accept our email. ${goesOn}`,
      html`If ${firstName} let you see whom it is for, you can propose another address. Nothing is sent when you open the page.`,
    ],
    action: { label: 'See what you can do', url },
    after: [html`If you can’t help, there is nothing you need to do.`],
    reason: html`You get this because ${isolate(sender.name)} named you as a trusted contact, and you accepted.`,
    baseUrl,
  });
  return { subject: `We could not reach somebody ${sender.name} wrote to. Can you help?`, ...parts };
}

const timesWords: Readonly<Record<number, string>> = { 1: 'once', 2: 'twice', 3: 'three times' };

/**
 * Notifies a contact that a mailbox accepted letters that were never opened. It names neither recipient nor contents;
 * the page does.
 */
export function neverOpenedEmail({
  sender,
  contactName,
  letters,
  times,
  link: url,
  baseUrl,
}: MailWithLink & {
  contactName: string;
  letters: number;
  /** Number of emails about each letter; null if it differs. */
  times: number | null;
}): Mail {
  const firstName = isolate(sender.firstName);
  const isOne = letters === 1;
  const what = isOne ? 'a message' : `${letters} messages`;
  const wrote = times === null ? '' : ` We wrote ${timesWords[times] ?? `${times} times`}.`;
  const parts = letter({
    preheader: 'Can you help?',
    greeting: html`Hello ${isolate(firstNameOf(contactName))},`,
    paragraphs: [
      isOne
        ? html`A message that ${isolate(sender.name)} left was delivered to a mailbox ${letterKeptDays} days ago, and nobody has opened it.${wrote} Perhaps nobody reads that mailbox any more. The message is kept.`
        : html`${letters} messages that ${isolate(sender.name)} left were delivered to mailboxes ${letterKeptDays} days ago, and nobody has opened them.${wrote} Perhaps nobody reads these mailboxes any more. The messages are kept.`,
      isOne
        ? html`If ${firstName} let you see whom it is for, you can tell that person, or propose another address. Nothing is sent when you open the page.`
        : html`If ${firstName} let you see whom they are for, you can tell these people, or propose another address. Nothing is sent when you open the page.`,
    ],
    action: { label: 'See what you can do', url },
    after: [
      html`If you can’t help, there is nothing you need to do. Anyone who has the old email can ask for the link again.`,
    ],
    reason: html`You get this because ${isolate(sender.name)} named you as a trusted contact, and you accepted.`,
    baseUrl,
  });
  return { subject: `Nobody has opened ${what} that ${sender.name} left. Can you help?`, ...parts };
}

/** Notifies a contact that letters are damaged and wait. It names neither recipients nor contents. */
export function damagedLettersEmail({
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
      html`${what} that ${isolate(sender.name)} left ${are} damaged where we keep ${them}, so we did not send ${them}. All other messages are on their way.`,
      html`The people who run ${productName} have been told. As soon as we can read ${them} again, we send ${them}. There is nothing you have to do.`,
    ],
    reason: html`You get this because ${isolate(sender.name)} named you as a trusted contact, and you accepted.`,
    baseUrl,
  });
  return { subject: `Something that ${sender.name} left is damaged, and we are looking after it`, ...parts };
}

function greetingOf(readerName: string | null) {
  return readerName === null ? 'Hello,' : html`Hello ${isolate(readerName)},`;
}

function readLabel(letters: number): string {
  return letters === 1 ? 'Read the message' : 'Read the messages';
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
