import { html, isolate, letter, link, type Markup } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import { quotable } from '#shared/rules/letterhead/links.ts';
import { firstNameOf } from '#shared/rules/names.ts';

export type Mail = { subject: string; html: string; text: string };

/** The owner as a contact knows them: in full, and for the sentences that follow. */
export type OwnerName = { name: string; firstName: string };

/** Somebody who came through an identity provider may have told us no name. */
export function ownerNameOf({
  firstName,
  lastName,
  email,
}: {
  firstName: string | null;
  lastName: string | null;
  email: string;
}): OwnerName {
  const name = [firstName, lastName].filter(Boolean).join(' ') || email;
  return { name, firstName: firstName || name };
}

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' });
/** The day in London. */
export const longDate = (at: Date) => dateFormat.format(at);

/** Asks for the role. The first that a contact hears of us, so it says who gave the address, why, and how to refuse. */
export function invitationEmail(invitation: {
  owner: OwnerName;
  contactName: string;
  /** The owner's own words. They come after ours, marked as the owner's. */
  word: string | null;
  url: string;
  expiresAt: Date;
  baseUrl: string;
}): Mail {
  const { owner, contactName, word, url, expiresAt, baseUrl } = invitation;
  const name = isolate(owner.name);
  const firstName = isolate(owner.firstName);
  const parts = letter({
    preheader: `${owner.firstName} asks whether you agree. You can accept or decline.`,
    greeting: html`Hello ${isolate(firstNameOf(contactName))},`,
    paragraphs: [
      html`${name} has named you as a trusted contact, and gave us your name and this email address for that.`,
      html`${firstName} keeps messages for other people in ${productName}. You do not need to do anything about them now. If ${firstName} stops answering, we will ask you to tell us what has happened.`,
      html`We ask you only if you agree. The page behind this button tells you more, and there you accept or decline.`,
    ],
    action: { label: 'Answer the invitation', url },
    after: [
      html`You can answer until ${longDate(expiresAt)}. If you would rather not, choose Decline, or do nothing. If you accept, you can leave at any time with the same link.`,
      html`You don’t need an account, and it costs nothing. Keep this email: if something has happened to ${firstName} and you have accepted, you can tell us at ${link('emergency activation', `${baseUrl}/emergency-activation`)} without waiting for us to ask.`,
      ...(word ? ownersWord(firstName, word) : []),
    ],
    reason: html`You get this because ${name} named this address. We use it for nothing else. If you do not know ${firstName}, choose Decline or reply to this email.`,
    baseUrl,
  });
  return { subject: `${owner.name} has named you as a trusted contact`, ...parts };
}

/** Links and numbers are refused when the word is typed. An older or imported word loses them here. */
function ownersWord(firstName: Markup, word: string): Markup[] {
  return [html`${firstName} added a few words. They are ${firstName}’s, not ours:`, html`“${isolate(quotable(word))}”`];
}

/** To keep: what somebody said yes to, and what to do on the day on which it matters. */
export function keptEmail({
  owner,
  contactName,
  leaveUrl,
  baseUrl,
}: {
  owner: OwnerName;
  contactName: string;
  leaveUrl: string;
  baseUrl: string;
}): Mail {
  const firstName = isolate(owner.firstName);
  const parts = letter({
    preheader: `What to do if something happens to ${owner.firstName}.`,
    greeting: html`Hello ${isolate(firstNameOf(contactName))},`,
    paragraphs: [
      html`Thank you. You said yes for ${isolate(owner.name)}. There is nothing to do now: please keep this email.`,
      html`If we hear nothing from ${firstName} for a long time, we write to you at this address and ask what has happened. Try to reach ${firstName} first. Then tell us on the page behind our email. If ${firstName} is there, nothing is sent. If ${firstName} has died, the letters are sent.`,
      html`If something happens to ${firstName} before we ask, you can tell us yourself.`,
    ],
    action: { label: 'Tell us that something has happened', url: `${baseUrl}/emergency-activation` },
    after: [
      html`You see only what ${firstName} chose to show to trusted contacts: titles of letters and who they are for, never a letter.`,
      html`You can ${link('leave the role', leaveUrl)} at any time.`,
    ],
    reason: html`You get this once, because you agreed to be a trusted contact of ${isolate(owner.name)}.`,
    baseUrl,
  });
  return { subject: `You said yes for ${owner.name}: please keep this`, ...parts };
}

