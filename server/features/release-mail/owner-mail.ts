import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import { latestAliveCount } from '#server/features/release-core/alive.rules.ts';
import type { EndOfRequest } from '#server/features/release-core/events.rules.ts';
import {
  isUnderReview,
  pausedBy,
  silentSinceMs,
  waitsForReminders,
} from '#server/features/release-core/facts.rules.ts';
import {
  daysOfWait,
  daysToAnswer,
  type Forecast,
  missingOf,
  pauseForecast,
  stoppedDaysLeft,
} from '#server/features/release-core/forecast.rules.ts';
import type { Mark, OwnerTopic, Request } from '#server/features/release-core/model.rules.ts';
import { untexted } from '#server/features/release-core/notice-facts.rules.ts';
import type { Claim } from '#server/features/release-state/command-context.ts';
import type { LoadedWorld } from '#server/features/release-state/release.store.ts';
import type { MailKind } from '#server/mails.ts';
import type { DayAfterSending } from '#server/platform/mail/mail-day.ts';
import { dayMs, firstToLastReminderDays, lastReminderToAskingDays } from '#shared/rules/inactivity.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import {
  type Mail,
  ownerAliveAgainEmail,
  ownerAskedEmail,
  ownerEarlyEmail,
  ownerEndedEmail,
  ownerFewerContactsEmail,
  ownerHoldingEmail,
  ownerPausedEmail,
  ownerReleasingEmail,
  ownerWaitGoesOnEmail,
} from './release.emails.ts';
import { formerPhoneText, noticeText, reminderText } from './release.texts.ts';
import { ownerDelayedEmail } from './release-delayed.emails.ts';
import { ownerSignInEmails } from './release-question.emails.ts';
import { firstReminderEmail, lastReminderEmail } from './release-reminders.emails.ts';
import { ownerLettersWaitEmail } from './release-restored.emails.ts';
import { type Asker, type HaltCounts, ownerHaltedEmail, welcomeBackEmail } from './release-return.emails.ts';
import { outlookOf, type StandingDays, standingLine, standingOf } from './standing.words.ts';

/** Facts for a mail to an owner. */
export type OwnersScene = {
  loaded: LoadedWorld;
  /** The request that it is about, which may just have ended. */
  request: Request | null;
  now: Mark;
  baseUrl: string;
  foreseen: Forecast;
  /** One link serves the mail and the text of a step. */
  checkInUrl: () => string;
  claim?: Claim | undefined;
  /** True if a trustee's press is the news. */
  isPress?: boolean;
  /** Contacts who are notified in the same step. */
  toldIds: readonly string[];
  why?: EndOfRequest | undefined;
  canAnswer: boolean;
  /** The contact whose early request the owner has just stopped. */
  asker?: Asker | null;
};

export type Written = {
  kind: MailKind;
  mail: Mail;
  text: string | null;
  /** The text to a former number, which carries no link that could stop anything. */
  formerText?: string | null;
};

/** Kind of the mail for each topic. */
export const ownerMailKinds: Readonly<Record<OwnerTopic, MailKind>> = {
  first_reminder: 'release.first_reminder',
  last_reminder: 'release.last_reminder',
  asked: 'release.owner_asked',
  early_request: 'release.owner_early',
  new_request: 'release.owner_another',
  another_request: 'release.owner_another',
  fewer_contacts: 'release.owner_fewer_contacts',
  delayed: 'release.owner_delayed',
  paused: 'release.owner_paused',
  alive_again: 'release.owner_alive_again',
  wait: 'release.owner_holding',
  wait_goes_on: 'release.owner_holding_on',
  request_ended: 'release.owner_ended',
  releasing: 'release.owner_releasing',
  letters_wait: 'release.owner_letters_wait',
  welcome_back: 'release.owner_welcome_back',
  sign_in: 'release.owner_question',
  not_owner: 'release.owner_not_owner',
};

/** The mail and the text that tell an owner of something. */
export function writeToOwner(topic: OwnerTopic, scene: OwnersScene): Written {
  const { loaded, checkInUrl, canAnswer } = scene;
  const { owner } = loaded;
  const mail = mailOf(topic, scene);
  const silentDays = silentDaysOf(scene);
  const firstName = owner.firstName ?? '';
  const askedContacts = new Set(scene.request?.asks.map(({ contactId }) => contactId)).size;
  const words = () => ({ firstName, silentDays, checkInUrl: checkInUrl(), canAnswer, askedContacts });
  const isPress = topic === 'early_request' && isPressed(scene);
  const isAlive = scene.request !== null && pausedBy(scene.request)?.says === 'alive';
  const text = provenPhone(owner) !== null ? textOf(topic, words, { isPress, isAlive, why: scene.why }) : null;
  const formerText = untexted.has(topic) ? null : formerPhoneText(scene.baseUrl);
  // A trustee's press has a kind of its own: it does not count as a use of the emergency form.
  return { kind: isPress ? 'release.owner_pressed' : ownerMailKinds[topic], mail, text, formerText };
}

