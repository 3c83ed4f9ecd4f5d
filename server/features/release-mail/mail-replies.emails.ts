import { html, isolate } from '#server/platform/mail/letter.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { addressed, type Mail, ownerMail } from './release.emails.ts';
import { askedSubject, contactMail, type ToContact } from './release-contacts.emails.ts';

/** Mail to an owner whose reminder got an emailed reply. A reply counts for nothing, because anyone can forge it. */
export function ownerReplyEmail(owner: {
  firstName: string;
  baseUrl: string;
  checkInUrl: string;
  answeredAt: Date;
}): Mail {
  return ownerMail(owner, {
    subject: addressed(owner.firstName, 'an email is no check-in: please press the button'),
    paragraphs: [
      html`An email came in answer to ours of ${longDate(owner.answeredAt)}. We cannot tell who wrote it, so it is not a check-in.`,
      html`Press Check in, and we know you are there. You do not have to be well.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

/** To a contact whose question was answered by email. Their own link stays the only one, so the mail leads to none. */
export function contactReplyEmail(contact: ToContact & { answeredAt: Date }): Mail {
  return contactMail(contact, {
    subject: `${contact.ownerName}: an email does not count as your answer`,
    paragraphs: [
      html`An email came in answer to ours of ${longDate(contact.answeredAt)} about ${isolate(contact.ownerName)}. We cannot tell who wrote it, so it does not count as your answer.`,
      html`Please open our newest email with the subject “${askedSubject(contact)}”, and press the button in it. There you can tell us what you know.`,
    ],
  });
}
