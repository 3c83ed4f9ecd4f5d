/** The arithmetic of silence that the page draws and the release engine obeys. Days are 24 hours each. */

export const releaseMethods = ['inactivity', 'trusted_contact'] as const;
export type ReleaseMethod = (typeof releaseMethods)[number];

export const inactivityDaysMin = 90;
export const inactivityDaysMax = 365;
export const inactivityDaysDefault = 90;
/** The choices the page offers; any whole number between the bounds is accepted. */
export const inactivityDaysOffered = [90, 180, 365] as const;

export const checkinIntervalDaysDefault = 30;

/** Days before the end of the period at which the last reminder goes out. */
export const lastReminderLeadDays = 10;
/** Days that must lie between the accepted first and the last reminder. */
export const firstToLastReminderDays = 7;
/** Days that must lie between the accepted last reminder and asking the contacts. */
export const lastReminderToAskingDays = 10;
/** Days the contacts have to answer before an automatic delivery, unless set otherwise. */
export const answerDaysDefault = 7;
export const answerDaysMin = 0;
export const answerDaysMax = 30;
/** Days in which we try to reach the owner before an early release, unless set otherwise. */
export const waitingDaysDefault = 3;
export const waitingDaysMin = 0;
export const waitingDaysMax = 30;
/** Minimum wait after a yes if the owner was not notified that the silence has ended, or is away. */
export const untoldWaitDays = 14;
/** Furthest day of an absence, in days from now. */
export const awayDaysMax = 180;
/** The line of time shows the days of so many behind today on which we heard from its owner. */
export const heardOnDays = 183;
export const quorumMin = 1;
export const quorumMax = 3;

export const dayMs = 86_400_000;

/** The days of silence at which each step falls due, counted from the last activity. */
export type SilenceSchedule = {
  firstReminderDay: number;
  lastReminderDay: number;
  contactsAskedDay: number;
  /** `null` with method `trusted_contact`, which never delivers by itself. */
  automaticDeliveryDay: number | null;
};

/**
 * The schedule of a period, all in whole days since the last activity.
 * A period of 90 days gives 45, 80, 90 and, with seven days to answer, 97.
 */
export function silenceSchedule(settings: {
  inactivityDays: number;
  releaseMethod: ReleaseMethod;
  answerDays: number;
}): SilenceSchedule {
  const { inactivityDays, releaseMethod, answerDays } = settings;
  return {
    firstReminderDay: Math.ceil(inactivityDays / 2),
    lastReminderDay: inactivityDays - lastReminderLeadDays,
    contactsAskedDay: inactivityDays,
    automaticDeliveryDay: releaseMethod === 'inactivity' ? inactivityDays + answerDays : null,
  };
}
