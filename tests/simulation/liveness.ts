import { dayMs } from '#shared/rules/inactivity.ts';
import type { OwnerNotes } from './notes.ts';
import type { WorldTime } from './time.ts';
import { roundGapsMinutes } from './work.ts';

/** What the database says of an owner: how many letters wait for a release, and since when one waits for the post. */
export type Waiting = { userId: string; ready: number; pendingSince: Date | null };

type Options = {
  owners: readonly OwnerNotes[];
  time: WorldTime;
  /** Since when nothing has been wrong with machines, clock and post, and nothing was stopped. True time. */
  calmSinceMs: () => number;
  answerDaysDefault: number;
  complain: (what: string) => void;
};

/** Between the first reminder and asking lie so many healthy days at least, after whatever went wrong. */
const gapDays = 17;
const pauseDays = 30;
/** A mailbox that refuses everything is tried on three days, for each of three mails, and doubles the last gap. */
const unreachableDays = 10 + 3 * 3;
/** From the first reminder to the letter six steps follow each other, and the simulation looks for each in a round of its own. */
const stepsOfRelease = 6;
/** The 48 hours that are promised, and what the simulation itself takes between its rounds. */
const graceDays = 2 + (stepsOfRelease * Math.max(...roundGapsMinutes)) / (24 * 60);

/**
 * Nobody may wait for ever: where an owner is gone and all is well, their letters are delivered by the end of their
 * period, the answer time and 48 hours; and no later than that after the last trouble and the gaps that follow it.
 */
export function createLiveness({ owners, time, calmSinceMs, answerDaysDefault, complain }: Options) {
  const calmDaysNow = () => (time.trueMs - calmSinceMs()) / dayMs;
  /** A window that trouble fell into may have stood still until it was over, so it is counted from there. */
  const daysSince = (upMs: number) => Math.min((time.upMs - upMs) / dayMs, calmDaysNow());

  /** How many days a release is late; null where none has to come. */
  function lateDays(owner: OwnerNotes): number | null {
    const { settings, activity, plan, contacts } = owner;
    if (settings.releaseMethod !== 'inactivity') return null;
    const release = owner.releases.at(-1);
    if (release && release.moment > activity.moment) return null;
    const isClosed = plan.mailboxClosedDay !== null;
    const answerDays = (settings.releaseAnswerDays ?? answerDaysDefault) * (isClosed ? 2 : 1);
    const extraDays = isClosed ? unreachableDays : 0;

    const silentDays = (time.wallMs() - activity.wallMs) / dayMs;
    const calmDays = calmDaysNow();
    // Whoever becomes a contact in the middle of it has the whole time to answer; whoever leaves gives it to the owner.
    const changes = contacts.flatMap(({ confirmed, left }) => [confirmed, left]);
    const roles = changes.flatMap((change) => (change ? [daysSince(change.upMs)] : []));
    const cancelled = [...owner.cancelled.values()].map(({ upMs }) => daysSince(upMs) - pauseDays);
    const early = owner.lastEarly ? [daysSince(owner.lastEarly.upMs) - pauseDays - gapDays] : [];
    const said = owner.lastSaid ? [daysSince(owner.lastSaid.upMs) - pauseDays] : [];
    const over = [silentDays - settings.inactivityDays, calmDays - gapDays];
    return Math.min(...over, ...roles, ...cancelled, ...early, ...said) - answerDays - extraDays;
  }

  return function watchLiveness(waiting: readonly Waiting[]): void {
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
