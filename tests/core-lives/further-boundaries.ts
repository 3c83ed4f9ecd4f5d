import { isReadable, reminderDue } from '#server/features/delivery/delivery.rules.ts';
import { stepAfterAttempt } from '#server/features/notifications/notifications.retry.rules.ts';
import { waitDaysOf, waitedProposal } from '#server/features/redelivery/new-address.rules.ts';
import { breakerLimit, nextHealth } from '#server/features/release-health/health.rules.ts';
import { ownerOfReply } from '#server/features/release-mail/text-replies.rules.ts';
import { wrongAwayDay } from '#server/features/release-settings/away-day.ts';
import { deliverOn } from '#shared/contract/letters/deliver-on.ts';
import { updateReleasePreferences, updateReleaseSettings } from '#shared/contract/release/release.ts';
import { ownDayAt } from '#shared/rules/deliver-on.ts';
import { type Boundary, dayMs, hasBy, hourMs, lifeOf } from './boundaries.ts';

/** Numbers of the page that are decided outside of silences and requests. */

const minuteMs = hourMs / 60;

/* Choices of an owner */

const preferences = (change: object) =>
  updateReleasePreferences.body.safeParse({ quorum: 1, waitingDays: 3, answerDays: 7, ...change }).success;
const settings = (inactivityDays: number) =>
  updateReleaseSettings.body.safeParse({ releaseMethod: 'inactivity', inactivityDays }).success;
const today = Date.UTC(2030, 0, 1, 12);
const awayFor = (days: number) =>
  wrongAwayDay(new Date(today + days * dayMs).toISOString().slice(0, 10), today) === null;

const choices: Boundary[] = [
  { page: 'D: any whole number from 90 to 365', number: 90, is: 'from', isSo: settings },
  { page: 'D: any whole number from 90 to 365', number: 365, is: 'up to', isSo: settings },
  { page: 'Quorum: 1 unless the owner chose 2 or 3', number: 1, is: 'from', isSo: (quorum) => preferences({ quorum }) },
  {
    page: 'Quorum: 1 unless the owner chose 2 or 3',
    number: 3,
    is: 'up to',
    isSo: (quorum) => preferences({ quorum }),
  },
  { page: 'the answer time: 0 to 30 days', number: 0, is: 'from', isSo: (answerDays) => preferences({ answerDays }) },
  { page: 'the answer time: 0 to 30 days', number: 30, is: 'up to', isSo: (answerDays) => preferences({ answerDays }) },
  { page: 'the owner chose 0 to 30', number: 0, is: 'from', isSo: (waitingDays) => preferences({ waitingDays }) },
  { page: 'the owner chose 0 to 30', number: 30, is: 'up to', isSo: (waitingDays) => preferences({ waitingDays }) },
  { page: 'on a journey: at most 180 days ahead', number: 180, is: 'up to', isSo: awayFor },
  {
    page: '{ months } (1 to 1,200) are calendar months',
    number: 1,
    is: 'from',
    isSo: (months) => deliverOn.safeParse({ months }).success,
  },
  {
    page: '{ months } (1 to 1,200) are calendar months',
    number: 1200,
    is: 'up to',
    isSo: (months) => deliverOn.safeParse({ months }).success,
  },
];

/* After letters have left */

/** A release of day 91 of which one of two letters has left. */
function delivering() {
  const life = lifeOf({}, { readyLetters: ['nell', 'kit'] });
  life.until(91);
  life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
  return life;
}
const link = { expiresAtMs: 30 * dayMs, beganHealthyMs: 0 };
/** A letter whose link has lived for so many healthy days. */
const linkOf = (days: number, remindersSent: number) =>
  reminderDue(
    { status: 'accepted', isOpened: false, ...link, remindersSent },
    { atMs: days * dayMs, healthyMs: days * dayMs },
  );
/** Waiting times of a letter after each of its first temporary refusals. */
function waitsBetweenTries(): number[] {
  const facts = { policy: 'patient', outcome: 'temporary', attemptsInVain: 0, refusals: 0, hasWitness: true } as const;
  return Array.from({ length: 20 }, (_, index) => {
    const next = stepAfterAttempt({ ...facts, attempts: index + 1, firstDueMs: 0, nowMs: 0 });
    return next.status === 'pending' ? next.nextAttemptMs : 0;
  });
}
const people = ['ada', 'ben'].map((id) => ({ id, email: `${id}@post.example`, countsFromMs: 0 }));
const address = 'nell@new.example';
const facts = {
  ...{ isUnderWay: true, isFrozen: false, isClockBehind: false, contacts: people, contactId: 'ada' },
  ...{ toReview: [], hasOperator: true, ownerEmail: 'sam@own.example' },
};
function proposal(status: 'proposed' | 'waiting', days: number, asksSent: number) {
  const isAlone = status === 'waiting';
  const here = { ...facts, contacts: isAlone ? people.slice(0, 1) : people };
  const proposed = { contactId: 'ada', address, status };
  const letter = {
    ...{ isVisible: true, status: 'bounced' as const, refusedAtMs: 0, refusedBy: [] },
    proposal: proposed,
  };
  const remainingMs = Math.max(0, (waitDaysOf(here, proposed) ?? Number.POSITIVE_INFINITY) - days) * dayMs;
  const waited = { hasBegun: true, waitedMs: days * dayMs, remainingMs, asksSent };
  return waitedProposal(here, letter, { waited, now: days * dayMs });
}

