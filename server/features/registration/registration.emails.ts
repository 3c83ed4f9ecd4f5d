import type { Addressee, Mail } from '#server/features/accounts/addressee.ts';
import { html, isolate, letter, link, type Markup } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import { greetingName } from '#shared/rules/names.ts';
import { plans } from '#shared/rules/plans.ts';
import { unverifiedAccountDays } from '#shared/rules/retention.ts';
import type { Holdings } from './holdings.repository.ts';

type Linked = { to: Addressee; url: string; baseUrl: string };

type Asking = {
  verifyUrl: string;
  notMeUrl: string;
  /** Content of the account; null while it is unknown. */
  holdings: Holdings | null;
  /** True if an operator or administrator marked the address as verified, without a proof of the mailbox. */
  isVouched: boolean;
  baseUrl: string;
};

/**
 * Asks the reader of an address to confirm the account. It has no name in it, because a stranger may have typed the
 * address. The words must also suit a reader who has never heard of us.
 */
export function verificationEmail({ verifyUrl, notMeUrl, holdings, isVouched, baseUrl }: Asking): Mail {
  const parts = letter({
    preheader: 'If it was you, confirm your address. If it was not, tell us here.',
    greeting: 'Hello,',
    paragraphs: [
      html`Somebody opened an account at ${productName} with this email address. If it was you, confirm that the address is yours, and everything is ready for you.`,
      ...(isVouched
        ? [
            html`The people who run this service have already accepted that the address is yours. Please confirm it anyway. If you ever forget your password, that is how we know that the account is yours.`,
          ]
        : []),
      ...(holdings ? [holdingsLine(holdings)] : []),
    ],
    action: { label: 'Confirm my email address', url: verifyUrl },
    after: [
      html`The link works for 24 hours. If it has expired, the page behind it sends you a new one.`,
      ...(isVouched ? [] : [html`Until the address is confirmed, we write to no one else from this account.`]),
      notMeLine(notMeUrl, { isVouched }),
    ],
    reason: `You get this email because somebody gave this address when they opened an account at ${productName}.`,
    baseUrl,
  });
  return { subject: 'Confirm your email address', ...parts };
}

/** Instructions for a reader who opened no account. Ignoring the mail is right too, unless a scanner opens the link. */
export function notMeLine(notMeUrl: string, { isVouched }: { isVouched: boolean }): Markup {
  const pressHere = html`If it was not you, do not confirm the address. Choose ${link('This was not me', notMeUrl)} instead: the page has one button, which deletes the account. That works for 30 days, even if the address was confirmed by mistake.`;
  if (isVouched) return pressHere;
  return html`${pressHere} You can also leave this email alone: an account that nobody confirms is deleted after ${unverifiedAccountDays} days, with everything in it.`;
}

function holdingsLine(holdings: Holdings): Markup {
  const content = contentWords(holdings);
  const plan = holdings.plan ? ` The ${plans[holdings.plan].title} plan was chosen for it.` : '';
  if (content.length === 0) return html`So far there is nothing in it.${plan}`;
  return html`This is what is in it so far: ${listFormat.format(content)}.${plan} If you confirm the address, all of that stays.`;
}

const listFormat = new Intl.ListFormat('en-GB', { type: 'conjunction' });

function contentWords({ letters, contacts, documents, checklists, hasPhone, hasOwnSettings }: Holdings): string[] {
  return [
    ...counted(letters, 'letter', 'letters'),
    ...counted(contacts, 'trusted contact', 'trusted contacts'),
    ...counted(documents, 'document', 'documents'),
    ...counted(checklists, 'checklist', 'checklists'),
    ...(hasPhone ? ['a phone number'] : []),
    ...(hasOwnSettings ? ['settings for when letters are sent'] : []),
  ];
}

function counted(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}

/** Sends the link that proves the mailbox, and says what to do if another person requested it. */
export function mailboxProofEmail({ to, url, baseUrl }: Linked): Mail {
  const parts = letter({
    preheader: 'Open it where you are signed in. If you did not ask for it, read on.',
    greeting: greeting(to),
    paragraphs: [
      html`Somebody who is signed in to the ${productName} account with this address asked for this link. It shows us that the same person reads this mailbox. Only then can the account do things that need this certainty, such as acting as a trustee.`,
      html`Open it in a browser in which you are signed in to the account, and press the button there.`,
    ],
    action: { label: 'Show that this mailbox is mine', url },
    after: [
      html`The link works for 24 hours.`,
      html`If you did not ask for it, do not use it: somebody else may know the password of that account. Choose “Forgot password” on the sign-in page. A new password ends every other way in.`,
    ],
    reason: `You get this email because there is an account at ${productName} with this address.`,
    baseUrl,
  });
  return { subject: 'Show that this mailbox is yours', ...parts };
}

/** Sent to an owner whose address was used to open a second account, perhaps by the owner. */
export function addressTakenEmail({ to, baseUrl }: { to: Addressee; baseUrl: string }): Mail {
  const parts = letter({
    preheader: 'You have an account already. Nothing was changed.',
    greeting: greeting(to),
    paragraphs: [
      html`Somebody tried to open an account at ${productName} with this address. You have one already, so we did not open another. Nothing was changed.`,
      html`If it was you, sign in with your password. If you have forgotten it, choose “Forgot password” on the sign-in page.`,
    ],
    action: { label: 'Go to the sign-in page', url: `${baseUrl}/login` },
    after: [
      html`If it was not you, there is nothing to do. The person who tried did not learn that you have an account.`,
    ],
    reason: `You get this email because there is an account at ${productName} with this address.`,
    baseUrl,
  });
  return { subject: `Somebody tried to open an account with your address`, ...parts };
}

