import { html, isolate, letter, type Markup } from '#server/platform/mail/letter.ts';
import { longDate, type Mail } from './release.emails.ts';

/** A trusted contact, and whose contact they are. */
export type ToContact = {
  contactName: string;
  /** The owner's name in full, and for the sentences that follow. */
  ownerName: string;
  ownerFirstName: string;
  baseUrl: string;
};

type Asked = ToContact & {
  cause: 'silence' | 'emergency' | 'trustee';
  lastActivityAt: Date;
  portalUrl: string;
  /** When delivery begins if nobody answers; null where people alone decide. */
  deliverAt: Date | null;
};

/** Asks a contact what has happened. The link leads to the page on which they answer. */
export function contactAskedEmail(contact: Asked): Mail {
  const owner = isolate(contact.ownerFirstName);
  const deadline = contact.deliverAt
    ? html`If nobody answers before ${longDate(contact.deliverAt)}, ${owner}’s messages will be delivered, as ${owner} asked.`
    : html`Nothing is delivered until somebody answers.`;
  return contactMail(contact, {
    subject: `${contact.ownerName}: please tell us whether all is well`,
    paragraphs: [
      whyNow(contact),
      html`If you know that ${owner} is well, choose Cancel release. If ${owner} has died or cannot act, choose Confirm.`,
      deadline,
    ],
    action: { label: 'Tell us what you know', url: contact.portalUrl },
  });
}

function whyNow({ cause, lastActivityAt, ownerName, ownerFirstName }: Asked): Markup {
  const owner = isolate(ownerFirstName);
  if (cause === 'emergency') {
    return html`An emergency request was made in your name: it asks us to release the messages of ${isolate(ownerName)}. Was it not you? Then choose Cancel release.`;
  }
  if (cause === 'trustee') {
    return html`Another trusted contact of ${isolate(ownerName)} has asked us to release ${owner}’s messages. More than one of you must confirm this.`;
  }
  return html`We have not heard from ${isolate(ownerName)} since ${longDate(lastActivityAt)}, and two reminders had no answer. ${owner} named you as somebody who would know.`;
}

export function contactPausedEmail(contact: ToContact): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject: `${contact.ownerName}: the release is stopped for now`,
    paragraphs: [
      html`Another trusted contact told us that ${owner} is well. Nothing was sent, and we have asked ${owner} to log in.`,
      html`You have nothing to do. If we hear nothing from ${owner} for 30 days, we will ask you again.`,
    ],
  });
}

export function contactStoppedEmail(contact: ToContact): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject: `${contact.ownerName} is well. Nothing was sent`,
    paragraphs: [
      html`${owner} has come back and told us all is well. Nothing was sent to anybody. The link in our earlier email no longer works.`,
      html`You have nothing to do. Thank you for being there.`,
    ],
  });
}

/** The account is being deleted while a release was open. */
export function contactClosedEmail(contact: ToContact, { hasSent }: { hasSent: boolean }): Mail {
  const owner = isolate(contact.ownerFirstName);
  const outcome = hasSent
    ? html`We have stopped what was not sent yet, and closed every link that nobody has opened.`
    : html`Nothing was sent to anybody. The link in our earlier email no longer works.`;
  return contactMail(contact, {
    subject: hasSent
      ? `${contact.ownerName}: we have stopped the delivery`
      : `${contact.ownerName}: the release has ended. Nothing was sent`,
    paragraphs: [
      html`The account of ${owner} here is being deleted, so the release you heard of has ended. ${outcome}`,
      html`You have nothing to do. Thank you for being there.`,
    ],
  });
}

/** The owner came back after some letters had gone out. */
export function contactHaltedEmail(contact: ToContact): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject: `${contact.ownerName} is well. We have stopped the delivery`,
    paragraphs: [
      html`${owner} has come back and told us all is well. We have stopped what was not sent yet, and closed every link that nobody has opened.`,
      html`Some messages may have been read already. ${owner} knows which.`,
    ],
  });
}

export function contactReleasedEmail(contact: ToContact): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject: `${contact.ownerName}: the messages have been delivered`,
    paragraphs: [
      html`The messages that ${owner} wrote are delivered. Each person was told where to read theirs.`,
      html`You have nothing more to do. Thank you for being there for ${owner}.`,
    ],
  });
}

type Content = { subject: string; paragraphs: Markup[]; action?: { label: string; url: string } };

export function contactMail(contact: ToContact, { subject, paragraphs, action }: Content): Mail {
  const parts = letter({
    greeting: html`Hello ${isolate(contact.contactName)},`,
    paragraphs,
    ...(action ? { action } : {}),
    reason: html`You get this because ${isolate(contact.ownerName)} named you as a trusted contact, and you accepted.`,
    baseUrl: contact.baseUrl,
  });
  return { subject, ...parts };
}
