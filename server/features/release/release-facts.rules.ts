import type { ReleaseState } from '#shared/contract/release.ts';
import {
  dayMs,
  firstToLastReminderDays,
  lastReminderToAskingDays,
  type ReleaseMethod,
  silenceSchedule,
} from '#shared/rules/inactivity.ts';

/** What the release engine knows when it decides: all of it read in one transaction, under the owner's lock. */
export type ReleaseFacts = {
  owner: OwnerFacts;
  /** Stopped by the operator or a restore: reminders go on, nothing reaches contacts or recipients. */
  isInstallationFrozen: boolean;
  /** The breaker has stopped what silence alone would do; what enough contacts have confirmed goes on. */
  isSilenceStopped?: boolean;
  readyMessages: number;
  /** Active and confirmed contacts. */
  contacts: readonly ContactFacts[];
  /** The open cycle; `null` while the owner is being watched. */
  cycle: CycleFacts | null;
};

export type OwnerFacts = {
  lastActivityMs: number;
  inactivityDays: number;
  checkinIntervalDays: number;
  releaseMethod: ReleaseMethod;
  quorum: number;
  waitingDays: number;
  answerDays: number;
  isVerified: boolean;
  isFrozen: boolean;
};

export type ContactFacts = { id: string; confirmedAtMs: number };

/** A moment by the clock and in healthy time. Response windows are measured from the latter. */
export type Mark = { atMs: number; healthyMs: number };

/**
 * A reminder to the owner: written, and then accepted by the mail server or counted as tried. `tries`: how often it had
 * to be written anew because mail as a whole was broken, or because it came too soon after the one before it.
 */
export type ReminderFacts = { sentAtMs: number | null; ended: Mark | null; tries: number };

export type OpenState = Exclude<ReleaseState, 'watching' | 'halted'>;

export type CycleFacts = {
  state: OpenState;
  /** `emergency` and `trustee` are early: the owner has not been silent for the whole period. */
  cause: 'silence' | 'emergency' | 'trustee';
  openedAtMs: number;
  first: ReminderFacts;
  last: ReminderFacts;
  /** When silence last asked the contacts. */
  roundBegan: Mark | null;
  /** When the last asking mail of this round was accepted or had failed. */
  asked: Mark | null;
  /** When the notice that starts the owner's waiting period was accepted. */
  ownerNotice: Mark | null;
  paused: Mark | null;
  /** When somebody last signed in after letters had left, and nobody has said yet whether it was the owner. */
  question: Mark | null;
  /** After which restore (its time) the windows began again, and from where in healthy time. */
  restored: Mark | null;
  /** Days to answer and days of the owner's own, as mails of this cycle have told them; `null` before any did. */
  answerDays: number | null;
  waitingDays: number | null;
  /** How many had to confirm when contacts of this round were asked; `null` before anybody was. */
  neededConfirmations: number | null;
  round: number;
  /** An early round that a contact called off is over: what was said in it, and in those before, counts no more. */
  settledRound: number;
  /**
   * How often the owner was told that a window begins with this very mail: at every hold, and again where mail as a
   * whole was broken.
   */
  noticeTries: number;
  ownerUnreachable: boolean;
  invitations: readonly InvitationFacts[];
};

export type InvitationFacts = {
  contactId: string;
  round: number;
  /** How often they were asked in this round before: they left the role and came back, or asked for a new link. */
  tries: number;
  asking: { outcome: 'pending' } | { outcome: 'reached' | 'failed'; atMs: number };
  isWithdrawn: boolean;
  decision: 'confirmed' | 'cancelled' | null;
  /** The mailbox that answered is held for the operator: its yes to an early release does not count until then. */
  isHeld?: boolean;
};

/** How far the letters had come that were stopped: none had left, some may still arrive, or some had arrived. */
export type Sent = 'nothing' | 'may_arrive' | 'some';

/** Whether what silence, an early request or enough people would do is stopped for everybody. */
export function isStoppedFor(facts: ReleaseFacts, cause: CycleFacts['cause'] | 'people'): boolean {
  return facts.isInstallationFrozen || (cause === 'silence' && facts.isSilenceStopped === true);
}

export const pauseDays = 30;
/** Where people alone decide and not enough of them have, they are asked again after so long. */
export const askAgainDays = 30;
/** A contact who has been confirmed for less than this does not count for an emergency or trustee release. */
export const contactProbationMs = 3 * dayMs;

/** The moments at which each step of silence falls due by the clock. */
export function silenceMoments(owner: OwnerFacts): { firstReminderMs: number; lastReminderMs: number; askMs: number } {
  const schedule = silenceSchedule(owner);
  return {
    firstReminderMs: owner.lastActivityMs + schedule.firstReminderDay * dayMs,
    lastReminderMs: owner.lastActivityMs + schedule.lastReminderDay * dayMs,
    askMs: owner.lastActivityMs + schedule.contactsAskedDay * dayMs,
  };
}

