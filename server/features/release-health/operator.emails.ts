import { html, isolate, letter, type Markup } from '#server/platform/mail/letter.ts';
import { productName, productSlug } from '#shared/product.ts';

type ToOperator = { accounts: readonly string[]; baseUrl: string };
/** As many accounts as a mail names; `release show` names them all. */
const namedMax = 50;

/**
 * Notifies the operator that the breaker has stopped steps by silence alone. `limit`: number of owners who may move in
 * a day.
 */
export function breakerEmail({ limit, accounts, baseUrl }: ToOperator & { limit: number }) {
  return operatorEmail(`${productName}: releases by silence are stopped until you look`, baseUrl, [
    html`More than ${limit} owners would have moved on to a release by silence in one day. That is more than can be right, so ${productName} has stopped all releases by silence. Letters and questions to contacts that would be sent because of a silence now wait. Emails that were sent before can still arrive. Reminders to owners, early requests, and releases that enough trusted contacts have confirmed continue.`,
    html`These accounts were counted today: ${named(accounts)}`,
    html`Check the clock of the database, recent changes in it, and your mail server. If all is well, run ${`${productSlug} release resume`}.`,
  ]);
}

/** Tells the operator ten days ahead whom the breaker would stop. `day`: when their contacts would be asked. */
export function foreseenEmail({ day, accounts, baseUrl }: ToOperator & { day: string }) {
  return operatorEmail(`${productName}: releases by silence may stop on ${day} unless you look`, baseUrl, [
    html`More owners have had their last reminder on one day than can be right. On ${day} their time is over. Unless enough of them return before, all releases by silence stop on that day, until you have checked.`,
    html`These are the accounts, so far: ${named(accounts)} ${`${productSlug} release show`} names them all.`,
    html`Check the clock of the database, recent changes in it, and your mail server. If all is well, run ${`${productSlug} release resume`}. Then these releases continue when they are due, and are not counted. To stop one of them instead, which is not counted either, run ${`${productSlug} release freeze`} with its address.`,
  ]);
}

/** Tells the operator that a mailbox has confirmed early releases for more owners than can be right. */
export function mailboxReviewEmail({ mailbox, accounts, baseUrl }: ToOperator & { mailbox: string }) {
  return operatorEmail(`${productName}: a mailbox waits until you look`, baseUrl, [
    html`One mailbox has confirmed early releases for more owners in a day than can be right: ${mailbox}. Its confirmations wait for you. No other release is stopped.`,
    html`These are the accounts: ${named(accounts)}`,
    html`Check if another person reads this mailbox. If all is well, run ${`${productSlug} release resume ${mailbox}`}. To stop the release of an account, run ${`${productSlug} release freeze`} with its address.`,
  ]);
}

/** Tells the operator that an early release would write to more new mailboxes than an account may without a check. */
export function earlyReviewEmail({
  account,
  mailboxes,
  baseUrl,
}: {
  account: string;
  mailboxes: number;
  baseUrl: string;
}) {
  return operatorEmail(`${productName}: an early release waits until you look`, baseUrl, [
    html`Trusted contacts confirmed an early release of the account ${account}. Its letters would go to ${mailboxes} mailboxes that this account has not written to before. The account has the free plan, or is younger than 30 days. So the release waits for you. No other account is stopped.`,
    html`Check if this can be a real vault: its age, its activity, its contacts. If all is well, run ${`${productSlug} release resume ${account}`}. To stop the release, run ${`${productSlug} release freeze ${account}`}. If you do nothing, it waits until the owner returns or silence releases it.`,
  ]);
}

/** Notifies the operator that a mail which a release depended on bounced after its letters had left. */
export function lateBounceEmail({ account, baseUrl }: { account: string; baseUrl: string }) {
  return operatorEmail(`${productName}: a mail came back after letters had left`, baseUrl, [
    html`The letters of the account ${account} are being sent. This release relied on an email to its owner or a trusted contact. That email had been accepted, and has come back since. Sent letters can’t be taken back, so nothing was stopped.`,
    html`If you can reach the owner in another way, please do. A check-in takes back every letter that has not been opened.`,
  ]);
}

/** Email to the operator: an account's letters stay, because no mail reaches its owner and it has no contact. */
export function unnotifiedOwnerEmail({ account, baseUrl }: { account: string; baseUrl: string }) {
  return operatorEmail(`${productName}: the letters of an account stay, since no mail reaches its owner`, baseUrl, [
    html`For 30 days a mail server has refused our reminders to the account ${account}, for a reason that is not about the mailbox. The owner has been silent for their whole period, and has no trusted contact whom we could ask. So the letters stay, and silence alone releases nothing.`,
    html`We try the reminders once a day. If the server refuses all mail of ours, see the Admin Panel for what it says. If you can reach the owner in another way, please do.`,
  ]);
}

function named(accounts: readonly string[]): string {
  const more = accounts.length - namedMax;
  return `${accounts.slice(0, namedMax).join(', ')}${more > 0 ? `, and ${more} more` : ''}.`;
}

function operatorEmail(subject: string, baseUrl: string, paragraphs: Markup[]) {
  const reason = `You get this because you look after this installation of ${productName}.`;
  return { subject, ...letter({ greeting: 'Hello,', paragraphs, reason, baseUrl }) };
}

/** Notifies an owner that the operator has stopped their release, or ended the stop. */
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
        html`The people who run ${productName} have stopped the release of your messages for now. Until they end this stop, we begin nothing new: no questions to your contacts, no new deliveries. Emails that were waiting for your contacts or recipients wait too. An email that was sent before can still arrive. Our reminders still reach you, and a check-in still counts.`,
        html`Your messages are kept. If you did not expect this, reply to this email.`,
      ]
    : [
        html`The release of your messages was stopped for a while. It continues now as you chose it. You and your contacts have lost no time to answer.`,
        html`If you read this, sign in, and everything begins again from today.`,
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
