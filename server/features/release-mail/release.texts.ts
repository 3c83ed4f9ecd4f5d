import type { OwnerTopic } from '#server/features/release-core/model.rules.ts';
import { productName } from '#shared/product.ts';
import { addressed } from './release.emails.ts';
import { answerDays, type Reply } from './text-replies.rules.ts';

type ToOwner = {
  /** Empty if the owner gave none. */
  firstName: string;
  silentDays: number;
  checkInUrl: string;
  /** True if a reply would reach us. */
  canAnswer: boolean;
  /** Number of contacts who were asked. Default: none. */
  askedContacts?: number;
};

/** Texts name the owner, the reason and the button, and leave the rest to the mail. */
export function reminderText(
  { firstName, silentDays, checkInUrl, canAnswer }: ToOwner,
  which: 'first' | 'last',
): string {
  const last = which === 'last' ? ' This is our last reminder.' : '';
  const what = addressed(firstName, `we have not heard from you for ${silentDays} days.`);
  return `${productName}: ${what}${last} ${howTo({ canAnswer, stops: false })}: ${checkInUrl}`;
}

export function noticeText(to: ToOwner, about: Noticed): string {
  const { firstName, checkInUrl, canAnswer } = to;
  const what = about === 'asked' ? askedWords(to) : noticeWords[about];
  const stops = !overAlready.has(about);
  return `${productName}: ${addressed(firstName, what)} ${howTo({ canAnswer, stops })}: ${checkInUrl}`;
}

/** The link is last in every text, so that no phone adds following words to it. */
function howTo({ canAnswer, stops }: { canAnswer: boolean; stops: boolean }): string {
  if (stops) {
    return canAnswer ? 'To stop it, reply YES (STOP would only end the texts), or check in' : 'To stop it, check in';
  }
  return canAnswer ? 'Reply YES (or STOP to end the texts), or check in' : 'Please check in';
}

/**
 * Answers to texts from any sender. They do not depend on an account with the number, since anyone could otherwise test
 * a phone in their hand.
 */
export const replyTexts: Record<Reply, string> = {
  well: `${productName}: thank you. This is a check-in for the vault with this number. If two people share the number, or if we asked you about somebody else, please use the link in our text instead.`,
  stop: `${productName}: no more texts go to this number. Emails still do. Reply START to begin again.`,
  start: `${productName}: texts go to this number again. Reply STOP to end them.`,
  other: `${productName}: reply YES to say that you are there, or STOP to end the texts. Nobody reads what is sent here.`,
};

/** Answers to a “yes” that was not counted, so that its sender does not believe it was. */
export const uncountedTexts = {
  not_asked: `${productName}: thank you, but this was not counted: no text of ours asked this number within the last ${answerDays} days. Please use the link in our newest email, or sign in.`,
  carried: `${productName}: thank you, but this was not counted: a text was your answer last time, and numbers change hands. This time please use the link in our text, or sign in.`,
  unclear: `${productName}: thank you, but this was not counted: we sent more than one question to this number, and can't tell which you answer. Please use the link in our text.`,
} as const;

type Texted = Exclude<
  OwnerTopic,
  | 'first_reminder'
  | 'last_reminder'
  | 'early_request'
  | 'new_request'
  | 'another_request'
  | 'welcome_back'
  | 'sign_in'
  | 'not_owner'
>;

type Noticed = Texted | 'restored' | 'emergency' | 'trustee' | 'alive';

/** Notices after which nothing is left to stop. */
const overAlready: ReadonlySet<Noticed> = new Set(['paused', 'alive', 'request_ended', 'restored']);

function askedWords({ silentDays, askedContacts = 0 }: ToOwner): string {
  const whom = askedContacts === 1 ? 'your contact' : 'your contacts';
  const then =
    askedContacts === 0 ? ', and your messages will be delivered soon.' : ` and have asked ${whom} about you.`;
  return `we have not heard from you for ${silentDays} days${then}`;
}

const noticeWords: Record<Exclude<Noticed, 'asked'>, string> = {
  restored: 'we had to go back to older records, and may have missed that you checked in.',
  emergency: 'somebody asked for your messages to be released early.',
  trustee: 'a trusted contact asked for your messages to be released.',
  paused: 'a trusted contact chose Cancel Release. Nothing was sent.',
  alive: 'a trusted contact told us that you are alive and can’t answer. Nothing was sent.',
  alive_again: 'a trusted contact told us again that you are alive and can’t answer. Nothing was sent.',
  wait: 'your contacts confirmed the release. Your waiting period begins now.',
  wait_goes_on: 'your contacts confirmed the release, and your waiting period goes on.',
  delayed: 'your messages go later than we wrote.',
  fewer_contacts: 'fewer trusted contacts are left than must confirm a release.',
  request_ended: 'the request for your messages has ended. Nothing was sent.',
  letters_wait: 'your messages wait for you, since we had to go back to older records.',
  releasing: 'your messages are being delivered.',
};

export function askText(contact: { ownerName: string; portalUrl: string }): string {
  return `${productName}: you are a trusted contact of ${contact.ownerName}. Please tell us what you know, by this link and not by a reply: ${contact.portalUrl}`;
}

/**
 * Text to the owner's former number. Another person may have it now, so the text names no one, accepts no reply and
 * links only to the sign-in page.
 */
export function formerPhoneText(baseUrl: string): string {
  return `${productName}: we sent a notice about the vault that had this number until lately. If the vault is yours and you did not change the number, please sign in now: ${baseUrl}/login`;
}

/** The emergency form was used, and nothing came of it. */
export function claimText({ firstName, baseUrl }: { firstName: string; baseUrl: string }): string {
  const what = addressed(firstName, 'somebody used the emergency form for your messages.');
  return `${productName}: ${what} Nothing new has begun. We sent you an email about it. To see your contacts, sign in: ${baseUrl}/contacts`;
}
