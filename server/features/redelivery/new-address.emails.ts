import { type Mail, ownerMail } from '#server/features/release/release.emails.ts';
import { contactMail, type ToContact } from '#server/features/release/release-contacts.emails.ts';
import { html, isolate } from '#server/platform/mail/letter.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';

/** `sendsAt` is null where silence never sends it. */
type ToAgree = { byName: string; url: string; sendsAt: Date | null };

/** Asks another contact whether an address that one of them knows is right. It says neither the address nor whose. */
export function agreeWithAddressEmail(contact: ToContact, about: ToAgree): Mail {
  const { byName, url, sendsAt } = about;
  const follows = sendsAt
    ? html`It is sent there as soon as a second person agrees, and on ${longDate(sendsAt)} if nobody answers.`
    : html`Nothing is sent there unless a second person agrees.`;
  return contactMail(contact, {
    subject: `${contact.ownerName}: do you agree with a new address?`,
    paragraphs: [
      html`${isolate(byName)} has told us another address of somebody we could not reach for ${isolate(contact.ownerFirstName)}. ${follows}`,
      html`Please look whether you know the address too, and say so either way: your no stops it. If you are not sure, ask ${isolate(byName)} before you agree.`,
    ],
    action: { label: 'See the address', url },
  });
}

/** After a restore, to the contact whose proposal the backup had: it counts no more, whatever became of it. */
export function lookAgainEmail(contact: ToContact, { backupAt, url }: { backupAt: Date; url: string }): Mail {
  return contactMail(contact, {
    subject: `${contact.ownerName}: please look again at the address you told us`,
    paragraphs: [
      html`Something went wrong here, and we had to take our records back to ${longDate(backupAt)}. Before that day you told us another address of somebody we could not reach for ${isolate(contact.ownerFirstName)}. Whether you took it back since, or somebody answered, we no longer know. So your proposal has ended, and nothing is sent there because of it.`,
      html`If the address is right, please propose it again. Everything is stopped until somebody here has looked, so please come back to the page in a few days.`,
      html`If it was not right, you have nothing to do. The message is kept.`,
    ],
    action: { label: 'See the message', url },
  });
}

/** `firstName` is null where an identity provider gave none. */
type OwnerTold = { firstName: string | null; baseUrl: string; byName: string; checkInUrl: string };

type Planned = { sendsAt: Date | null; canBeAgreed: boolean; isSent: boolean };

/** Says to the owner, should they live, what their contacts are about to do. `sendsAt` is null where another must agree. */
export function ownerNewAddressEmail(owner: OwnerTold & Planned): Mail {
  const { firstName, baseUrl, byName, sendsAt, canBeAgreed, isSent } = owner;
  const agreed = html`once another of your trusted contacts agrees`;
  const follows = !sendsAt
    ? html`We send it there ${agreed}.`
    : canBeAgreed
      ? html`We send it there ${agreed}, and on ${longDate(sendsAt)} if none of them answers.`
      : html`We send it there on ${longDate(sendsAt)}.`;
  const to = { firstName: firstName ?? 'there', baseUrl };
  return ownerMail(to, {
    subject: isSent
      ? 'A message of yours is sent to another address'
      : firstName
        ? `${firstName}, a message of yours may go to another address`
        : 'A message of yours may go to another address',
    paragraphs: [
      html`A message of yours has reached nobody: the last address we had did not take our mail, or nobody opened it there. ${isolate(byName)} gave us another address of the same person.`,
      isSent ? html`It is on its way there now.` : follows,
      html`If you read this, press Check in. It stops everything that nobody has opened yet.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}
