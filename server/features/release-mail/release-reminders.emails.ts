import { html, type Markup } from '#server/platform/mail/letter.ts';
import { type DayAfterSending, longDate } from '#server/platform/mail/mail-day.ts';
import { addressed, type Mail, ownerMail, type ToOwner } from './release.emails.ts';
import { joinNames } from './release.words.ts';
import type { Outlook } from './standing.words.ts';

/** Announcements of a reminder. `standing`: the sentence about the next steps, with their days. */
type ToReminded = ToOwner & {
  checkInUrl: string;
  askAt: Date | DayAfterSending;
  hasAsked: boolean;
  outlook: Outlook;
  standing: Markup;
};

/** A gentle nudge: courtesy only, nothing follows from it. */
export function nudgeEmail(owner: ToOwner & { checkInUrl: string; standing: Markup; hasOldAddress?: boolean }): Mail {
  return ownerMail(owner, {
    subject: owner.firstName ? `${owner.firstName}, are you there?` : 'Are you there?',
    paragraphs: [
      html`It has been ${owner.silentDays} days since you were last here. Press Check in, and we know you are there. You do not have to be well.`,
      html`Nothing happens if you leave this for now. We will write again before we ask anybody.`,
      owner.standing,
      html`Going away? Tell us until when on your dashboard, and we count the days from then.`,
      ...(owner.hasOldAddress
        ? [
            html`You gave some addresses of your letters more than a year ago. Your messages page asks whether they are still right.`,
          ]
        : []),
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

export function firstReminderEmail(owner: ToReminded & { lastReminderAt: Date | DayAfterSending }): Mail {
  return ownerMail(owner, {
    subject: addressed(owner.firstName, `we have not heard from you for ${owner.silentDays} days`),
    paragraphs: [
      html`We last heard from you on ${longDate(owner.lastActivityAt)}. Press Check in, and we know you are there.`,
      html`If we hear nothing, we will write once more on ${longDate(owner.lastReminderAt)}.`,
      owner.standing,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

export function lastReminderEmail(owner: ToReminded): Mail {
  return ownerMail(owner, {
    subject: lastSubject(owner),
    paragraphs: [
      html`We have not heard from you for ${owner.silentDays} days. This is our last reminder.`,
      owner.standing,
      owner.outlook === 'nothing'
        ? html`Press Check in, and we know you are there.`
        : html`One press on Check in stops all of it.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

function lastSubject({ outlook, silentDays, askAt, hasAsked, contactNames }: ToReminded): string {
  if (outlook === 'nothing' || hasAsked) return `We have not heard from you for ${silentDays} days: please check in`;
  if (outlook === 'letters') return `Please check in before ${longDate(askAt)}`;
  return `Check in before ${longDate(askAt)}, or we will ask ${joinNames(contactNames)}`;
}
