import type { Portal } from '#shared/contract/release.ts';
import { counted, dayAndMonth, isoDay, longDate } from '#web/lib/format.ts';

/** What the fixed words above a dead link mean, and that nothing is lost or wrong. */
export const deadLinkDetail =
  'This link is not in use any more, or was not copied whole. Open the link in our newest email. If none has come, nothing is asked of you now.';

/** How the page calls the owner: the first name, or the address of one who has told none. */
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
  return portal.messages.length + portal.privateMessageCount;
}

/** Why this page exists, in two or three sentences. */
export function openingWords(portal: Portal): string {
  const name = ownerFirstName(portal);
  const reminders = portal.history.filter(({ what }) => what === 'first_reminder' || what === 'last_reminder').length;
  const named =
    portal.otherContactNames.length === 0
      ? `${name} named you as the person to ask.`
      : `${name} named you as a person to ask.`;
  if (reminders === 0) {
    return `Somebody asked us to find out how ${name} is. The last sign of life we had was on ${longDate(portal.lastActivityAt)}. ${named}`;
  }
  const written = reminders === 1 ? `We wrote to ${name}` : `We wrote to ${name} twice`;
  return `We have not heard from ${name} since ${longDate(portal.lastActivityAt)}. ${written}, and there was no answer. ${named}`;
}

/** What follows a confirmation, one sentence each. */
export function ifYouConfirm(portal: Portal): string[] {
  const { quorum, confirmations } = portal;
  const messages = messageCount(portal);
  const missing = Math.max(1, quorum - confirmations);
  const are = messages === 1 ? 'is' : 'are';
  const sent =
    missing > 1
      ? `${counted(messages, 'message')} ${are} sent when ${quorum} people have confirmed. ${confirmed(confirmations)}`
      : `${counted(messages, 'message')} ${are} sent within minutes, ${messages === 1 ? '' : 'each '}to one person by email.`;
  return [sent, 'This can’t be undone.', 'You do not see what they say.'];
}

function confirmed(confirmations: number): string {
  if (confirmations === 0) return 'Nobody has so far.';
  return confirmations === 1 ? 'One has so far.' : `${confirmations} have so far.`;
}

export function ifYouCancel(portal: Portal): string[] {
  const name = ownerFirstName(portal);
  const others = namesInRow(portal.otherContactNames);
  return [
    'Nothing is sent.',
    others === ''
      ? `We ask ${name} to log in immediately.`
      : `We ask ${name} to log in immediately, and tell ${others} that you cancelled.`,
    afterCancel(portal),
  ];
}

/** Behind the last reminder contacts are asked again; an early request that was called off ends, and silence goes on. */
export function afterCancel(portal: Portal): string {
  const name = ownerFirstName(portal);
  return portal.history.some(({ what }) => what === 'last_reminder')
    ? `If ${name} stays silent, we ask you again in 30 days.`
    : `Our usual reminders to ${name} go on.`;
}

/** What a contact who does not know yet should know. */
export function ifYouDoNotKnow(portal: Portal): string {
  const isAutomatic =
    portal.releaseMethod === 'inactivity' && portal.history.some(({ what }) => what === 'last_reminder');
  return isAutomatic
    ? `If you do not know, find out first. If nobody answers, the messages are sent on their own after the days that ${ownerFirstName(portal)} chose.`
    : 'If you do not know, find out first. There is no hurry: this page stays open.';
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
  return portal.history.flatMap(({ what, at }) => {
    const drawn = looks[what];
    if (!drawn) return [];
    const words = what === 'contacts_asked' ? askedWords(portal) : drawn.words;
    const day = isoDay(at) === isoDay(nowMs) ? `Today, ${dayAndMonth(at)}` : dayAndMonth(at);
    return [{ key: what, look: drawn.look, words, at, shown: drawn.isUnanswered ? `${day}, no answer` : day }];
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

function askedWords({ otherContactNames }: Portal): string {
  return otherContactNames.length === 0 ? 'You were asked' : `You and ${namesInRow(otherContactNames)} asked`;
}
