import type { EndOfRequest } from '#server/features/release-core/events.rules.ts';
import type { PauseForecast } from '#server/features/release-core/forecast.rules.ts';
import { askAgainDays } from '#server/features/release-core/model.rules.ts';
import { html, isolate, letter, type Markup } from '#server/platform/mail/letter.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { askForNewsDays } from '#shared/rules/release-answers.ts';
import { type Mail, noAnswerByEmail } from './release.emails.ts';
import { numberWord, ordinalWord, plural } from './release.words.ts';

/** Letters sent before a release ended: none, some, or some that may still arrive. */
export type Sent = 'nothing' | 'some' | 'may_arrive';

/** A trusted contact, and whose contact they are. */
export type ToContact = {
  contactName: string;
  /** The owner's name in full, and for the sentences that follow. */
  ownerName: string;
  ownerFirstName: string;
  baseUrl: string;
};

/** Trusted contact, with the name of their owner. */
export type Deadline = { at: Date; askedAt: Date } | { days: number };

type Asked = ToContact & {
  cause: 'silence' | 'emergency' | 'trustee';
  lastActivityAt: Date;
  portalUrl: string;
  /** Time at which delivery begins without an answer. Null if people alone decide, or if the day is unknown. */
  deadline: Deadline | null;
  /** True if silence alone sends nothing before reminders have reached the owner. */
  waitsForReminders?: boolean;
  /** Number who must confirm, and number of contacts. */
  quorum: number;
  contactCount: number;
  /**
   * For an early request alone: days in which we try to reach the owner first, and the earliest end. `isBegun`: enough
   * contacts have confirmed, and this one is notified of it.
   */
  wait?: { days: number; until: Date; isBegun: boolean; isUnderReview: boolean };
  /** Day until which the owner said that they are away. Unset or null if there is none. */
  awayUntil?: Date | null;
  /** Time at which this contact said that the owner is alive and can't answer. Unset or null if they did not. */
  aliveSaidAt?: Date | null;
  /** False if no channel accepted a reminder to the owner; left out, one did. */
  wasReached?: boolean;
};

export function askedSubject({ ownerName }: Pick<ToContact, 'ownerName'>): string {
  return `${ownerName}: please tell us what you know`;
}

/** Asks a contact about the silent owner. The link opens the page for the answer. */
export function contactAskedEmail(contact: Asked): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject: contact.aliveSaidAt ? `Is there news of ${contact.ownerName}?` : askedSubject(contact),
    paragraphs: [
      ...newsLine(contact),
      ...addressQuestion(contact),
      whyNow(contact),
      ...awayLine(contact),
      contact.wait?.isBegun
        ? html`If you have heard from ${owner}, choose Cancel Release: one no is enough to stop it.`
        : html`If you have heard from ${owner}, choose Cancel Release. If ${owner} is alive and can’t answer, for example in hospital, choose “Alive, but can’t answer”. If ${owner} has died or cannot act, choose Confirm Message Release.`,
      deadlineOf(contact),
      html`${noAnswerByEmail}`,
    ],
    action: { label: 'Tell us what you know', url: contact.portalUrl },
  });
}

/** This contact said that the owner is alive, and is asked whether that is still so. */
function newsLine({ ownerFirstName, aliveSaidAt }: Asked): Markup[] {
  if (!aliveSaidAt) return [];
  const owner = isolate(ownerFirstName);
  return [
    html`You told us on ${longDate(aliveSaidAt)} that ${owner} is alive and can’t answer. Is there news? If nothing has changed, choose “Alive, but can’t answer” again.`,
  ];
}

/** Comes first: an owner whom no reminder reached may have changed their address, and be well. */
function addressQuestion({ cause, ownerName, ownerFirstName, wasReached = true }: Asked): Markup[] {
  if (cause !== 'silence' || wasReached) return [];
  const owner = isolate(ownerFirstName);
  return [
    html`Our emails do not reach ${isolate(ownerName)}. Do you know another email address of ${owner}? Please give it to us on our page. ${owner} may have a new address, and be well.`,
  ];
}

/** An owner on a journey may be well and see no mail. */
export function awayLine({ ownerFirstName, awayUntil }: Pick<Asked, 'ownerFirstName' | 'awayUntil'>): Markup[] {
  if (!awayUntil) return [];
  return [html`${isolate(ownerFirstName)} told us that they are away until ${longDate(awayUntil)}.`];
}

