import { html, isolate, type Markup } from '#server/platform/mail/letter.ts';
import { type DayAfterSending, longDate } from '#server/platform/mail/mail-day.ts';
import type { Mail } from './release.emails.ts';
import { numberWord, plural } from './release.words.ts';
import { contactMail, type ToContact } from './release-contacts.emails.ts';

/** A contact's yes and its effects. */
export type Confirmed = {
  /** Number of contacts who must still confirm. */
  missing: number;
  /** The owner's own days; null if they do not run. `beginsWithNotice`: they begin when our email has reached the owner. */
  wait: { days: number; until: Date | DayAfterSending; beginsWithNotice: boolean } | null;
  /** True if the operator must allow this release before anything is sent, so no day can be named. */
  isUnderReview: boolean;
  /** The contact's page; null if this mail cannot lead there. */
  portalUrl: string | null;
  /** True if an earlier email leads to the contact's page. */
  hasEarlierLink: boolean;
};

/** Tells a contact whose yes counts on which day the letters go, and how to withdraw the yes. */
export function contactConfirmedEmail(contact: ToContact, confirmed: Confirmed): Mail {
  const { wait, portalUrl, isUnderReview } = confirmed;
  const day = wait && wait.days > 0 ? ` on ${longDate(wait.until)} at the earliest` : '';
  return contactMail(contact, {
    subject:
      isUnderReview && wait
        ? `${contact.ownerName}: you confirmed. This release waits for a review`
        : wait
          ? `${contact.ownerName}: you confirmed. The messages go${day || ' soon'}`
          : `${contact.ownerName}: your confirmation still counts`,
    paragraphs: [
      html`You told us that ${isolate(contact.ownerName)} has died or cannot act. ${nextStep(contact, confirmed)}`,
      html`If ${isolate(contact.ownerFirstName)} comes back before, nothing is sent.`,
      wayBack(contact, confirmed),
    ],
    ...(portalUrl ? { action: { label: 'See your answer', url: portalUrl } } : {}),
  });
}

function nextStep({ ownerFirstName }: ToContact, { wait, missing, isUnderReview }: Confirmed): Markup {
  const owner = isolate(ownerFirstName);
  if (!wait) {
    const people = missing === 1 ? 'one more person confirms' : `${numberWord(missing)} more people confirm`;
    return html`Your confirmation still counts. Another one no longer does, so nothing goes before ${people}.`;
  }
  if (isUnderReview) {
    const first = wait.days > 0 ? html`We try to reach ${owner} for ${plural(wait.days, 'day')} first. ` : html``;
    return html`${first}This release also waits for a review, and nothing is sent before that has ended. We have sent you an email about it.`;
  }
  if (wait.days === 0) {
    return html`Nothing is sent before our email has reached ${owner}’s mailbox. Then ${owner}’s messages go.`;
  }
  const from = wait.beginsWithNotice ? html` These days begin when our email has reached ${owner}’s mailbox.` : html``;
  return html`We try to reach ${owner} for ${plural(wait.days, 'day')}, until ${longDate(wait.until)} at the earliest.${from} Then ${owner}’s messages go.`;
}

function wayBack({ ownerFirstName }: ToContact, { portalUrl, hasEarlierLink }: Confirmed): Markup {
  const owner = isolate(ownerFirstName);
  if (!portalUrl && !hasEarlierLink)
    return html`If you hear from ${owner}, please ask them to sign in. That stops everything.`;
  const page = portalUrl ? 'your page' : 'the page that our earlier email leads to';
  return html`Was it a mistake, or have you heard from ${owner}? Press “Take my confirmation back” on ${page}. You can until the first message has left.`;
}
