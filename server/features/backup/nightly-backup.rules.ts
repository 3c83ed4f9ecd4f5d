/* Rules of automatic backups: times, names, and the days they are kept. */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The hour (UTC) at which each night's is due. */
const nightHourMs = 3 * hourMs;
/** Delay after a failed or interrupted backup. */
const retryMs = hourMs;
/** One failure may be a moment's; a second try comes first. */
export const troubledAfterMs = retryMs + 10 * 60_000;

/** For how many days each one is kept, and for how many months the first of a month. */
export type BackupKeep = { days: number; months: number };

export const keepDefault: BackupKeep = { days: 14, months: 0 };

const keepForm = /^(\d{1,4})d(?:,(\d{1,3})m)?$/;

/** `14d`, or `14d,12m`. @throws Error for any other text, and for zero days. */
export function parseBackupKeep(text: string): BackupKeep {
  const [, days, months = '0'] = keepForm.exec(text) ?? [];
  if (days === undefined || Number(days) < 1) throw new Error('No number of days.');
  return { days: Number(days), months: Number(months) };
}

/** The longest that any is kept. */
export function keptDaysMax({ days, months }: BackupKeep): number {
  return Math.max(days, months * 31);
}

type Known = { madeAtMs: number | null; triedAtMs: number | null };

/** True if tonight's backup is missing and the last try was long enough ago. */
export function isBackupDue({ madeAtMs, triedAtMs }: Known, nowMs: number): boolean {
  const nightMs = Math.floor((nowMs - nightHourMs) / dayMs) * dayMs + nightHourMs;
  const isMade = madeAtMs !== null && madeAtMs >= nightMs && madeAtMs <= nowMs;
  const isJustTried = triedAtMs !== null && nowMs >= triedAtMs && nowMs - triedAtMs < retryMs;
  return !isMade && !isJustTried;
}

/** Interval of reading one back: four weeks, so that it falls on the same day of the week. */
const practiceEveryMs = 28 * dayMs;

export function isPracticeDue(practisedAtMs: number | null, nowMs: number): boolean {
  return practisedAtMs === null || nowMs - practisedAtMs >= practiceEveryMs || practisedAtMs > nowMs;
}
