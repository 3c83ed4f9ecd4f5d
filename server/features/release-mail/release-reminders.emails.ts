import { html, isolate, type Markup } from '#server/platform/mail/letter.ts';
import { type DayAfterSending, longDate } from '#server/platform/mail/mail-day.ts';
import { addressed, joinNames, type Mail, ownerMail, plural, type ToOwner } from './release.emails.ts';

/** What a reminder says of the time after it. */
type ToReminded = ToOwner & {
  checkInUrl: string;
  askAt: Date | DayAfterSending;
  /** Contacts were asked already; they may answer, and have the messages delivered, at any time. */
  hasAsked?: boolean;
  /** From when silence alone delivers; null where people alone decide. */
  deliverAt: Date | DayAfterSending | null;
  readyMessages: number;
};

/** A gentle nudge: courtesy only, nothing follows from it. */
export function nudgeEmail(owner: ToOwner & { checkInUrl: string; standing: Markup }): Mail {
  return ownerMail(owner, {
    subject: owner.firstName ? `${owner.firstName}, are you there?` : 'Are you there?',
    paragraphs: [
      html`It has been ${owner.silentDays} days since you were last here. Press Check in, and we know you are there. You do not have to be well.`,
      html`Nothing happens if you leave this for now. We will write again before we ask anybody.`,
      owner.standing,
      html`Going away? Tell us until when on your dashboard, and we count the days from then.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

export function firstReminderEmail(owner: ToReminded & { lastReminderAt: Date | DayAfterSending }): Mail {
  return ownerMail(owner, {
    subject: addressed(owner.firstName, `we have not heard from you for ${owner.silentDays} days`),
    paragraphs: [
      html`We last heard from you on ${longDate(owner.lastActivityAt)}. Press Check in, and we know you are there.`,
      html`If we hear nothing, we will write once more on ${longDate(owner.lastReminderAt)}. ${whatFollows(owner)}`,
      ...readyLines(owner),
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

export function lastReminderEmail(owner: ToReminded): Mail {
  return ownerMail(owner, {
    subject: lastSubject(owner),
    paragraphs: [
      html`We have not heard from you for ${owner.silentDays} days. This is our last reminder.`,
      owner.readyMessages === 0
        ? html`${whatFollows(owner)} Press Check in, and we know you are there.`
        : html`${whatFollows(owner)} One press on Check in stops all of it.`,
      ...readyLines(owner),
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

function lastSubject({ readyMessages, silentDays, askAt, hasAsked, contactNames }: ToReminded): string {
  if (readyMessages === 0 || hasAsked) return `We have not heard from you for ${silentDays} days: please check in`;
  if (contactNames.length === 0) return `Please check in before ${longDate(askAt)}`;
  return `Check in before ${longDate(askAt)}, or we will ask ${joinNames(contactNames)}`;
}

function whatFollows({ askAt, hasAsked, deliverAt, contactNames, readyMessages }: ToReminded): Markup {
  if (readyMessages === 0) {
    return html`None of your messages is marked as ready, so we ask nobody and nothing is sent.`;
  }
  if (contactNames.length > 0) {
    const next = deliverAt
      ? html`If nobody answers, your messages are delivered from ${longDate(deliverAt)}.`
      : html`Your messages are delivered only if enough of them confirm.`;
    if (hasAsked) {
      const sooner = deliverAt ? html` If they confirm, they go sooner.` : html``;
      return html`We have asked ${isolate(joinNames(contactNames))} about you. ${next}${sooner}`;
    }
    return html`On ${longDate(askAt)} we will ask ${isolate(joinNames(contactNames))} about you. ${next}`;
  }
  const next = deliverAt
    ? html`If nobody answers, your messages are delivered from ${longDate(deliverAt)}.`
    : html`Nobody could release your messages, so nothing is sent.`;
  return html`On ${longDate(askAt)} your time is over. You have no confirmed trusted contact whom we could ask. ${next}`;
}

/** `whatFollows` has said already what it means that there are none. */
function readyLines({ readyMessages, contactNames, deliverAt }: ToReminded): Markup[] {
  if (readyMessages === 0) return [];
  const isReleasable = contactNames.length > 0 || deliverAt !== null;
  return isReleasable ? [html`You have ${plural(readyMessages, 'message')} ready to be delivered.`] : [];
}
