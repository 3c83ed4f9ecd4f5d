import { dayMs } from '#shared/rules/inactivity.ts';
import { type ContactNote, confirmedContacts, type OwnerNotes } from '#tests/simulation/people/notes.ts';
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
  /** Since when nothing has been wrong with machines, clock and post, and nothing was stopped. True time. */
  calmSinceMs: () => number;
  answerDaysDefault: number;
  /** Whether contacts who would confirm are waited for too, and the service's own time has to go on. */
  watchesClosely: boolean;
  complain: (what: string) => void;
};

/** Between the first reminder and asking lie so many healthy days at least, after whatever went wrong. */
const gapDays = 17;
const pauseDays = 30;
/** A mailbox that refuses everything is tried on three days, for each of three mails, and doubles the last gap. */
const unreachableDays = 10 + 3 * 3;
/**
 * One that refuses for now is tried for 30 days, for each of three mails, and doubles both gaps. Each 31st day is for the
 * rounds of the simulation, which may find out too late that other mail gets through.
 */
const fullDays = gapDays + 3 * (31 + 3);
/** The question to a contact whose mailbox does so keeps the answer time of the others waiting. */
const fullContactDays = 31 + 3;
/** Where people alone decide they are asked every 30 days, and may take so long to answer. */
const peopleDays = 31 + 20;
/** From the first reminder to the letter six steps follow each other, and the simulation looks for each in a round of its own. */
const stepsOfRelease = 6;
/** With no trouble anywhere nothing makes the service's own time stand still for so long. */
const standstillDaysMax = 3;
/** The 48 hours that are promised, and what the simulation itself takes between its rounds. */
const graceDays = 2 + (stepsOfRelease * Math.max(...roundGapsMinutes)) / (24 * 60);

/**
 * Nobody may wait for ever: where an owner is gone and all is well, their letters are delivered by the end of their
 * period, the answer time and 48 hours; and no later than that after the last trouble and the gaps that follow it.
 */
export function createLiveness(options: Options) {
  const { owners, time, calmSinceMs, answerDaysDefault, watchesClosely, complain } = options;
  const beganMs = time.trueMs;
  const calmDaysNow = () => (time.trueMs - calmSinceMs()) / dayMs;
  /** A window that trouble fell into may have stood still until it was over, so it is counted from there. */
  const daysSince = (upMs: number) => Math.min((time.upMs - upMs) / dayMs, calmDaysNow());

  let moved = { healthyMs: 0, upMs: time.upMs };
  /** The service counts no time while it takes all mail to be out. One mailbox that takes nothing is not all mail. */
  function watchTime(healthyMs: number): void {
    if (healthyMs - moved.healthyMs >= dayMs / 2) moved = { healthyMs, upMs: time.upMs };
    const days = daysSince(moved.upMs);
    if (days > standstillDaysMax) complain(`the service has stood still for ${days.toFixed(1)} days, and all is well`);
  }

  /** How many days a release is late; null where none has to come. */
  function lateDays(owner: OwnerNotes): number | null {
    const release = owner.releases.at(-1);
    if (release && release.moment > owner.activity.moment) return null;
    if (owner.settings.releaseMethod === 'inactivity') return lateDaysOfSilence(owner);
    return watchesClosely ? lateDaysOfPeople(owner) : null;
  }

  function reachDays({ plan }: OwnerNotes): number {
    return (plan.mailboxFullDay === null ? 0 : fullDays) + (plan.mailboxClosedDay === null ? 0 : unreachableDays);
  }

  /** For how many days the mailbox of a contact has taken mail; for ever where it always has. */
  function wellDaysOf({ mailbox }: ContactNote): number {
    const day = (time.trueMs - beganMs) / dayMs;
    if (!mailbox || day < mailbox.fromDay) return Number.POSITIVE_INFINITY;
    return Math.max(0, day - mailbox.untilDay);
  }

  /** Enough contacts would confirm, nobody has said no, and their mailboxes have worked for so long. */
  function lateDaysOfPeople(owner: OwnerNotes): number | null {
    const { settings, activity, contacts } = owner;
    const people = confirmedContacts(owner);
    const required = Math.max(1, Math.min(settings.releaseQuorum, people.length));
    const wellDays = people
      .filter(({ temper }) => temper === 'confirms')
      .map(wellDaysOf)
      .sort((one, other) => other - one)
      .at(required - 1);
    if (wellDays === undefined || owner.cancelled.size > 0) return null;
    const roles = contacts.flatMap(({ confirmed, left }) => [confirmed, left]);
    const changes = [...roles, owner.lastEarly, owner.lastSaid].flatMap((when) => (when ? [daysSince(when.upMs)] : []));
    const silentDays = (time.wallMs() - activity.wallMs) / dayMs - settings.inactivityDays;
    const over = [silentDays, calmDaysNow(), wellDays, ...changes];
    return Math.min(...over) - gapDays - peopleDays - reachDays(owner);
  }

  function lateDaysOfSilence(owner: OwnerNotes): number {
    const { settings, activity, plan, contacts } = owner;
    const isUnreachable = plan.mailboxClosedDay !== null || plan.mailboxFullDay !== null;
    const answerDays = (settings.releaseAnswerDays ?? answerDaysDefault) * (isUnreachable ? 2 : 1);
    const isAskSlow = contacts.some(({ mailbox }) => mailbox?.answer === 'later');
    const extraDays = reachDays(owner) + (isAskSlow ? fullContactDays : 0);

    const silentDays = (time.wallMs() - activity.wallMs) / dayMs;
    const calmDays = calmDaysNow();
    // Whoever becomes a contact in the middle of it has the whole time to answer; whoever leaves gives it to the owner.
    const changes = contacts.flatMap(({ confirmed, left }) => [confirmed, left]);
    const roles = changes.flatMap((change) => (change ? [daysSince(change.upMs)] : []));
    const cancelled = [...owner.cancelled.values()].map(({ upMs }) => daysSince(upMs) - pauseDays);
    const early = owner.lastEarly ? [daysSince(owner.lastEarly.upMs) - pauseDays - gapDays] : [];
    // A wait for the owner that began before the silence was over is not cut short by its end.
    const heldDays = settings.releaseWaitingDays * (isUnreachable ? 2 : 1);
    const said = owner.lastSaid ? [daysSince(owner.lastSaid.upMs) - Math.max(pauseDays, heldDays)] : [];
    const over = [silentDays - settings.inactivityDays, calmDays - gapDays];
    return Math.min(...over, ...roles, ...cancelled, ...early, ...said) - answerDays - extraDays;
  }

  return function watchLiveness(waiting: readonly Waiting[]): void {
    if (watchesClosely && waiting[0]) watchTime(waiting[0].healthyMs);
    for (const { userId, ready, pendingSince } of waiting) {
      const owner = owners.find((each) => each.userId === userId);
      if (!owner) continue;
      const late = ready > 0 ? lateDays(owner) : null;
      if (late !== null && late > graceDays) {
        complain(`${owner.plan.name} is gone, and after ${late.toFixed(1)} days too many nothing is released`);
      }
      const calmDays = calmDaysNow();
      const pendingDays = pendingSince ? (time.wallMs() - pendingSince.getTime()) / dayMs : 0;
      if (Math.min(calmDays, pendingDays) > graceDays) complain(`a letter of ${owner.plan.name} waits for nothing`);
    }
  };
}
