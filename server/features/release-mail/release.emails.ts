import type { EndOfRequest } from '#server/features/release-core/events.rules.ts';
import type { EarlyForecast, PauseForecast } from '#server/features/release-core/forecast.rules.ts';
import { askAgainDays, pauseDays } from '#server/features/release-core/model.rules.ts';
import type { Claim } from '#server/features/release-state/command-context.ts';
import { html, isolate, letter, type Markup } from '#server/platform/mail/letter.ts';
import { type DayAfterSending, longDate } from '#server/platform/mail/mail-day.ts';
import { productName } from '#shared/product.ts';
import { quotable } from '#shared/rules/letterhead/links.ts';
import { askForNewsDays } from '#shared/rules/release-answers.ts';
import { joinNames, numberWord, ordinalWord, plural } from './release.words.ts';

/** A mail as the notifications take it. */
export type Mail = { subject: string; html: string; text: string };

/** Owner, with the target of their mails' links. */
export type ToOwner = {
  /** Empty if the owner gave none. */
  firstName: string;
  baseUrl: string;
  lastActivityAt: Date;
  silentDays: number;
  /** First names of those who are, or would be, asked. */
  contactNames: readonly string[];
};

type OwnerAsked = ToOwner & {
  checkInUrl: string;
  /** Null if people alone decide. */
  deliverAt: Date | DayAfterSending | null;
  /** Days that a confirmed release waits if a reminder has not reached the owner. Null or left out if both have. */
  untoldWaitDays?: number | null;
};

