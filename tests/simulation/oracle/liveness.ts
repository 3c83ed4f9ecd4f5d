import { type ContactNote, confirmedContacts, type OwnerNotes } from '#tests/simulation/people/notes.ts';
import type { Handed } from '#tests/simulation/people/post.ts';
import type { WorldTime } from '#tests/simulation/time.ts';
import { roundGapsMinutes } from '#tests/simulation/work.ts';

/**
 * What the database says of an owner: how many letters wait for a release, and since when one waits for the post; and how
 * much healthy time the service has counted.
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
/** Where no channel took a reminder, silence alone waits so much longer: a change of job is not a death. */
const unreachedDays = 90;
/** A closed mailbox is tried on three days, for each of three mails. */
const closedDays = unreachedDays + 3 * 3;
/**
 * One that is full is tried for 30 days; the last reminder and the end of the period are that much later. Each 31st day is for
 * the rounds of the simulation, which may find out too late that other mail gets through.
 */
const fullDays = unreachedDays + 2 * (31 + 3);
/** With nobody to ask, the time to answer begins when the owner's own notice has been tried as long. */
const fullNoticeDays = 31 + 3;
/** A question that is still refused holds up the answer time of the others for so long. */
const refusedQuestionDays = 7 + 1;
/** Nobody is asked twice a day. */
const askedTodayDays = 1;
/** Where people alone decide they are asked every 30 days, and may take so long to answer. */
const peopleDays = 31 + 20;
/** A yes waits so long where the owner could not be told. */
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
/** Letters stand still for so long after a sign-in that nobody explains. */
const questionDays = 30;

/**
 * Nobody may wait for ever: where an owner is gone and all is well, their letters are delivered by the end of their
 * period, the answer time and 48 hours; and no later than that after the last trouble and the gaps that follow it.
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

  /** How much longer it takes where the owner's mailbox takes nothing. A text reaches them all the same. */
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

  /** When something of theirs last changed that begins gaps or the time to answer again. */
  function changesOf({ contacts, lastEarly, said, troubled, plan }: OwnerNotes): number[] {
    const roles = contacts.flatMap(({ confirmed, left }) => [confirmed, left]);
    const deeds = said.flatMap(({ when, voided }) => [when, voided]);
    const changes = [...roles, ...deeds, lastEarly, troubled].flatMap((when) => (when ? [daysSince(when.upMs)] : []));
    const { refusal } = plan;
    // What is refused by policy is tried once a day, and the gaps between the reminders begin with what arrives.
    return refusal && dayNow() >= refusal.untilDay ? [...changes, dayNow() - refusal.untilDay - 1 - gapDays] : changes;
  }

  const silentDaysOf = ({ settings, activity, awayUntilMs }: OwnerNotes) =>
    // A day of a journey is written down an hour early in winter.
    (time.wallMs() - Math.max(activity.wallMs, (awayUntilMs ?? 0) + dayMs / 24)) / dayMs - settings.inactivityDays;

  /** Enough contacts would confirm, nobody has said no, and their mailboxes have worked for so long. */
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
    // A wait for the owner that was told before the silence was over is not cut short by its end.
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
      const days = Math.min(calmDaysNow(), pendingDays, troubledDays);
      if (isHeld || isAsked || days <= graceDays) continue;
      if (days > graceDays + (isReaderGone(owner) ? closedLetterDays : 0))
        complain(`a letter of ${owner.plan.name} waits for nothing`);
    }
  };
}