/** To somebody who was invited for an account that was not of the person whose address it had. They are asked for nothing. */
export function mistakeEmail({ ownerName, baseUrl }: { ownerName: string; baseUrl: string }): Mail {
  const parts = letter({
    preheader: 'There is nothing for you to do.',
    greeting: 'Hello,',
    paragraphs: [
      html`We wrote to you that ${isolate(ownerName)} had named you as a trusted contact at ${productName}. That was a mistake, and we are sorry.`,
      html`The account had been opened with an email address, and the person who reads the mail there told us that it was not theirs. We have deleted the account, and the invitation with it. Its link no longer works, and we will not ask you anything.`,
      html`There is nothing for you to do.`,
    ],
    reason: `You get this one email because we had written to you before. We do not keep your address.`,
    baseUrl,
  });
  return { subject: 'Our invitation to you was a mistake', ...parts };
}

type Answer = { ownerFirstName: string; contactName: string; baseUrl: string };

/** Tells the owner that a contact said yes. */
export function acceptedEmail({ ownerFirstName, contactName, baseUrl }: Answer): Mail {
  const parts = letter({
    greeting: html`Hello ${isolate(ownerFirstName)},`,
    paragraphs: [
      html`${isolate(contactName)} has agreed to be your trusted contact.`,
      html`There is nothing more to do. If you stop answering us, we will ask ${isolate(contactName)} what has happened before we send anything.`,
    ],
    action: { label: 'See your trusted contacts', url: `${baseUrl}/contacts` },
    reason: reasonForOwner,
    baseUrl,
  });
  return { subject: `${contactName} has agreed to be your trusted contact`, ...parts };
}

/** Tells the owner that a contact said no; of one who had accepted, that they have left. */
export function declinedEmail(
  { ownerFirstName, contactName, baseUrl }: Answer,
  { hasLeft }: { hasLeft: boolean },
): Mail {
  const wants = hasLeft ? 'no longer wants to be your trusted contact' : 'has said no to being your trusted contact';
  const parts = letter({
    greeting: html`Hello ${isolate(ownerFirstName)},`,
    paragraphs: [
      html`${isolate(contactName)} ${wants}, so we will not ask them anything${hasLeft ? ' any more' : ''}.`,
      html`People have many reasons. You can ask somebody else.`,
    ],
    action: { label: 'See your trusted contacts', url: `${baseUrl}/contacts` },
    reason: reasonForOwner,
    baseUrl,
  });
  return { subject: `${contactName} ${wants}`, ...parts };
}

/** Tells the owner that a link in our email about a Stop has removed a contact. */
export function removedByLinkEmail({ ownerFirstName, contactName, baseUrl }: Answer): Mail {
  const parts = letter({
    greeting: html`Hello ${isolate(ownerFirstName)},`,
    paragraphs: [
      html`${isolate(contactName)} is no longer your trusted contact. The link in our email about the release that you stopped was used to remove them.`,
      html`If this was not you, somebody else reads your email. Sign in, change your password, and restore ${isolate(contactName)} under Recently deleted within 30 days.`,
    ],
    action: { label: 'See your trusted contacts', url: `${baseUrl}/contacts` },
    reason: reasonForOwner,
    baseUrl,
  });
  return { subject: `${contactName} is no longer your trusted contact`, ...parts };
}

/** Tells the owner that an invitation could not be delivered. */
export function unreachableEmail({ ownerFirstName, contactName, baseUrl }: Answer): Mail {
  const parts = letter({
    greeting: html`Hello ${isolate(ownerFirstName)},`,
    paragraphs: [
      html`We could not deliver our invitation to ${isolate(contactName)}.`,
      html`Check the address, and change it if there is a mistake in it. We then send the invitation to the new one.`,
    ],
    action: { label: 'Check the address', url: `${baseUrl}/contacts` },
    reason: reasonForOwner,
    baseUrl,
  });
  return { subject: `We could not reach ${contactName}`, ...parts };
}