function deadlineOf(contact: Asked): Markup {
  const { cause, deadline, ownerFirstName, quorum, contactCount, wait, waitsForReminders = false } = contact;
  const owner = isolate(ownerFirstName);
  if (wait?.isBegun && wait.isUnderReview) {
    return html`We try to reach ${owner} for ${plural(wait.days, 'day')} first. This release also waits for a review, and nothing is sent before that has ended.`;
  }
  if (wait?.isBegun) {
    return html`We try to reach ${owner} for ${plural(wait.days, 'day')}, until ${longDate(wait.until)} at the earliest. Then ${owner}’s messages are sent.`;
  }
  if (waitsForReminders) {
    return html`If nobody answers, nothing is delivered while we still try to deliver our reminders to ${owner}. We ask you again in ${askAgainDays} days.`;
  }
  if (!deadline) {
    const who =
      contactCount === 1 ? 'you confirm' : `${numberWord(quorum)} of you ${quorum === 1 ? 'confirms' : 'confirm'}`;
    const again = cause === 'silence' ? ` If you do not know yet, we will ask you again in ${askAgainDays} days.` : '';
    return wait
      ? html`Nothing is delivered unless ${who}. We then try to reach ${owner} for ${plural(wait.days, 'day')} first.`
      : html`Nothing is delivered unless ${who}.${again}`;
  }
  const within = timeLeft(deadline);
  return within === null
    ? html`If nobody answers, ${owner}’s messages are sent very soon, as ${owner} asked.`
    : html`If nobody answers ${within}, ${owner}’s messages will be delivered, as ${owner} asked.`;
}

/** Null if the owner chose no answer days, or if the last day is today: “before today” would be past when read. */
function timeLeft(deadline: Deadline): string | null {
  if ('days' in deadline) {
    return deadline.days > 0 ? `within ${plural(deadline.days, 'day')} after this email has reached you` : null;
  }
  const [last, today] = [longDate(deadline.at), longDate(deadline.askedAt)];
  return last === today ? null : `before ${last}`;
}

function whyNow({ cause, lastActivityAt, ownerName, ownerFirstName, wait, quorum, wasReached = true }: Asked): Markup {
  const owner = isolate(ownerFirstName);
  if (wait?.isBegun) {
    const who = quorum === 1 ? 'Another trusted contact has' : 'Other trusted contacts have';
    return html`${who} told us that ${isolate(ownerName)} has died or cannot act. Nothing has been sent yet.`;
  }
  if (cause === 'emergency') {
    return html`An emergency request was made in your name: it asks us to release the messages of ${isolate(ownerName)}. If that was not you, choose Cancel Release.`;
  }
  if (cause === 'trustee') {
    return html`Another trusted contact of ${isolate(ownerName)} has asked us to release ${owner}’s messages. More than one of you must confirm this.`;
  }
  if (!wasReached) {
    return html`We have not heard from ${isolate(ownerName)} since ${longDate(lastActivityAt)}, and none of our reminders could be delivered. If you know how to reach ${owner}, please ask them to sign in. ${owner} named you as somebody who would know.`;
  }
  return html`We have not heard from ${isolate(ownerName)} since ${longDate(lastActivityAt)}, and two reminders had no answer. ${owner} named you as somebody who would know.`;
}

/** Another contact's first no, or "alive, but can't answer", has stopped the release for now. */
export function contactPausedEmail(
  contact: ToContact,
  pause: PauseForecast & { part: PartInPause; isAlive?: boolean },
): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject: `${contact.ownerName}: the release is stopped for now`,
    paragraphs: [
      pause.isAlive
        ? html`Another trusted contact told us that ${owner} is alive and can’t answer. Nothing was sent, and we have asked ${owner} to log in.`
        : html`Another trusted contact chose Cancel Release. Nothing was sent, and we have asked ${owner} to log in.`,
      whatIsLeftTo(contact, pause),
    ],
  });
}

/** Another contact says again that the owner is alive. `times`: how often they have said so. */
export function contactAliveAgainEmail(
  contact: ToContact,
  { times, part }: { times: number; part: PartInPause },
): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject: `${contact.ownerName}: somebody says again that they are alive`,
    paragraphs: [
      html`Another trusted contact told us for the ${ordinalWord(times)} time that ${owner} is alive and can’t answer. If nobody else answers, nothing is sent for ${plural(askForNewsDays, 'day')}.`,
      whatIsLeftTo(contact, { part, askAgainDays: null, canOthersConfirm: false }),
    ],
  });
}

function whatIsLeftTo(
  { ownerFirstName }: ToContact,
  { part, askAgainDays, canOthersConfirm }: PauseForecast & { part: PartInPause },
): Markup {
  if (part === 'can_answer') return html`Your own link still works: tell us if you know more.`;
  if (part === 'has_confirmed') return html`You have confirmed, and your answer still counts.`;
  return askAgainDays !== null && !canOthersConfirm
    ? html`There is nothing you need to do. If we hear nothing from ${isolate(ownerFirstName)} for ${plural(askAgainDays, 'day')}, we will ask you again.`
    : html`There is nothing you need to do.`;
}

