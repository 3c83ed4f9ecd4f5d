import {
  dayMs,
  firstToLastReminderDays,
  lastReminderToAskingDays,
  type ReleaseMethod,
} from '#shared/rules/inactivity.ts';

/** A day that a mail names: so many days after it leaves, and never before a moment. */
type DayAfterSending = { notBeforeMs: number; daysAfterSending: number };

/** What a reminder announces. A mail may leave later than it was written, and so does what it announces: the gaps are kept. */
export type ReminderDays = {
  lastReminderAt: DayAfterSending;
  askAt: DayAfterSending;
  /** When a delivery by silence alone could begin at the earliest; null where people alone decide. */
  deliverAt: DayAfterSending | null;
};

type Reminded = {
  /** When each step is due by the period that was chosen. */
  moments: { lastReminderMs: number; askMs: number };
  answerDays: number;
  /** 2 where every window is twice as long, since no mail reaches the owner. */
  windowFactor: number;
  releaseMethod: ReleaseMethod;
  /** When contacts were asked, where that has happened already; silence alone then waits for nothing else. */
  askedMs: number | null;
};

export function reminderDays(which: 'first' | 'last', reminded: Reminded): ReminderDays {
  const { moments, answerDays, windowFactor, releaseMethod, askedMs } = reminded;
  const inDays = (days: number, notBeforeMs: number): DayAfterSending => ({
    notBeforeMs,
    daysAfterSending: days * windowFactor,
  });
  const endOf = (fromMs: number, days: number) => fromMs + days * windowFactor * dayMs;

  const lastToAsking = lastReminderToAskingDays;
  const isFirst = which === 'first';
  const askMs = isFirst ? Math.max(moments.askMs, endOf(moments.lastReminderMs, lastToAsking)) : moments.askMs;
  const askDays = isFirst ? firstToLastReminderDays + lastToAsking : lastToAsking;
  // Contacts who were asked already, behind a last reminder that came too soon: nothing goes before this one's gap is over.
  const deliver =
    askedMs === null
      ? inDays(askDays + answerDays, endOf(askMs, answerDays))
      : inDays(askDays, Math.max(askMs, endOf(askedMs, answerDays)));
  return {
    lastReminderAt: inDays(firstToLastReminderDays, moments.lastReminderMs),
    askAt: inDays(askDays, askMs),
    deliverAt: releaseMethod === 'inactivity' ? deliver : null,
  };
}
