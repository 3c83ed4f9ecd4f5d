import { html, isolate } from '#server/platform/mail/letter.ts';
import { longDate, type Mail, ownerMail } from './release.emails.ts';
import { contactMail, type ToContact } from './release-contacts.emails.ts';

/** Asks another contact whether an address that one of them knows is right. It says neither the address nor whose. */
export function agreeWithAddressEmail(contact: ToContact, { byName, url }: { byName: string; url: string }): Mail {
  return contactMail(contact, {
    subject: `${contact.ownerName}: do you agree with a new address?`,
    paragraphs: [
      html`${isolate(byName)} knows another address of somebody we could not reach for ${isolate(contact.ownerFirstName)}. Nothing is sent there unless a second person agrees.`,
      html`Please look whether you know the address too. If you are not sure, ask ${isolate(byName)} before you agree.`,
    ],
    action: { label: 'See the address', url },
  });
}

type OwnerTold = { firstName: string; baseUrl: string; byName: string; checkInUrl: string };

/** Says to the owner, should they live, what their contacts are about to do. `sendsAt` is null until another agrees. */
export function ownerNewAddressEmail(owner: OwnerTold & { sendsAt: Date | null; isSent: boolean }): Mail {
  const { firstName, byName, sendsAt, isSent } = owner;
  const follows = sendsAt
    ? html`We send it there on ${longDate(sendsAt)}.`
    : html`We send it there once another of your trusted contacts agrees.`;
  return ownerMail(owner, {
    subject: isSent
      ? 'A message of yours is sent to another address'
      : `${firstName}, a message of yours may go to another address`,
    paragraphs: [
      html`A message of yours could not be delivered, since the address takes no mail. ${isolate(byName)} gave us another address of the same person.`,
      isSent ? html`It is on its way there now.` : follows,
      html`If you read this, press Check in. It stops everything that nobody has opened yet.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}
