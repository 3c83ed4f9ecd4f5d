import { html, isolate } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import { addressed, type Mail, ownerMail } from './release.emails.ts';
import { contactMail, type ToContact } from './release-contacts.emails.ts';

/** `hasOperator`: an operator is named (`ADMIN_EMAIL`) and gets an email about the review. */
type Review = { hasOperator: boolean };

/** Tells the owner that their early release waits for the operator. */
export function ownerEarlyReviewEmail(owner: { firstName: string; baseUrl: string } & Review): Mail {
  const review = owner.hasOperator
    ? html`So the people who run ${productName} look at it before anything is sent. This can take longer than the waiting time that we told you.`
    : html`So the people who run ${productName} must allow it before anything is sent. No one is named here whom we can email about it, so it may wait until you return or until a release after a long silence.`;
  return ownerMail(owner, {
    subject: addressed(owner.firstName, 'the early release of your messages waits for a review'),
    paragraphs: [
      html`Your trusted contacts confirmed an early release. Your messages are for many people whom we have not written to for you before. ${review} If your waiting time ends before that, our daily emails about the wait stop.`,
      html`We do this so that no one can use ${productName} to write to strangers in your name. A release after a long silence is not affected.`,
      html`If you read this, sign in. That stops the release.`,
    ],
    action: { label: 'Sign in', url: `${owner.baseUrl}/login` },
  });
}

/** Tells a trusted contact the same. */
export function contactEarlyReviewEmail(contact: ToContact & Review): Mail {
  const owner = isolate(contact.ownerFirstName);
  const review = contact.hasOperator
    ? html`So the people who run ${productName} look at it before anything is sent. This can take longer than the waiting time that we told you.`
    : html`So the people who run ${productName} must allow it before anything is sent. No one is named here whom we can email about it. If you know who runs this service, please ask them to look.`;
  const yours = contact.hasOperator
    ? 'Your answer is kept, and there is nothing you need to do.'
    : 'Your answer is kept.';
  return contactMail(contact, {
    subject: `${contact.ownerName}: the early release waits for a review`,
    paragraphs: [
      html`Enough people have confirmed the early release of ${owner}’s messages. They are for many people whom we have not written to for ${owner} before. ${review}`,
      html`We do this so that no one can use ${productName} to write to strangers. ${yours}`,
    ],
  });
}
