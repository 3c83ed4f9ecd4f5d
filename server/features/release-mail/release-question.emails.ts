import { questionDays } from '#server/features/release-core/model.rules.ts';
import { html, isolate } from '#server/platform/mail/letter.ts';
import { type Mail, ownerMail, type ToOwner } from './release.emails.ts';
import { contactMail, type ToContact } from './release-contacts.emails.ts';

/** Mail to an owner about an unexplained sign-in after letters have left. */
function ownerQuestionEmail(owner: ToOwner & { checkInUrl: string }): Mail {
  return ownerMail(owner, {
    subject: 'Somebody signed in to your vault. Was it you?',
    paragraphs: [
      html`Your messages were delivered after a long silence, or because your trusted contacts told us to. Since then somebody has signed in to your account, and we asked whether it was you. There has been no answer.`,
      html`Nothing was taken back. Messages that were not sent yet wait until the question is answered, or until ${questionDays} days have passed without another sign-in. Then the delivery goes on.`,
      html`If you read this, press Check in. Messages that were not sent yet are stopped, and unopened links stop working. To leave everything as it is, sign in and say so.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

/** Mail to an owner after the person who signed in said that they are not the owner. The owner may be alive. */
function ownerNotOwnerEmail(owner: ToOwner & { checkInUrl: string }): Mail {
  return ownerMail(owner, {
    subject: 'The person who signed in to your vault said that they are not you',
    paragraphs: [
      html`Your messages were delivered after a long silence, or because your trusted contacts told us to. Since then somebody has signed in to your account, and answered that they are not you. We have signed them out, and everything goes on as if they had not been there.`,
      html`If you read this, press Check in. Messages that were not sent yet are stopped, and unopened links stop working. Then choose a new password: the person who signed in knows yours.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

/** Mail about that answer to a contact who was notified of the sign-in. */
function contactNotOwnerEmail(contact: ToContact): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject: `It was not ${contact.ownerName} who signed in`,
    paragraphs: [
      html`We told you that somebody had signed in to the account of ${isolate(contact.ownerName)}. They have answered that they are not ${owner}. This tells us nothing about ${owner}. Everything goes on as before, and the waiting messages are sent.`,
      html`There is nothing you need to do. If you hear from ${owner}, please ask them to sign in.`,
    ],
  });
}

/** Mail about the sign-in to a contact, who may know who it was. */
function contactQuestionEmail(contact: ToContact): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject: `Somebody signed in to the account of ${contact.ownerName}`,
    paragraphs: [
      html`The messages of ${isolate(contact.ownerName)} had been delivered. Since then somebody has signed in to this account, and has not told us whether they are ${owner}.`,
      html`Nothing was taken back. Messages that were not sent yet wait until we have an answer, or until ${questionDays} days have passed without another sign-in. Then the delivery goes on.`,
      html`If it was you, or somebody you know, sign in again and choose “I am not ${owner}”. Then everything goes on as before. If you hear from ${owner}, please ask them to sign in.`,
    ],
  });
}

/** Mail to a contact: the owner is well, and delivered letters stay as they are. */
function contactLeftEmail(contact: ToContact): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject: `We have heard from ${contact.ownerName}, who leaves the delivery as it is`,
    paragraphs: [
      html`${owner} has signed in and asked us to take nothing back. Sent messages can be read, and the others are still sent, as ${owner} chose.`,
      html`There is nothing you need to do. Thank you for being there.`,
    ],
  });
}

/** Mails about a sign-in after a delivery, by its outcome. */
export const ownerSignInEmails = { question: ownerQuestionEmail, not_owner: ownerNotOwnerEmail };
export const contactSignInEmails = {
  question: contactQuestionEmail,
  not_owner: contactNotOwnerEmail,
  left: contactLeftEmail,
};