/** When an owner who is being watched is to be looked at next: for a nudge, or the first reminder. */
export function nextWatchAtMs(owner: OwnerFacts, now: number): number {
  const intervalMs = owner.checkinIntervalDays * dayMs;
  const nudges = Math.max(0, Math.floor((now - owner.lastActivityMs) / intervalMs));
  const nextNudgeMs = owner.lastActivityMs + (nudges + 1) * intervalMs;
  return Math.min(silenceMoments(owner).firstReminderMs, nextNudgeMs);
}

/** Days that contacts have to answer. What people were told stays true, whatever somebody sets afterwards. */
export function answerDaysOf({
  owner,
  cycle,
}: {
  owner: Pick<OwnerFacts, 'answerDays'>;
  cycle: Pick<CycleFacts, 'answerDays'> | null;
}): number {
  return Math.max(owner.answerDays, cycle?.answerDays ?? 0);
}

/** Days that an early release waits for its owner, by the same rule. */
export function waitingDaysOf({
  owner,
  cycle,
}: {
  owner: Pick<OwnerFacts, 'waitingDays'>;
  cycle: Pick<CycleFacts, 'waitingDays'> | null;
}): number {
  return Math.max(owner.waitingDays, cycle?.waitingDays ?? 0);
}

/** Healthy milliseconds that are still missing of a window; windows double for an owner who cannot be reached. */
export function remainingMs(window: { from: Mark; days: number; isDoubled: boolean }, healthyMs: number): number {
  const wholeMs = window.days * dayMs * (window.isDoubled ? 2 : 1);
  return Math.max(0, wholeMs - (healthyMs - window.from.healthyMs));
}

/** What silence asks for next: a step that is due, or the earliest moment at which one can be. */
export type SilenceProgress =
  | { due: 'first_reminder' | 'last_reminder' | 'ask' }
  /** `atMs` is `null` while an outcome of the mail is awaited. */
  | { due: null; atMs: number | null };

export function silenceProgress({ owner, cycle }: ReleaseFacts, now: number, healthyMs: number): SilenceProgress {
  const moments = silenceMoments(owner);
  if (!cycle || cycle.first.sentAtMs === null) return dueAt('first_reminder', moments.firstReminderMs, now);

  const isDoubled = cycle.ownerUnreachable;
  if (!cycle.first.ended) return { due: null, atMs: null };
  const isTooEarly = isLastTooEarly(cycle);
  if (cycle.last.sentAtMs === null || isTooEarly) {
    const gap = { from: cycle.first.ended, days: firstToLastReminderDays, isDoubled: isDoubled && !isTooEarly };
    // At most one reminder a day: another last one never leaves hours after the one that came too soon.
    const nextDayMs = isTooEarly && cycle.last.ended ? cycle.last.ended.atMs + dayMs : 0;
    const gapEndsMs = now + remainingMs(gap, healthyMs);
    return dueAt('last_reminder', Math.max(moments.lastReminderMs, gapEndsMs, nextDayMs), now);
  }

  if (!cycle.last.ended) return { due: null, atMs: null };
  const gapMs = remainingMs({ from: cycle.last.ended, days: lastReminderToAskingDays, isDoubled }, healthyMs);
  return dueAt('ask', Math.max(moments.askMs, now + gapMs), now);
}

/**
 * Whether the last reminder waits to be sent although the gap behind the first is not whole any more: mail was in trouble
 * when it was written, and the time that had counted was taken back. The days that it names are wrong.
 */
export function isLastOvertaken({ first, last }: Pick<CycleFacts, 'first' | 'last'>, healthyMs: number): boolean {
  if (!first.ended || last.sentAtMs === null || last.ended) return false;
  return healthyMs - first.ended.healthyMs < firstToLastReminderDays * dayMs;
}

/**
 * Whether the last reminder ended so close behind the first that it does not count and another one must go out. The gap
 * was whole when it was written; where mail turns out to have been in trouble by then, healthy time is taken back.
 */
export function isLastTooEarly({ first, last }: Pick<CycleFacts, 'first' | 'last'>): boolean {
  if (!first.ended || !last.ended) return false;
  return last.ended.healthyMs - first.ended.healthyMs < firstToLastReminderDays * dayMs;
}

function dueAt(due: 'first_reminder' | 'last_reminder' | 'ask', atMs: number, now: number): SilenceProgress {
  return atMs <= now ? { due } : { due: null, atMs };
}

/** Whether the owner was silent for the whole period and got both reminders with their gaps. */
export function isSilenceComplete(facts: ReleaseFacts, now: number, healthyMs: number): boolean {
  return silenceProgress(facts, now, healthyMs).due === 'ask';
}

/**
 * Whether the owner's own days stand before what contacts confirm. They do not where the silence was over when it asked,
 * or took an early request over; once the wait has begun it is never cut short, whatever silence does meanwhile.
 */
export function waitsForOwner(facts: ReleaseFacts & { cycle: CycleFacts }, now: number, healthyMs: number): boolean {
  const { state, cause } = facts.cycle;
  return state === 'holding' || cause !== 'silence' || !isSilenceComplete(facts, now, healthyMs);
}
