import type { Portal } from '#shared/contract/release/portal.ts';
import { productName } from '#shared/product.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { askForNewsDays } from '#shared/rules/release-answers.ts';
import { counted, dayAndMonth, isoDay, longDate } from '#web/lib/format.ts';
import type { Decision } from './use-portal.ts';

/** Explains the fixed words about an expired link: nothing is lost or wrong. */
export const deadLinkDetail =
  'This link is not in use any more, or was not copied whole. Open the link in our newest email. If none has come, nothing is asked of you now.';

/** Owner's name on the page: the first name, or the address if there is none. */
export function ownerFirstName({ user }: Portal): string {
  return user.firstName || user.email;
}

export function ownerFullName({ user }: Portal): string {
  return [user.firstName, user.lastName].filter(Boolean).join(' ');
}

/** `Tom`, `Tom and Ann`, `Tom, Ann and Joe`. */
export function namesInRow(names: readonly string[]): string {
  if (names.length < 2) return names[0] ?? '';
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

export function messageCount(portal: Portal): number {
  return portal.messages.length + portal.messagesLeftOut + portal.privateMessageCount;
}

/** Purpose of this page, in two or three sentences. */
export function openingWords(portal: Portal): string {
  const name = ownerFirstName(portal);
  const reminders = portal.history.filter(({ what }) => what === 'first_reminder' || what === 'last_reminder').length;
  const named =
    portal.otherContactNames.length === 0
      ? `${name} named you as the person to ask.`
      : `${name} named you as a person to ask.`;
  if (portal.otherAddress) {
    return `Our emails do not reach ${name}. We have not heard from ${name} since ${longDate(portal.lastActivityAt)}. ${named}`;
  }
  if (portal.isEarly || reminders === 0) {
    return `Somebody asked us to find out about ${name}. We last heard from ${name} on ${longDate(portal.lastActivityAt)}. ${named}`;
  }
  const written = reminders === 1 ? `We wrote to ${name}` : `We wrote to ${name} twice`;
  return `We have not heard from ${name} since ${longDate(portal.lastActivityAt)}. ${written}, and there was no answer. ${named}`;
}

/**
 * True if the messages leave with this contact's confirmation: no one else, no day and nothing of ours is waited for.
 */
export function isSentAtOnce({ quorum, confirmations, waitingDays, held }: Portal): boolean {
  return quorum - confirmations <= 1 && waitingDays === 0 && held === null;
}

/** Consequences of a confirmation, one sentence each. */
export function ifYouConfirm(portal: Portal): string[] {
  return [...whatIsSent(portal), takeBackWords, 'You will not see the letter.'];
}

/** Deadline for withdrawing a confirmation. */
export const takeBackWords =
  'You can take your confirmation back until the first letter has left. What is sent can’t be undone.';

/** Messages and recipients of a confirmation, and the conditions before sending. */
export function whatIsSent(portal: Portal): string[] {
  const { quorum, confirmations, waitingDays, held } = portal;
  const name = ownerFirstName(portal);
  const messages = messageCount(portal);
  if (messages === 0) return [`Nothing is sent: ${name} has no message that is ready.`];
  const are = `${counted(messages, 'message')} ${messages === 1 ? 'is' : 'are'} sent`;
  const needsOthers = quorum - confirmations > 1;
  const words = needsOthers
    ? [`${are} when ${quorum} people have confirmed. ${confirmed(confirmations)}`]
    : [isSentAtOnce(portal) ? `${are} by email within minutes.` : `${are} by email, but not at once.`];
  if (held?.by === 'new_contact' && held.until) {
    words.push(`Your answer counts from ${longDate(held.until)}, three days after you accepted the role.`);
  }
  if (waitingDays > 0 || held?.by === 'waiting_time') words.push(...waitWords(portal));
  if (held?.by === 'early_review') {
    words.push(
      `These messages are for many people whom we have not written to before, so the people who run ${productName} must allow this release first. Your answer is kept.`,
    );
  }
  if (held?.by === 'stopped')
    words.push('Just now every delivery waits on our side. Your answer is kept until it goes on.');
  return words;
}

/** For how long the owner is looked for before anything goes: the day of its end, once it has begun. */
function waitWords(portal: Portal): string[] {
  const { waitingDays, held } = portal;
  const name = ownerFirstName(portal);
  const days = counted(waitingDays, 'day');
  if (held?.by !== 'waiting_time')
    return [`We try to reach ${name} for ${days} first. Until then ${name} can stop it.`];
  if (waitingDays === 0) {
    return [
      `Enough people have confirmed. The letters go once our email about it has reached ${name}, unless somebody says no.`,
    ];
  }
  const until = held.until ? `until ${longDate(held.until)}` : `for ${days}`;
  return [
    `Enough people have confirmed. We try to reach ${name} ${until}. Then the letters go, unless somebody says no.`,
  ];
}

function confirmed(confirmations: number): string {
  if (confirmations === 0) return 'Nobody has so far.';
  return confirmations === 1 ? 'One has so far.' : `${confirmations} have so far.`;
}

export function ifYouCancel(portal: Portal): string[] {
  return [...ifYouStop(portal, 'you cancelled'), ...laterWords(portal)];
}

/** Consequences of "alive, but can't answer". It stops what a cancel stops. */
export function ifYouSayAlive(portal: Portal): string[] {
  const { isRequestOver } = portal.ifCancelled ?? { isRequestOver: false };
  const name = ownerFirstName(portal);
  const news = `If ${name} stays silent, we ask you for news in ${counted(askForNewsDays, 'day')}.`;
  return [...ifYouStop(portal, 'you said so'), isRequestOver ? `Our usual reminders to ${name} go on.` : news];
}

/** Effects of an answer that stops letters. `did`: words for the other contacts. */
function ifYouStop(portal: Portal, did: 'you cancelled' | 'you said so'): string[] {
  const name = ownerFirstName(portal);
  if (!portal.ifCancelled) return ['Nothing is sent.'];
  const { toldNames, canOthersConfirm, isOwnerTold, isRequestOver } = portal.ifCancelled;
  const told = namesInRow(toldNames);
  const words = [canOthersConfirm ? ifOthersConfirm(portal) : 'Nothing is sent.'];
  if (isOwnerTold) {
    words.push(told === '' ? `We ask ${name} to sign in.` : `We ask ${name} to sign in, and tell ${told} that ${did}.`);
  }
  if (isRequestOver) words.push('This request is over.');
  return words;
}

function laterWords(portal: Portal): string[] {
  const name = ownerFirstName(portal);
  if (!portal.ifCancelled) return [];
  const { askAgainDays } = portal.ifCancelled;
  return askAgainDays === null
    ? [`Our usual reminders to ${name} go on.`]
    : [`If ${name} stays silent, we ask you again in ${counted(askAgainDays, 'day')}.`];
}

/** A contact's first cancel stops everything; a repeated one leaves to the others what they say. */
function ifOthersConfirm({ confirmations, quorum }: Portal): string {
  return confirmations < quorum
    ? 'Nothing is sent, unless others confirm: you have cancelled before, so they still can.'
    : 'You have cancelled before, so this does not stop what others have confirmed.';
}

/** An owner on a journey may be well and see no mail; null where they have not said that they are away. */
export function awayWords(portal: Portal): string | null {
  return (
    portal.awayUntil && `${ownerFirstName(portal)} told us that they are away until ${dayAndMonth(portal.awayUntil)}.`
  );
}

/** Above what the service says of a release that was stopped. */
export function stoppedTitle({ stoppedBy }: Portal): string {
  switch (stoppedBy) {
    case 'taken_back':
      return 'Your confirmation is taken back';
    case 'not_counted':
      return 'Your answer does not count any more';
    case 'alive':
      return 'Nothing is sent for now';
    case 'not_asked':
    case 'nobody_answered':
    case 'too_few_contacts':
    case 'begun_anew':
      return 'The request is over';
    default:
      return 'The release was cancelled';
  }
}

/** True if the emergency form is the way to answer, or to ask, again. */
export function canAskAnew({ stoppedBy, isEarly }: Portal): boolean {
  switch (stoppedBy) {
    case 'taken_back':
    case 'nobody_answered':
    case 'too_few_contacts':
      return true;
    default:
      return stoppedBy === 'begun_anew' && isEarly;
  }
}

/** Advice for an undecided contact. */
export function ifYouDoNotKnow(portal: Portal): string {
  if (portal.held?.by === 'waiting_time') {
    return `If you do not know, try to reach ${ownerFirstName(portal)} yourself, and soon. One no is enough to stop it.`;
  }
  return portal.goAloneAt
    ? `If you do not know, find out first. If nobody answers, the messages go out by themselves on ${longDate(portal.goAloneAt)}.`
    : 'If you do not know, find out first. There is no hurry: this page stays open.';
}

/** Ways to find out, shown before any answer. */
export function waysToReach(portal: Portal): string[] {
  const name = ownerFirstName(portal);
  return [
    'Ring, or knock on the door.',
    `Ask somebody who sees ${name} often. People go on journeys, into hospital, or change their phone.`,
    `If you reach ${name}, say that we are asking. Once ${name} checks in, nothing is sent and this page closes.`,
  ];
}

/** Thanks for an answer, with the contact's first name. */
export function thanksFor(portal: Portal, decision: Decision): string {
  const thanks = `Thank you, ${firstNameOf(portal.contact.name)}.`;
  return decision === 'cancelled'
    ? thanks
    : `${thanks} We are sorry for what has happened to ${ownerFirstName(portal)}.`;
}

export type TimelineItem = {
  key: string;
  look: 'past' | 'warn' | 'now' | 'end' | '';
  words: string;
  at: string;
  shown: string;
};

/** The line of time as the page draws it. */
export function timelineOf(portal: Portal, nowMs: number): TimelineItem[] {
  const unanswered = portal.otherAddress ? 'not delivered' : 'no answer';
  return portal.history.flatMap(({ what, at }) => {
    const drawn = looks[what];
    if (!drawn) return [];
    const words = what === 'contacts_asked' ? askedWords(portal) : drawn.words;
    const day = isoDay(at) === isoDay(nowMs) ? `Today, ${dayAndMonth(at)}` : dayAndMonth(at);
    return [{ key: what, look: drawn.look, words, at, shown: drawn.isUnanswered ? `${day}, ${unanswered}` : day }];
  });
}

type Look = { look: TimelineItem['look']; words: string; isUnanswered?: true };

const looks: Partial<Record<Portal['history'][number]['what'], Look>> = {
  last_activity: { look: 'past', words: 'Last check-in' },
  first_reminder: { look: 'warn', words: 'First reminder', isUnanswered: true },
  last_reminder: { look: 'warn', words: 'Last reminder', isUnanswered: true },
  contacts_asked: { look: 'now', words: 'You asked' },
  holding_until: { look: '', words: 'Waiting time ends' },
  delivered: { look: 'end', words: 'Messages delivered' },
};

function askedWords({ askedNames }: Portal): string {
  return askedNames.length === 0 ? 'You were asked' : `${namesInRow(['You', ...askedNames])} asked`;
}