/** Tells the owner that contacts were asked, or that there is none. */
export function ownerAskedEmail(owner: OwnerAsked): Mail {
  const { contactNames } = owner;
  const names = joinNames(contactNames);
  const subjectAlone = owner.untoldWaitDays ? 'We have not heard from you' : 'Your messages will be delivered soon';
  const asked =
    contactNames.length > 0
      ? html`We have not heard from you for ${owner.silentDays} days, so we have asked ${isolate(names)} about you.`
      : html`We have not heard from you for ${owner.silentDays} days. You have no confirmed trusted contact whom we could ask.`;
  return ownerMail(owner, {
    subject: contactNames.length > 0 ? `We have asked ${names} about you` : subjectAlone,
    paragraphs: [
      asked,
      afterAsking(owner, names),
      html`Press Check in and everything stops. Nothing has been sent to the people you wrote to.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

function afterAsking({ contactNames, deliverAt, untoldWaitDays }: OwnerAsked, names: string): Markup {
  const isAsked = contactNames.length > 0;
  if (untoldWaitDays) {
    const ifConfirmed = isAsked
      ? ` If your contacts confirm, your messages are delivered ${untoldWaitDays} days later.`
      : '';
    return html`If we hear nothing from anybody, nothing is delivered while we still try to deliver our reminders to you.${ifConfirmed}`;
  }
  if (deliverAt) {
    return html`If we hear nothing from anybody, your messages will be delivered from ${longDate(deliverAt)}.${isAsked ? ' If your contacts confirm, they go sooner.' : ''}`;
  }
  return contactNames.length === 1
    ? html`Your messages will be delivered only when ${isolate(names)} confirms that you have died or cannot act. Until then we ask again every ${askAgainDays} days.`
    : html`Your messages will be delivered only when enough of them confirm that you have died or cannot act. Until then we ask again every ${askAgainDays} days.`;
}

/** Mail to an owner about a claim that they can't act, long before their silence has ended. */
export function ownerEarlyEmail(
  owner: ToOwner & { checkInUrl: string; cause: 'emergency' | 'trustee'; prospect: EarlyForecast; claim?: Claim },
): Mail {
  const { cause, prospect } = owner;
  const what =
    cause === 'emergency'
      ? html`Somebody asked us to release your messages early. They named one of your trusted contacts, who now has a link to confirm or cancel.`
      : html`One of your trusted contacts has pressed release in their account. They say that you have died or cannot act.`;
  const isNow = prospect.missing === 0 && prospect.waitingDays === 0;
  return ownerMail(owner, {
    subject: addressed(owner.firstName, 'somebody asked for your messages to be released'),
    paragraphs: [
      html`${what} ${whatIsMissing(cause, prospect)}`,
      isNow
        ? html`If you read this, press Check in. It stops what has not left yet, and your contacts are told.`
        : html`If you read this, press Check in. It stops everything at once, and your contacts are told.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
    after: owner.claim ? claimLines(owner.claim) : [],
  });
}

function whatIsMissing(cause: 'emergency' | 'trustee', { missing, waitingDays }: EarlyForecast): string {
  const days = plural(waitingDays, 'day');
  if (missing === 0) {
    return waitingDays === 0
      ? 'Your messages are sent soon, unless this release must wait for a review. If it must, we email you.'
      : `We try to reach you for ${days} first. Nothing goes before that.`;
  }
  if (cause === 'emergency') {
    const others = missing > 1 ? ` and ${numberWord(missing - 1)} more of your contacts confirm` : ' confirms';
    return waitingDays === 0
      ? `If that contact${others}, your messages are sent at once.`
      : `If that contact${others}, we try to reach you for ${days}. Then your messages are sent.`;
  }
  const people = `${numberWord(missing)} more of your contacts ${missing === 1 ? 'confirms' : 'confirm'}`;
  return `Nothing goes before ${people}${waitingDays === 0 ? '' : `, and we have then tried to reach you for ${days}`}.`;
}

/**
 * A stranger can fill in the form. Their words come last, after the warning and on one line, without links and telephone
 * numbers. A line of their own in the plain-text part could look like one of ours.
 */
export function claimLines({ name, reason }: Claim): Markup[] {
  return [
    html`The next lines were typed by a person we do not know. Do not follow a link or call a number in them.`,
    html`They gave the name ${isolate(quotable(name))} and this reason: “${isolate(quotable(reason))}”`,
  ];
}

/** A contact's first no, or "alive, but can't answer", has stopped the release for now. */
export function ownerPausedEmail(
  owner: ToOwner & { checkInUrl: string; prospect: PauseForecast; isAlive?: boolean },
): Mail {
  const { askAgainDays, canOthersConfirm } = owner.prospect;
  const next =
    askAgainDays === null
      ? 'Our usual reminders go on.'
      : `If we hear nothing from you for ${plural(askAgainDays, 'day')}, we will ask your contacts again.`;
  return ownerMail(owner, {
    subject: addressed(owner.firstName, 'please log in now'),
    paragraphs: [
      owner.isAlive
        ? html`One of your trusted contacts told us that you are alive and can’t answer. Nothing was sent. If you can, press Check in, and we know you are there.`
        : html`One of your trusted contacts chose Cancel Release. Nothing was sent. Press Check in, and we know you are there.`,
      html`${canOthersConfirm ? 'Your other contacts can still confirm. ' : ''}${next}`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

/** A contact says again that the owner is alive. `times`: how often they have said so. */
export function ownerAliveAgainEmail(owner: ToOwner & { checkInUrl: string; times: number }): Mail {
  return ownerMail(owner, {
    subject: addressed(owner.firstName, 'a trusted contact says again that you are alive'),
    paragraphs: [
      html`One of your trusted contacts told us for the ${ordinalWord(owner.times)} time that you are alive and can’t answer. Nothing was sent.`,
      html`Silence alone sends nothing for ${plural(askForNewsDays, 'day')}, and then we ask that contact for news. Your other contacts can still confirm a release. If you can, press Check in, and we know you are there.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

/** Names no day, because the length of a review is unknown. */
const subjectUnderReview = 'Your messages are to be delivered, unless you check in';

/** `until`: the earliest day. A mail that leaves late is followed by the whole time, so it says both. */
export function ownerHoldingEmail(
  owner: ToOwner & {
    checkInUrl: string;
    waitingDays: number;
    until: Date | DayAfterSending;
    isUnderReview: boolean;
  },
): Mail {
  const { waitingDays, until, isUnderReview } = owner;
  if (waitingDays === 0 && !isUnderReview) return ownerLeavingEmail(owner);
  return ownerMail(owner, {
    subject: isUnderReview
      ? subjectUnderReview
      : `Your messages will be delivered in ${plural(waitingDays, 'day')}, unless you check in`,
    paragraphs: [
      html`Your trusted contacts have confirmed that your messages should be released. We try to reach you for ${plural(waitingDays, 'day')} first.`,
      isUnderReview
        ? html`That time begins now. This release also waits for a review, and nothing goes before both have ended.`
        : html`That time begins now: nothing goes before ${longDate(until)}, nor before this email has been in your mailbox for ${plural(waitingDays, 'day')}.`,
      html`If you read this, press Check in. It stops everything, and your contacts are told.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

/** The owner chose no waiting days, so the letters go once this email was accepted. */
function ownerLeavingEmail(owner: ToOwner & { checkInUrl: string }): Mail {
  return ownerMail(owner, {
    subject: 'Your messages are about to be delivered, unless you check in',
    paragraphs: [
      html`Your trusted contacts have confirmed that your messages should be released. You chose no waiting days, so they go as soon as this email has reached your mailbox.`,
      html`If you read this, press Check in. It stops everything, and your contacts are told.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

/** Letters still wait for their owner, who is written to every day. */
export function ownerWaitGoesOnEmail(
  owner: ToOwner & { checkInUrl: string; until: Date; isUnderReview: boolean },
): Mail {
  const { until, isUnderReview } = owner;
  const when = isUnderReview
    ? html`once your waiting time and the review of this release have ended`
    : html`on ${longDate(until)}`;
  return ownerMail(owner, {
    subject: isUnderReview
      ? subjectUnderReview
      : `Your messages will be delivered on ${longDate(until)}, unless you check in`,
    paragraphs: [
      html`Your trusted contacts have confirmed that your messages should be released. ${isUnderReview ? 'We write to you every day of your waiting time.' : 'We write to you every day until they go.'}`,
      html`If we hear nothing from you, they are sent ${when}. If you read this, press Check in. It stops everything, and your contacts are told.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

/** An early request came to nothing, or a restore has ended one. */
export function ownerEndedEmail(owner: ToOwner & { checkInUrl: string; why: EndOfRequest }): Mail {
  const isCancelled = owner.why === 'no' || owner.why === 'alive';
  return ownerMail(owner, {
    subject: addressed(owner.firstName, isCancelled ? 'please log in now' : 'the request for your messages has ended'),
    paragraphs: [
      html`${whyEnded[owner.why]} Nothing was sent.`,
      isCancelled
        ? html`Please log in now, or press Check in, so that we know you are there. Your usual reminders go on.`
        : html`If you read this, press Check in, so that we know. Your usual reminders go on.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

const whyEnded: Record<EndOfRequest, string> = {
  no: 'Your messages had been asked for early, and one of your trusted contacts chose Cancel Release.',
  alive:
    'Your messages had been asked for early, and one of your trusted contacts told us that you are alive and can’t answer.',
  did_not_ask:
    'Your messages had been asked for in the name of a trusted contact. That contact has told us that it was not them.',
  nobody_answered: 'Your messages had been asked for early, and too few of your trusted contacts answered in 14 days.',
  too_few_contacts: 'Your messages had been asked for early, and fewer trusted contacts are left than must confirm.',
  begun_anew:
    'Your trusted contacts were being asked about you. We had to go back to older records, so we have ended that question.',
  owner_back: 'You are back, so the request for your messages has ended.',
  closed: 'Your account is being deleted, so the request for your messages has ended.',
};

/** Mail to an owner whose contacts are being asked, after one left and fewer are left than must confirm. */
export function ownerFewerContactsEmail(owner: ToOwner & { checkInUrl: string; needed: number; left: number }): Mail {
  const { needed, left } = owner;
  const remain = left === 0 ? 'none is left' : left === 1 ? 'one is left' : `${numberWord(left)} are left`;
  return ownerMail(owner, {
    subject: addressed(owner.firstName, 'fewer trusted contacts are left than must confirm'),
    paragraphs: [
      html`We have not heard from you for ${owner.silentDays} days, and ${numberWord(needed)} of your trusted contacts must confirm before your messages are sent. Since then a contact has left the role, and ${remain}.`,
      left === 0
        ? html`Until you name another contact, no one can confirm.`
        : html`If we hear nothing from you for ${plural(pauseDays, 'day')}, those who are left will be enough.`,
      html`Press Check in and everything stops. Nothing has been sent to the people you wrote to.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

export function ownerReleasingEmail(owner: ToOwner & { checkInUrl: string }): Mail {
  return ownerMail(owner, {
    subject: 'Your messages are being delivered',
    paragraphs: [
      html`Your messages are on their way to the people you wrote to.`,
      html`If you read this and did not want it, press Check in now. Messages that were not sent yet are stopped, and unopened links stop working.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

type Content = {
  subject: string;
  paragraphs: Markup[];
  action: { label: string; url: string };
  after?: Markup[];
};

/** In each reminder and question, since people answer an email by email. */
export const noAnswerByEmail = 'An answer to this email does not count: press the button.';

export function ownerMail(
  { firstName, baseUrl }: Pick<ToOwner, 'firstName' | 'baseUrl'>,
  { subject, paragraphs, action, after = [] }: Content,
): Mail {
  const parts = letter({
    greeting: html`Hello ${isolate(firstName || 'there')},`,
    paragraphs,
    action,
    after: action.label === 'Check in' ? [html`${noAnswerByEmail}`, ...after] : after,
    reason: `You get this because you keep messages with ${productName}, and your release settings ask us to look after you.`,
    baseUrl,
  });
  return { subject, ...parts };
}

/** “Sam, please log in now”, or “Please log in now” without a name. */
export function addressed(firstName: string, words: string): string {
  return firstName ? `${firstName}, ${words}` : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
