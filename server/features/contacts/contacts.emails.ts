import { html, isolate, letter, link } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';

export type Mail = { subject: string; html: string; text: string };

/** The owner as a contact knows them: in full, and for the sentences that follow. */
export type OwnerName = { name: string; firstName: string };

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' });

/** Asks for the role. The first that a contact hears of us, so it says who gave the address, why, and how to refuse. */
export function invitationEmail(invitation: {
  owner: OwnerName;
  contactName: string;
  url: string;
  expiresAt: Date;
  baseUrl: string;
}): Mail {
  const { owner, contactName, url, expiresAt, baseUrl } = invitation;
  const name = isolate(owner.name);
  const firstName = isolate(owner.firstName);
  const parts = letter({
    preheader: `${owner.firstName} asks whether you agree. You can accept or decline.`,
    greeting: html`Hello ${isolate(contactName)},`,
    paragraphs: [
      html`${name} has named you as a trusted contact, and gave us your name and this email address for that.`,
      html`${firstName} keeps messages for other people in ${productName}. You do not need to do anything about them now. If ${firstName} stops answering, we will ask you to tell us what has happened.`,
      html`We ask you only if you agree. The page behind this button tells you more, and there you accept or decline.`,
    ],
    action: { label: 'Answer the invitation', url },
    after: [
      html`You can answer until ${dateFormat.format(expiresAt)}. If you would rather not, choose Decline, or do nothing. If you accept, you can leave at any time with the same link.`,
      html`You need no account, and it costs nothing. Keep this email: if something has happened to ${firstName} and you have accepted, you can tell us at ${link('emergency activation', `${baseUrl}/emergency-activation`)} without waiting for us to ask.`,
    ],
    reason: html`You get this because ${name} named this address. We use it for nothing else. If you do not know ${firstName}, choose Decline or answer this email.`,
    baseUrl,
  });
  return { subject: `${owner.name} has named you as a trusted contact`, ...parts };
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

/** Tells the owner that a contact said no, or left. */
export function declinedEmail({ ownerFirstName, contactName, baseUrl }: Answer): Mail {
  const parts = letter({
    greeting: html`Hello ${isolate(ownerFirstName)},`,
    paragraphs: [
      html`${isolate(contactName)} does not want to be your trusted contact, so we will not ask them anything.`,
      html`You may want to talk with them, or name somebody else.`,
    ],
    action: { label: 'See your trusted contacts', url: `${baseUrl}/contacts` },
    reason: reasonForOwner,
    baseUrl,
  });
  return { subject: `${contactName} does not want to be your trusted contact`, ...parts };
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

const reasonForOwner = `You get this because it concerns the trusted contacts of your ${productName} account.`;