/** A warning before the reset, since it empties a vault whose mailbox was never proven. */
const emptyVaultLine = html`Nobody has confirmed yet, from this mailbox, that the account is theirs. So a new password starts with an empty vault, and what is in the account now is deleted: it may be a stranger’s. If it is yours and you know the old password, do not use this link. Sign in instead, and confirm your address there.`;

/** Reasons to doubt the account's owner; null if there are none. */
type Doubts = { holdings: Holdings; notMeUrl: string };

/** `unlinks`: names of the providers that a new password removes. */
type Resetting = Linked & { isFirstProof: boolean; doubts: Doubts | null; unlinks: readonly string[] };

function doubtLine({ holdings, notMeUrl }: Doubts): Markup {
  const content = contentWords(holdings);
  const inIt = content.length === 0 ? 'There is nothing in it.' : `This is in it: ${listFormat.format(content)}.`;
  return html`We do not know yet that the person who uses the account reads this mailbox. ${inIt} If you did not put that there, or never opened an account, choose ${link('This was not me', notMeUrl)} instead: the page has one button, which deletes the account. That works for 30 days.`;
}

/** Sends the link for a new password. If the account's owner is uncertain, the mail uses no name. */
export function resetEmail({ to, url, isFirstProof, doubts, unlinks, baseUrl }: Resetting): Mail {
  const parts = letter({
    preheader: 'The link works once, for one hour.',
    greeting: doubts ? 'Hello,' : greeting(to),
    paragraphs: [
      html`Somebody asked for a new password for your account at ${productName}. Choose it here.`,
      ...(isFirstProof ? [emptyVaultLine] : []),
      ...(doubts ? [doubtLine(doubts)] : []),
    ],
    action: { label: 'Choose a new password', url },
    after: [
      html`The link works once, for one hour. A new password signs you out on every device.${unlinks.length === 0 ? '' : ` It also removes the link with ${nameList(unlinks)}; you can link that again afterwards.`}`,
      html`If you did not ask for it, ignore this email. Your password stays as it is.`,
    ],
    reason: `You get this email because there is an account at ${productName} with this address.`,
    baseUrl,
  });
  return { subject: 'Choose a new password', ...parts };
}

/** `ways`: a sentence about the other ways to sign in; null if there are none. */
type PasswordChanged = { to: Addressee; ways: string | null; baseUrl: string };

/** Reports to the owner that the password was changed, in case it was another person. */
export function passwordChangedEmail({ to, ways, baseUrl }: PasswordChanged): Mail {
  const parts = letter({
    preheader: 'If it was you, there is nothing to do.',
    greeting: greeting(to),
    paragraphs: [
      html`The password of your account at ${productName} was changed. Other devices were signed out.`,
      ...(ways === null ? [] : [html`${ways}`]),
      html`If it was you, there is nothing to do.`,
    ],
    action: { label: 'Go to the sign-in page', url: `${baseUrl}/login` },
    after: [html`If it was not you, choose “Forgot password” on the sign-in page at once, and reply to this email.`],
    reason: `You get this email because there is an account at ${productName} with this address.`,
    baseUrl,
  });
  return { subject: 'Your password was changed', ...parts };
}

/** `Google and Our Login`. */
export function nameList(names: readonly string[]): string {
  return listFormat.format(names);
}

/** Sentence about providers that a new password removed. */
export function unlinkedWords(names: readonly string[]): string {
  return `The link with ${nameList(names)} was removed, so ${names.length === 1 ? 'it opens' : 'they open'} your account no longer. You can link ${names.length === 1 ? 'it' : 'them'} again under Privacy & Security.`;
}

/** `provider`: the name that people know it by. */
type OfProvider = { to: Addressee; provider: string; baseUrl: string };

/** To the address of an account that a provider may not open; the sign-in page says only that it did not work. */
export function identityRefusedEmail({ to, provider, baseUrl }: OfProvider): Mail {
  const parts = letter({
    preheader: 'Nothing was changed. Here is the way in.',
    greeting: greeting(to),
    paragraphs: [
      html`Somebody tried to sign in at ${productName} with ${provider}, using this email address. There is an account with it, but we cannot be sure that it belongs to the same person, so we did not let them in. Nothing was changed.`,
      html`If it was you, choose “Forgot password” on the sign-in page. The link we send confirms this address and sets a password that you can sign in with.`,
    ],
    action: { label: 'Go to the sign-in page', url: `${baseUrl}/login` },
    after: [html`If it was not you, there is nothing to do.`],
    reason: `You get this email because there is an account at ${productName} with this address.`,
    baseUrl,
  });
  return { subject: `We did not let ${provider} open your account`, ...parts };
}

function greeting(to: Addressee) {
  const firstName = greetingName(to);
  return firstName ? html`Hello ${isolate(firstName)},` : 'Hello,';
}
