import { html, isolate } from '#server/platform/mail/letter.ts';
import { type DayAfterSending, longDate } from '#server/platform/mail/mail-day.ts';
import { addressed, type Mail, ownerMail, type ToOwner } from './release.emails.ts';
import { contactMail, type ToContact } from './release-contacts.emails.ts';

/** Mail to the owner about a later delivery than announced. */
export function ownerDelayedEmail(owner: ToOwner & { checkInUrl: string; deliverAt: DayAfterSending }): Mail {
  return ownerMail(owner, {
    subject: addressed(owner.firstName, 'your messages go later than we wrote'),
    paragraphs: [
      html`We wrote to you on which day your messages would be delivered. They go later, because some days did not count: emails came back, or nobody could have answered.`,
      html`If we hear nothing from anybody, your messages will be delivered from ${longDate(owner.deliverAt)}.`,
      html`Press Check in and everything stops. Nothing has been sent to the people you wrote to.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

/** Mail to a contact about a later delivery than announced. */
export function contactDelayedEmail(contact: ToContact, { deliverAt }: { deliverAt: DayAfterSending }): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject: `${contact.ownerName}: the messages go later than we wrote`,
    paragraphs: [
      html`We wrote to you when ${owner}’s messages would be delivered if nobody answers. They go later, because some days did not count: emails came back, or nobody could have answered.`,
      html`If nobody answers, they will be delivered on ${longDate(deliverAt)} at the earliest.`,
      html`Your answer still counts, by the link in our earlier email. If you have heard from ${owner}, please ask them to sign in. That stops everything.`,
    ],
  });
}