function textOf(
  topic: OwnerTopic,
  words: () => Parameters<typeof noticeText>[0],
  { isPress, isAlive, why }: { isPress: boolean; isAlive: boolean; why: OwnersScene['why'] },
): string | null {
  switch (topic) {
    case 'first_reminder':
      return reminderText(words(), 'first');
    case 'last_reminder':
      return reminderText(words(), 'last');
    case 'another_request':
    case 'welcome_back':
    case 'sign_in':
    case 'not_owner':
      return null;
    case 'early_request':
    case 'new_request':
      return noticeText(words(), isPress ? 'trustee' : 'emergency');
    case 'request_ended':
      return noticeText(words(), why === 'no' ? 'paused' : why === 'alive' ? 'alive' : topic);
    case 'paused':
      return noticeText(words(), isAlive ? 'alive' : topic);
    default:
      return noticeText(words(), topic);
  }
}

/** A mail that is written again knows the cause of its request alone. */
function isPressed({ isPress, request }: OwnersScene): boolean {
  return isPress ?? request?.cause === 'trustee';
}

function silentDaysOf({ loaded, now }: OwnersScene): number {
  return Math.max(0, Math.floor((now.atMs - loaded.owner.lastCheckinAt.getTime()) / dayMs));
}

/** Release as it would happen now, for a mail to the owner. */
export function standingLineOf({ world, contacts }: LoadedWorld, days?: StandingDays) {
  const names = contacts.map(({ name }) => firstNameOf(name));
  return standingLine(standingOf(world, names, days));
}

export function toOwner(scene: OwnersScene, contactIds: readonly string[]) {
  const { loaded, baseUrl } = scene;
  const named = loaded.contacts.filter(({ id }) => contactIds.includes(id));
  return {
    firstName: loaded.owner.firstName ?? '',
    baseUrl,
    lastActivityAt: loaded.owner.lastCheckinAt,
    silentDays: silentDaysOf(scene),
    contactNames: named.map(({ name }) => firstNameOf(name)),
  };
}

function mailOf(topic: OwnerTopic, scene: OwnersScene): Mail {
  const { request } = scene;
  if (topic === 'first_reminder' || topic === 'last_reminder') return reminderMail(topic, scene);
  if (topic === 'welcome_back')
    return welcomeBackEmail({
      ...toOwner(scene, scene.toldIds),
      standing: standingLineOf(scene.loaded),
      asker: scene.asker,
    });
  const asked = request?.asks.map(({ contactId }) => contactId) ?? [];
  const common = { ...toOwner(scene, asked), checkInUrl: scene.checkInUrl() };
  switch (topic) {
    case 'sign_in':
      return ownerSignInEmails.question(common);
    case 'not_owner':
      return ownerSignInEmails.not_owner(common);
    case 'releasing':
      return ownerReleasingEmail(common);
    case 'letters_wait':
      return ownerLettersWaitEmail({ ...common, isReleasing: scene.loaded.world.release !== null });
    default:
      return requestMail(topic, scene, common);
  }
}

type OfRequest = Exclude<
  OwnerTopic,
  'first_reminder' | 'last_reminder' | 'welcome_back' | 'sign_in' | 'not_owner' | 'releasing' | 'letters_wait'
>;

