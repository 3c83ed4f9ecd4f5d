import { type ContactNote, confirmedContacts, type OwnerNotes } from '#tests/simulation/people/notes.ts';
import type { Handed } from '#tests/simulation/people/post.ts';
import type { WorldTime } from '#tests/simulation/time.ts';
import { roundGapsMinutes } from '#tests/simulation/work.ts';

/**
 * Owner's letters that wait for a release, start of the oldest wait for mail, and healthy time counted by the
 * service.
 */
export type Waiting = { userId: string; ready: number; pendingSince: Date | null; healthyMs: number };

type Options = {
  owners: readonly OwnerNotes[];
  time: WorldTime;
  handed: readonly Handed[];
  /** Since when nothing has been wrong with machines, clock and post, and nothing was stopped. True time. */
  calmSinceMs: () => number;
  answerDaysDefault: number;
  /** True if contacts who would confirm are waited for too, and the service's own time has to go on. */
  watchesClosely: boolean;
  complain: (what: string) => void;
};

const dayMs = 86_400_000;
/** Between the first reminder and asking lie so many healthy days at least, after whatever went wrong. */
const gapDays = 17;
const pauseDays = 30;
/** Additional days of silence if no channel accepted a reminder: a change of job is not a death. */
const unreachedDays = 90;
/** A closed mailbox is tried on three days, for each of three mails. */
const closedDays = unreachedDays + 3 * 3;
/**
 * One that is full is tried for 30 days; the last reminder and the end of the period are that much later. Each 31st day is for
 * the rounds of the simulation, which may find out too late that other mail gets through.
 */
const fullDays = unreachedDays + 2 * (31 + 3);
/** Without contacts to ask, the answer time begins when the owner's own notice has been tried as long. */
const fullNoticeDays = 31 + 3;
/** A question that is still refused holds up the answer time of the others for so long. */
const refusedQuestionDays = 7 + 1;
/** Contacts are asked at most once a day. */
const askedTodayDays = 1;
/** If people alone decide, they are asked every 30 days, and may answer within this time. */
const peopleDays = 31 + 20;
/** Wait after a yes if the owner could not be notified. */
const untoldDays = 14;
/** From the first reminder to the letter six steps follow each other, and the simulation looks for each in a round of its own. */
const stepsOfRelease = 6;
/** With no trouble anywhere nothing makes the service's own time stand still for so long. */
const standstillDaysMax = 3;
/** The 48 hours that are promised, and what the simulation itself takes between its rounds. */
const graceDays = 2 + (stepsOfRelease * Math.max(...roundGapsMinutes)) / (24 * 60);
/**
 * A letter to a mailbox that does not exist is tried for 30 days while its domain takes no other mail of ours. The tries
 * are six hours apart, and in the simulation each waits for the next round: on average for the mean gap at most.
 */
const meanGapMinutes = roundGapsMinutes.reduce((sum, gap) => sum + gap, 0) / roundGapsMinutes.length;
const closedLetterDays = 31 * (1 + meanGapMinutes / (6 * 60));
/** Days that letters are paused after an unexplained sign-in. */
const questionDays = 30;

/**
 * Deadline of delivery. If an owner is gone and all is well, letters are delivered by the end of the period, the
 * answer time and 48 hours. After trouble, the deadline counts from its end and the following gaps.
 */
