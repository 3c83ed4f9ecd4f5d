import { type Mail, ownerMail } from '#server/features/release-mail/release.emails.ts';
import { contactMail, type ToContact } from '#server/features/release-mail/release-contacts.emails.ts';
import { html, isolate, letter } from '#server/platform/mail/letter.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { productName } from '#shared/product.ts';

/** `sendsAt` is null if silence never sends it. `isReviewed`: the operator checks the release before it is sent. */
type ToAgree = { byName: string; url: string; sendsAt: Date | null; isReviewed: boolean };

/** Asks another contact whether an address that one of them knows is right. It says neither the address nor whose. */
export function agreeWithAddressEmail(contact: ToContact, about: ToAgree): Mail {
  const { byName, url, sendsAt, isReviewed } = about;
  const follows = isReviewed
    ? html`We ask you now, and we check this release before anything is sent there: its messages have gone to many people whom we had not written to before.`
    : sendsAt
      ? html`It is sent there as soon as a second person agrees, and on ${longDate(sendsAt)} if nobody answers.`
      : html`Nothing is sent there unless a second person agrees.`;
  return contactMail(contact, {
    subject: `${contact.ownerName}: do you know this new address?`,
    paragraphs: [
      html`${isolate(byName)} has told us another address of somebody we could not reach for ${isolate(contact.ownerFirstName)}. ${follows}`,
      html`Please check whether you know the address too, and tell us either way: your no stops it. If you are not sure, ask ${isolate(byName)} before you agree.`,
    ],
    action: { label: 'See the address', url },
  });
}

/** After a restore, to the contact whose proposal the backup had: it counts no more, whatever became of it. */
export function lookAgainEmail(contact: ToContact, { backupAt, url }: { backupAt: Date; url: string }): Mail {
  return contactMail(contact, {
    subject: `${contact.ownerName}: please look again at the address you told us`,
    paragraphs: [
      html`Something went wrong here, and we had to go back to our records of ${longDate(backupAt)}. Before that day you told us another address of somebody we could not reach for ${isolate(contact.ownerFirstName)}. We no longer know if you withdrew it since, or if another contact answered. So your proposal has ended, and nothing is sent there because of it.`,
      html`If the address is right, please propose it again. Everything is stopped until we have checked it here, so please come back to the page in a few days.`,
      html`If it was not right, there is nothing you need to do. The message is kept.`,
    ],
    action: { label: 'See the message', url },
  });
}

/** Asks the operator to decide if no contact can. Names neither the address nor its recipient. */
export function operatorDecidesEmail({ ownerEmail, baseUrl }: { ownerEmail: string; baseUrl: string }): Mail {
  const command = `everkept release retry ${ownerEmail} --agree`;
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      html`A message that the owner of the account ${isolate(ownerEmail)} left could not be delivered. Their trusted contact says that it is meant for themselves, at the address they already have with us, and no other contact is there who could agree.`,
      html`So it waits for you. Nothing is sent to a contact's own address on their word alone. If you have made sure, in a way that you trust, that the message is meant for this person, run: ${command}`,
      html`If you are not sure, do nothing. The message is kept.`,
    ],
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: please decide about the address of a message`, ...parts };
}

/** Asks the operator to check a release before it writes to more new mailboxes. It says neither the address nor whose. */
export function addressReviewEmail({ ownerEmail, baseUrl }: { ownerEmail: string; baseUrl: string }): Mail {
  const allow = `everkept release resume ${ownerEmail}`;
  const stop = `everkept release freeze ${ownerEmail}`;
  const parts = letter({
    greeting: 'Hello,',
    paragraphs: [
      html`A message that the owner of the account ${isolate(ownerEmail)} left could not be delivered. A trusted contact proposed another address. The early releases of this account have written to as many new mailboxes as they may without a check. The account has the free plan, or is younger than 30 days. So the message waits for you.`,
      html`Check if this can be a real vault: its age, its activity, its contacts. If it can be, run: ${allow} From then on this release writes to each new address on which its contacts agree.`,
      html`To stop the release, run: ${stop} If you do nothing, the message is kept and is not sent to a new mailbox.`,
    ],
    reason: `You get this because you look after this installation of ${productName}.`,
    baseUrl,
  });
  return { subject: `${productName}: a message to a new address waits until you look`, ...parts };
}

/** `firstName` is null if an identity provider gave none. */
type OwnerTold = { firstName: string | null; baseUrl: string; byName: string; checkInUrl: string };

/** `agrees`: who must agree, or can agree before the day. Null if no one can. */
type Planned = { sendsAt: Date | null; agrees: 'contact' | 'operator' | null; isSent: boolean; isReviewed: boolean };

/** Announces to the owner, who may be alive, the contacts' next step. `sendsAt` is null if another must agree. */
export function ownerNewAddressEmail(owner: OwnerTold & Planned): Mail {
  const { firstName, baseUrl, byName, sendsAt, agrees, isSent, isReviewed } = owner;
  const agreed =
    agrees === 'operator'
      ? html`once the people who run ${productName} agree, since no other trusted contact can`
      : html`once another of your trusted contacts agrees`;
  const follows = isReviewed
    ? html`We check it first, because your messages have gone to many people whom we had not written to before. ${agrees === 'contact' ? 'Another of your trusted contacts must agree too.' : 'Then we send it there.'}`
    : !sendsAt
      ? html`We send it there ${agreed}.`
      : agrees
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
      html`A message of yours has not reached its reader: the last address we had did not accept our email, or it was not opened there. ${isolate(byName)} gave us another address of the same person.`,
      isSent ? html`It is on its way there now.` : follows,
      html`If you read this, press Check in. It stops every message that has not been opened yet.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}