type Trusteeship = { owner: OwnerName; contactName: string; baseUrl: string };

/** What stands between a trustee's word and the letters, by the owner's settings. */
type TimeToStop = { waitingDays: number; quorum: number };

/** Tells the owner that a contact has an account now, and what it lets them do. */
export function trusteeBeganEmail({ owner, contactName, baseUrl, ...time }: Trusteeship & TimeToStop): Mail {
  const name = isolate(contactName);
  const parts = letter({
    preheader: 'There is nothing to do, unless it surprises you.',
    greeting: html`Hello ${isolate(owner.firstName)},`,
    paragraphs: [
      html`${name}, who agreed to be your trusted contact, now has an account at ${productName} with the email address you gave us. That makes them your trustee.`,
      html`A trustee can tell us that the time has come without waiting for us to ask. ${name} can do so 72 hours from now at the earliest. ${timeToStop(time)}`,
      html`There is nothing to do. If it surprises you, talk with ${name}, or switch this contact off: that ends it at once.`,
    ],
    action: { label: 'See your trusted contacts', url: `${baseUrl}/contacts` },
    reason: reasonForOwner,
    baseUrl,
  });
  return { subject: `${contactName} is now your trustee`, ...parts };
}

function timeToStop({ waitingDays, quorum }: TimeToStop): Markup {
  if (waitingDays > 0) {
    return html`You would be told at once, and have ${waitingDays} ${waitingDays === 1 ? 'day' : 'days'} to stop it.`;
  }
  if (quorum > 1) {
    return html`You would be told at once, and could stop it until another of your trusted contacts has confirmed.`;
  }
  return html`You would be told at once, but with your settings the messages would be sent in the same moment. Under “Days to stop an early release” on your dashboard you can give yourself time to stop a mistake.`;
}

/** Tells the contact's mailbox, so that its person knows of an account that somebody else may have opened. */
export function ownTrusteeshipEmail({ owner, contactName, baseUrl }: Trusteeship): Mail {
  const name = isolate(owner.firstName);
  const parts = letter({
    preheader: 'There is nothing to do, unless you opened no account.',
    greeting: html`Hello ${isolate(firstNameOf(contactName))},`,
    paragraphs: [
      html`You agreed to be a trusted contact of ${isolate(owner.name)}, and there is an account at ${productName} with this email address. That makes the account ${name}’s trustee.`,
      html`In 72 hours, the person who signs in to it can tell us that the time has come for ${name}’s messages to be sent. You find this in the Trustee Panel. Until then, and unless something has happened to ${name}, there is nothing to do.`,
    ],
    action: { label: 'Go to the sign-in page', url: `${baseUrl}/login` },
    after: [notYourAccount],
    reason: html`You get this because you are a trusted contact of ${isolate(owner.name)}.`,
    baseUrl,
  });
  return { subject: `You are now a trustee of ${owner.name}`, ...parts };
}

/** Tells a mailbox that an account with its address could be a trustee's. It names nobody: who reads it need not be asked. */
export function trusteeWaitsEmail({ baseUrl }: { baseUrl: string }): Mail {
  const parts = letter({
    preheader: 'One step is missing, and only you can take it.',
    greeting: 'Hello,',
    paragraphs: [
      html`There is an account at ${productName} with this email address, and you agreed to be a trusted contact. With the account you can be a trustee: somebody who can tell us that the time has come, without waiting for us to ask.`,
      html`One step is missing. We do not know yet that the person who signs in to the account also reads this mailbox. To show it, sign in, open Privacy & Security, and choose “Send me the link”.`,
    ],
    action: { label: 'Go to the sign-in page', url: `${baseUrl}/login` },
    after: [html`You don’t have to do this. As a trusted contact you are asked by email all the same.`, notYourAccount],
    reason: `You get this because you are a trusted contact of somebody who uses ${productName}.`,
    baseUrl,
  });
  return { subject: 'One step to being a trustee', ...parts };
}

const notYourAccount = html`If you have opened no account, somebody else did. Choose “Forgot password” on the sign-in page: a new password shuts them out. Then reply to this email, so that we know.`;

const reasonForOwner = `You get this because it concerns the trusted contacts of your ${productName} account.`;