export function createLiveness(options: Options) {
  const { owners, time, handed, calmSinceMs, answerDaysDefault, watchesClosely, complain } = options;
  const beganMs = time.trueMs;
  const calmDaysNow = () => (time.trueMs - calmSinceMs()) / dayMs;
  /** A window that trouble fell into may have stood still until it was over, so it is counted from there. */
  const daysSince = (upMs: number) => Math.min((time.upMs - upMs) / dayMs, calmDaysNow());

  let moved = { healthyMs: 0, upMs: time.upMs };
  /** The service counts no time while it takes all mail to be out. One mailbox that takes nothing is not all mail. */
  function watchTime(healthyMs: number): void {
    // After a restore there was less of it than before.
    const isLess = healthyMs < moved.healthyMs;
    if (isLess || healthyMs - moved.healthyMs >= dayMs / 2) moved = { healthyMs, upMs: time.upMs };
    const days = daysSince(moved.upMs);
    if (days > standstillDaysMax) complain(`the service has stood still for ${days.toFixed(1)} days, and all is well`);
  }

  /** Number of days a release is late; null if none has to come. */
  function lateDays(owner: OwnerNotes): number | null {
    const release = owner.releases.at(-1);
    const sinces = [owner.activity, owner.restored, owner.undone].map((when) => when?.moment ?? 0);
    const isReleased = release && release.moment > Math.max(...sinces);
    if (isReleased || owner.deleted || owner.frozen || refusesForEver(owner)) return null;
    if (owner.settings.releaseMethod === 'inactivity') return lateDaysOfSilence(owner);
    return watchesClosely ? lateDaysOfPeople(owner) : null;
  }

  const dayNow = () => (time.trueMs - beganMs) / dayMs;

  /** Silence alone releases nothing where a policy refuses every mail to the owner, and then only people can. */
  function refusesForEver({ plan: { refusal, phone } }: OwnerNotes): boolean {
    return refusal !== null && phone === null && dayNow() >= refusal.fromDay && dayNow() < refusal.untilDay;
  }

  /** Additional days if the owner's mailbox accepts nothing. A text still reaches them. */
  function unreachedDaysOf(owner: OwnerNotes): number {
    const { plan } = owner;
    if (plan.phone !== null) return 0;
    const full = fullDays + (confirmedContacts(owner).length === 0 ? fullNoticeDays : 0);
    return Math.max(plan.mailboxFullDay === null ? 0 : full, plan.mailboxClosedDay === null ? 0 : closedDays);
  }

  /** For how many days the mailbox of a contact has taken mail; for ever where it always has. */
  function wellDaysOf({ mailbox }: ContactNote): number {
    if (!mailbox || dayNow() < mailbox.fromDay) return Number.POSITIVE_INFINITY;
    return Math.max(0, dayNow() - mailbox.untilDay);
  }

  /** Times of changes that restart gaps or the answer time. */
  function changesOf({ contacts, lastEarly, said, troubled, plan }: OwnerNotes): number[] {
    const roles = contacts.flatMap(({ confirmed, left }) => [confirmed, left]);
    const deeds = said.flatMap(({ when, voided }) => [when, voided]);
    const changes = [...roles, ...deeds, lastEarly, troubled].flatMap((when) => (when ? [daysSince(when.upMs)] : []));
    const { refusal } = plan;
    // A mail that is refused by policy is tried once a day, and the gaps between reminders start with an acceptance.
    return refusal && dayNow() >= refusal.untilDay ? [...changes, dayNow() - refusal.untilDay - 1 - gapDays] : changes;
  }

  const silentDaysOf = ({ settings, activity, awayUntilMs }: OwnerNotes) =>
    // A day of a journey is written down an hour early in winter.
    (time.wallMs() - Math.max(activity.wallMs, (awayUntilMs ?? 0) + dayMs / 24)) / dayMs - settings.inactivityDays;

  /** Days of delay if enough contacts would confirm, none has said no, and their mailboxes have worked long enough. */
  function lateDaysOfPeople(owner: OwnerNotes): number | null {
    const { settings, said } = owner;
    const people = confirmedContacts(owner);
    const required = Math.max(1, Math.min(settings.releaseQuorum, people.length));
    const wellDays = people
      .filter(({ temper }) => temper === 'confirms')
      .map(wellDaysOf)
      .sort((one, other) => other - one)
      .at(required - 1);
    const doubts = said.some(({ says, voided }) => says === 'no' || voided);
    if (wellDays === undefined || doubts) return null;
    const over = [silentDaysOf(owner), calmDaysNow(), wellDays, ...changesOf(owner)];
    const waits = unreachedDaysOf(owner) > 0 ? Math.max(untoldDays, settings.releaseWaitingDays) : 0;
    return Math.min(...over) - gapDays - peopleDays - unreachedDaysOf(owner) - waits - pauseDays;
  }

  function lateDaysOfSilence(owner: OwnerNotes): number {
    const { settings, contacts, said } = owner;
    const answerDays = settings.releaseAnswerDays ?? answerDaysDefault;
    const isAskSlow = contacts.some(({ mailbox }) => mailbox);
    const extraDays = unreachedDaysOf(owner) + (isAskSlow ? refusedQuestionDays : 0) + askedTodayDays;
    const noes = said.filter(({ says }) => says === 'no').map(({ when }) => daysSince(when.upMs) - pauseDays);
    // The end of the silence does not shorten a wait that was announced before it.
    const waitDays =
      unreachedDaysOf(owner) > 0 ? Math.max(untoldDays, settings.releaseWaitingDays) : settings.releaseWaitingDays;
    const yeses = said.filter(({ says }) => says === 'yes').map(({ when }) => daysSince(when.upMs) - waitDays);
    const over = [silentDaysOf(owner), calmDaysNow() - gapDays];
    const troubled = owner.troubled ? [daysSince(owner.troubled.upMs) - gapDays] : [];
    return Math.min(...over, ...troubled, ...changesOf(owner), ...noes, ...yeses) - answerDays - extraDays;
  }

  const isReaderGone = ({ letters, addresses }: OwnerNotes) =>
    handed.some(
      ({ kind, answer, to }) =>
        kind === 'letter' &&
        answer === 'never' &&
        [...letters.map(({ recipient }) => recipient), ...addresses.map(({ address }) => address)].includes(to),
    );

  return function watchLiveness(waiting: readonly Waiting[]): void {
    if (watchesClosely && waiting[0]) watchTime(waiting[0].healthyMs);
    for (const { userId, ready, pendingSince } of waiting) {
      const owner = owners.find((each) => each.userId === userId);
      if (!owner) continue;
      const late = ready > 0 ? lateDays(owner) : null;
      if (late !== null && late > graceDays) {
        complain(`${owner.plan.name} is gone, and after ${late.toFixed(1)} days too many nothing is released`);
      }
      const isHeld = owner.frozen !== null || owner.deleted !== null;
      const isAsked = owner.question !== null && daysSince(owner.question.upMs) < questionDays + graceDays;
      const troubledDays = owner.troubled ? daysSince(owner.troubled.upMs) : Number.POSITIVE_INFINITY;
      const pendingDays = pendingSince ? (time.wallMs() - pendingSince.getTime()) / dayMs : 0;
      // A pause may fall into the time in which a closed mailbox is tried, and the tries go on after it.
      const resumedDays = owner.question ? daysSince(owner.question.upMs) - questionDays : Number.POSITIVE_INFINITY;
      const days = Math.min(calmDaysNow(), pendingDays, troubledDays, resumedDays);
      if (isHeld || isAsked || days <= graceDays) continue;
      if (days > graceDays + (isReaderGone(owner) ? closedLetterDays : 0))
        complain(`a letter of ${owner.plan.name} waits for nothing`);
    }
  };
}