const delivery: Boundary[] = [
  {
    page: 'After 30 healthy days without another sign-in, everything continues.',
    number: 30,
    is: 'from',
    isSo: (days) => {
      const life = delivering();
      life.does({ kind: 'letter_ended', letterId: 'nell', outcome: 'accepted' });
      life.does({ kind: 'signed_in' });
      return hasBy(life, 91 + days, /question_ended/);
    },
  },
  {
    page: 'Letters that are not known to have left wait for 3 days after a notice to the owner.',
    number: 3,
    is: 'from',
    isSo: (days) => {
      const life = delivering();
      life.does({ kind: 'begin_anew' });
      return hasBy(life, 91 + days, /letters_let_go/);
    },
  },
  {
    page: 'The letter goes after the first healthy hour (in minutes).',
    number: 60,
    is: 'from',
    isSo: (minutes) => {
      const life = lifeOf({}, { waitingLetters: [{ id: 'kit', state: 'later', dueAtMs: 10 * dayMs }] });
      life.until(9);
      life.outage(2);
      life.change({ stops: { ...life.world.stops, outageEndedMs: 11 * dayMs } });
      life.until(11 + minutes / 1440);
      return life.lines(/letters_due/).length === 1;
    },
  },
  {
    page: 'Its day begins at 08:00 in London.',
    number: 8,
    is: 'from',
    isSo: (hour) => Date.UTC(2031, 0, 4, hour) >= (ownDayAt('2031-01-04', Date.UTC(2030, 0, 1)) ?? Infinity),
  },
  { page: 'the link is sent again on day 7', number: 7, is: 'from', isSo: (days) => linkOf(days, 0) === 1 },
  { page: 'the link is sent again on day 23', number: 23, is: 'from', isSo: (days) => linkOf(days, 1) === 2 },
  {
    page: 'The link lives 30 healthy days from acceptance.',
    number: 30,
    is: 'from',
    isSo: (days) => !isReadable({ status: 'accepted', ...link }, { atMs: days * dayMs, healthyMs: days * dayMs }),
  },
  {
    page: 'it is retried 1 min to 6 h apart (in minutes)',
    number: 1,
    is: 'from',
    isSo: (minutes) => Math.min(...waitsBetweenTries()) <= minutes * minuteMs,
  },
  {
    page: 'it is retried 1 min to 6 h apart (in hours)',
    number: 6,
    is: 'up to',
    isSo: (hours) => Math.max(...waitsBetweenTries()) >= hours * hourMs,
  },
  {
    page: 'If there is one contact, the letter waits 7 healthy days.',
    number: 7,
    is: 'from',
    isSo: (days) => proposal('waiting', days, 0) === 'send',
  },
  {
    page: 'they are asked three times',
    number: 3,
    is: 'up to',
    isSo: (asks) => {
      let sent = 1;
      while (proposal('proposed', 30, sent) === 'ask_again') sent += 1;
      return asks <= sent;
    },
  },
  {
    page: 'ten days apart',
    number: 10,
    is: 'from',
    isSo: (days) => proposal('proposed', days, 1) === 'ask_again',
  },
  {
    page: 'the letter goes after 30 healthy days without a no',
    number: 30,
    is: 'from',
    isSo: (days) => proposal('proposed', days, 3) === 'send',
  },
];

/* Health, texts and the breaker */

const health = { healthyMs: 0, lastBeatAtMs: 0, highestSeenMs: 0, mailTroubledSinceMs: null };

const service: Boundary[] = [
  {
    page: 'Healthy time excludes a gap of over 15 minutes between heartbeats.',
    number: 15,
    is: 'up to',
    isSo: (minutes) =>
      nextHealth(health, { wallMs: minutes * minuteMs, mailTroubledSinceMs: null, jumpMs: 0 }).healthyMs > 0,
  },
  {
    page: '24 h in which mail was due and our own mail server accepted none',
    number: 24,
    is: 'from',
    isSo: (hours) => {
      const before = { ...health, healthyMs: hours * hourMs, lastBeatAtMs: hours * hourMs - minuteMs };
      return nextHealth(before, { wallMs: hours * hourMs, mailTroubledSinceMs: 0, jumpMs: 0 }).healthyMs < 2 * minuteMs;
    },
  },
  {
    page: 'more than max(10, 2 %) of different owners (of 100 owners)',
    number: 10,
    is: 'up to',
    isSo: (owners) => owners <= breakerLimit(100),
  },
  {
    page: 'more than max(10, 2 %) of different owners (of 1,000 owners)',
    number: 20,
    is: 'up to',
    isSo: (owners) => owners <= breakerLimit(1000),
  },
  {
    page: 'A text "YES" counts within 7 days of our text.',
    number: 7,
    is: 'up to',
    isSo: (days) => {
      const one = { userId: 'sam', lastActivityMs: 0, wasText: false, textedAtMs: dayMs, askedAboutAtMs: null };
      return ownerOfReply([one], (1 + days) * dayMs).userId === 'sam';
    },
  },
];

export const furtherBoundaries: readonly Boundary[] = [...choices, ...delivery, ...service];