/** Part of a contact in a pause after another one's no. */
export type PartInPause = 'can_answer' | 'has_confirmed' | 'none';

/** Mail about a request that ended, but not because the owner is back. `why` is null if it ended some time ago. */
export function contactEndedEmail(contact: ToContact, { why }: { why: EndOfRequest | null }): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject:
      why === 'begun_anew'
        ? `${contact.ownerName}: please ask or answer again, we had to go back to older records`
        : `${contact.ownerName}: the request has ended. Nothing was sent`,
    paragraphs: [
      html`${whyEnded(why, owner)} Nothing was sent to anybody, and the link in our earlier email no longer takes an answer.`,
      why === 'begun_anew'
        ? html`If you have heard from ${owner} since, there is nothing you need to do. If ${owner} has died or cannot act, please tell us again by the emergency form.`
        : html`There is nothing you need to do. If you hear from ${owner}, please ask them to sign in.`,
    ],
    ...(why === 'begun_anew'
      ? { action: { label: 'Emergency form', url: `${contact.baseUrl}/emergency-activation` } }
      : {}),
  });
}

function whyEnded(why: EndOfRequest | null, owner: Markup): Markup {
  switch (why) {
    case null:
      return html`We had asked you about ${owner}, and that request has ended since.`;
    case 'did_not_ask':
      return html`${owner}’s messages had been asked for in a person’s name, and that person has told us that it was not them.`;
    case 'nobody_answered':
      return html`${owner}’s messages had been asked for early, and too few trusted contacts answered in 14 days.`;
    case 'too_few_contacts':
      return html`${owner}’s messages had been asked for early, and fewer trusted contacts are left than must confirm.`;
    case 'begun_anew':
      return html`Something went wrong here, and we had to go back to older records. Our question to you about ${owner} was open on that day. If it was answered since, we no longer know.`;
    case 'alive':
      return html`${owner}’s messages had been asked for early, and a trusted contact told us that ${owner} is alive and can’t answer.`;
    default:
      return html`${owner}’s messages had been asked for early, and a trusted contact chose Cancel Release.`;
  }
}

export function contactStoppedEmail(contact: ToContact): Mail {
  const owner = isolate(contact.ownerFirstName);
  return contactMail(contact, {
    subject: `We have heard from ${contact.ownerName}. Nothing was sent`,
    paragraphs: [
      html`${owner} has come back. Nothing was sent to anybody. The link in our earlier email no longer works.`,
      html`There is nothing you need to do. Thank you for being there.`,
    ],
  });
}

/** The account is being deleted while a release was open. */
export function contactClosedEmail(contact: ToContact, { sent }: { sent: Sent }): Mail {
  const owner = isolate(contact.ownerFirstName);
  const outcome =
    sent !== 'nothing'
      ? html`We have stopped what was not sent yet, and closed every link that nobody has opened.`
      : html`Nothing was sent to anybody. The link in our earlier email no longer works.`;
  return contactMail(contact, {
    subject:
      sent !== 'nothing'
        ? `${contact.ownerName}: we have stopped the delivery`
        : `${contact.ownerName}: the release has ended. Nothing was sent`,
    paragraphs: [
      html`The account of ${owner} here is being deleted, so the release you heard of has ended. ${outcome}`,
      html`There is nothing you need to do. Thank you for being there.`,
    ],
  });
}

/** The owner came back after some letters had gone out, or while the first were being handed over. */
export function contactHaltedEmail(contact: ToContact, { sent }: { sent: Exclude<Sent, 'nothing'> }): Mail {
  const owner = isolate(contact.ownerFirstName);
  const read =
    sent === 'some'
      ? html`Some messages may have been read already. ${owner} knows which.`
      : html`An email about a message was just being handed over and may still arrive. Its link opens nothing, and we write to the reader who gets it.`;
  return contactMail(contact, {
    subject: `We have heard from ${contact.ownerName}. We have stopped the delivery`,
    paragraphs: [
      html`${owner} has come back. We have stopped what was not sent yet, and closed every link that nobody has opened.`,
      read,
    ],
  });
}

type Content = { subject: string; paragraphs: Markup[]; action?: { label: string; url: string } };

export function contactMail(contact: ToContact, { subject, paragraphs, action }: Content): Mail {
  const parts = letter({
    greeting: html`Hello ${isolate(firstNameOf(contact.contactName))},`,
    paragraphs,
    ...(action ? { action } : {}),
    reason: html`You get this because ${isolate(contact.ownerName)} named you as a trusted contact, and you accepted.`,
    baseUrl: contact.baseUrl,
  });
  return { subject, ...parts };
}