function requestMail(
  topic: OfRequest,
  scene: OwnersScene,
  common: ReturnType<typeof toOwner> & { checkInUrl: string },
): Mail {
  const { loaded, request, now, foreseen, claim, why } = scene;
  const { world } = loaded;
  if (!request) throw new Error(`What is said of a request (${topic}) needs one.`);
  const ownersDays = daysOfWait(world, request, now);
  switch (topic) {
    case 'asked': {
      const days = daysToAnswer(world, request.terms);
      const isSilent = world.owner.method === 'inactivity';
      // A repeated question does not restart the answer time: the letters leave on the same day.
      const daysAfter = request.asks.at(-1)?.isRepeat ? 0 : days;
      const deliverAt = isSilent ? later(foreseen('released') ?? now.atMs + days * dayMs, daysAfter) : null;
      const untoldWaitDays = waitsForReminders(world) ? ownersDays : null;
      return ownerAskedEmail({ ...common, deliverAt, untoldWaitDays });
    }
    case 'early_request':
    case 'new_request':
    case 'another_request': {
      const prospect = { missing: missingOf(world, request), waitingDays: ownersDays };
      const cause = isPressed(scene) ? 'trustee' : 'emergency';
      const quoted = claim && topic === 'early_request' ? { claim } : {};
      return ownerEarlyEmail({ ...common, cause, prospect, ...quoted });
    }
    case 'fewer_contacts':
      return ownerFewerContactsEmail({ ...common, needed: request.terms.needed, left: world.contacts.length });
    case 'delayed':
      return ownerDelayedEmail({ ...common, deliverAt: later(request.toldUntilMs ?? now.atMs, 0) });
    case 'paused':
      return ownerPausedEmail({
        ...common,
        prospect: pauseForecast(world, request, now),
        isAlive: pausedBy(request)?.says === 'alive',
      });
    case 'alive_again':
      return ownerAliveAgainEmail({ ...common, times: latestAliveCount(request) });
    case 'wait':
      return ownerHoldingEmail({
        ...common,
        waitingDays: ownersDays,
        isUnderReview: isUnderReview(world),
        until: later(now.atMs + ownersDays * dayMs, ownersDays),
      });
    case 'wait_goes_on': {
      const until = new Date(foreseen('released') ?? now.atMs + ownersDays * dayMs);
      return ownerWaitGoesOnEmail({ ...common, until, isUnderReview: isUnderReview(world) });
    }
    case 'request_ended':
      return ownerEndedEmail({ ...common, why: why ?? 'no' });
  }
}

/**
 * Announcements of a reminder. If it leaves later than it was written, its days move too, so that the gaps are kept.
 */
function reminderMail(topic: 'first_reminder' | 'last_reminder', scene: OwnersScene): Mail {
  const { loaded, now, foreseen, checkInUrl } = scene;
  const { world, contacts } = loaded;
  const sinceMs = silentSinceMs(world.owner);
  const isFirst = topic === 'first_reminder';
  const hasAsked = world.request?.cause === 'silence';
  const askDays = (isFirst ? firstToLastReminderDays : 0) + lastReminderToAskingDays;
  // The owner who reads this mail was reached, so silence alone waits for nothing more.
  const answerDays = Math.max(world.owner.answerDays, world.silence?.terms.answerDays ?? 0);
  const endOfPeriodMs = sinceMs + world.owner.inactivityDays * dayMs;
  const askMs = foreseen('request_opened') ?? Math.max(endOfPeriodMs, now.atMs + askDays * dayMs);
  const deliverMs = foreseen('released') ?? askMs + answerDays * dayMs;
  const askAt = later(askMs, askDays);
  const isAtOnce = answerDays === 0 && !hasAsked;
  // The answer time runs on beside this reminder, unless an earlier one bounced and stopped it.
  const deliverDays = hasAsked ? (stoppedDaysLeft(world) ?? 0) : answerDays;
  const deliverAt = isAtOnce ? null : later(deliverMs, askDays + deliverDays);
  const contactIds = contacts.map(({ id }) => id);
  const common = {
    ...toOwner(scene, contactIds),
    checkInUrl: checkInUrl(),
    askAt,
    hasAsked,
    outlook: outlookOf(world),
    standing: standingLineOf(loaded, { askAt, deliverAt, hasAsked }),
  };
  if (!isFirst) return lastReminderEmail(common);
  const lastMs = foreseen('last_reminder_written') ?? now.atMs + firstToLastReminderDays * dayMs;
  return firstReminderEmail({ ...common, lastReminderAt: later(lastMs, firstToLastReminderDays) });
}

/** Day that is never before this moment, and at least this many days after the mail left. */
function later(notBeforeMs: number, daysAfterSending: number): DayAfterSending {
  return { notBeforeMs, daysAfterSending };
}

/** Mail to an owner who came back after letters had left, or while the first were being sent. */
export function haltedMail(scene: OwnersScene, counts: HaltCounts): Written {
  return {
    kind: 'release.owner_halted',
    mail: ownerHaltedEmail({ ...toOwner(scene, []), counts, asker: scene.asker }),
    text: null,
  };
}
