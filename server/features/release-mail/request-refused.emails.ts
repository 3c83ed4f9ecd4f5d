import type { RequestRefusal } from '#server/features/release-core/emergency.rules.ts';
import { html, isolate, type Markup } from '#server/platform/mail/letter.ts';
import type { Mail } from './release.emails.ts';
import { dayAndTimeFrom } from './release.words.ts';
import { awayLine, contactMail, type ToContact } from './release-contacts.emails.ts';

/** The emergency form was filled in with this contact's address, and nothing can begin. */
export function contactRefusedEmail(
  refused: ToContact & { reason: RequestRefusal; againAt: Date | null; awayUntil?: Date | null },
): Mail {
  const { ownerName, ownerFirstName, reason, againAt } = refused;
  const owner = isolate(ownerFirstName);
  return contactMail(refused, {
    subject: `${ownerName}: what became of the emergency request`,
    paragraphs: [
      html`Somebody filled in our emergency form in your name. It asks us to release the messages of ${isolate(ownerName)} early. Nothing new has begun, and ${owner} has been told.`,
      whyRefused(reason, owner),
      ...awayLine(refused),
      ...(againAt ? [html`You can use the form again from ${dayAndTimeFrom(againAt)}.`] : []),
      html`If that was not you, there is nothing you need to do.`,
    ],
  });
}

function whyRefused(reason: RequestRefusal, owner: Markup): Markup {
  switch (reason) {
    case 'too_new':
      return html`You accepted this role less than 72 hours ago. Until then we accept no request in your name, so that nobody can be rushed.`;
    case 'asked':
      return html`We have sent you an email with a link already, and it still works. Please look for it, in your spam folder too. If you cannot find it, we can send you another link.`;
    case 'asked_before':
      return html`We have asked you within the last day, and that request is over. We ask each person once a day at most.`;
    case 'answered':
      return html`You have answered already, and your answer is kept. There is nothing more for you to do.`;
    case 'paused':
      return html`A trusted contact stopped the release a short time ago. It is stopped for 30 days after that.`;
    case 'nothing_ready':
      return html`${owner} has no message that is ready to be sent, so there is nothing that we could release.`;
    case 'budget_spent':
      return html`${owner}’s messages were asked for three times within a week. We accept no more than that.`;
    case 'stopped_before':
      return html`${owner} stopped a request that was made in your name a short time ago. You can ask again 30 days after that.`;
    case 'stopped':
      return html`Releases are stopped at the moment. Nothing is lost.`;
    case 'under_way':
      return html`${owner}’s messages are being delivered already. There is nothing more for you to do.`;
  }
}
