import { html, isolate } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import { addressed, type Mail, ownerMail } from './release.emails.ts';
import { contactMail, type ToContact } from './release-contacts.emails.ts';

/** Tells the owner that their early release waits for the operator. */
export function ownerEarlyReviewEmail(owner: { firstName: string; baseUrl: string }): Mail {
  return ownerMail(owner, {
    subject: addressed(owner.firstName, 'we check the early release of your messages first'),
    paragraphs: [
      html`Your trusted contacts confirmed an early release. Your messages are for many people whom we have not written to for you before. So the people who run ${productName} look at it before anything is sent. This can take longer than the waiting time that we told you. If it does, our daily emails about the wait stop, and nothing is sent before the check has ended.`,
      html`We do this so that no one can use ${productName} to write to strangers in your name. A release after a long silence is not affected.`,
      html`If you read this, sign in. That stops the release.`,
    ],
    action: { label: 'Sign in', url: `${owner.baseUrl}/login` },
  });
}

/** Tells a trusted contact the same. */
export function contactEarlyReviewEmail(contact: ToContact): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject: `${contact.ownerName}: we check the early release first`,
    paragraphs: [
      html`Enough people have confirmed the early release of ${owner}’s messages. They are for many people whom we have not written to for ${owner} before. So the people who run ${productName} look at it before anything is sent. This can take longer than the waiting time that we told you.`,
      html`We do this so that no one can use ${productName} to write to strangers. Your answer is kept, and there is nothing you need to do.`,
    ],
  });
}
