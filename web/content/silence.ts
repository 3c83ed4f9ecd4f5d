import {
  answerDaysDefault,
  inactivityDaysDefault,
  inactivityDaysOffered,
  silenceSchedule,
} from '#shared/rules/inactivity.ts';

/** The steps of each period that the page offers, for a vault that delivers by itself, with the usual time to answer. */
export const offeredSchedules = inactivityDaysOffered.map((inactivityDays) => ({
  inactivityDays,
  ...silenceSchedule({ inactivityDays, releaseMethod: 'inactivity', answerDays: answerDaysDefault }),
}));

/** The period that the examples speak of: what a new account starts with. */
export const exampleSchedule = {
  inactivityDays: inactivityDaysDefault,
  ...silenceSchedule({
    inactivityDays: inactivityDaysDefault,
    releaseMethod: 'inactivity',
    answerDays: answerDaysDefault,
  }),
};

/** `90, 180 or 365`. */
export const offeredDaysInRow = `${inactivityDaysOffered.slice(0, -1).join(', ')} or ${inactivityDaysOffered.at(-1)}`;
