import { dayMs } from '#shared/rules/inactivity.ts';

export type MonthTick = { x: number; label: string };
export type CalendarTicks = { weeks: number[]; months: MonthTick[] };

const monthNames = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });
const shortMonthNames = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });
/** Widest name of a month, and of a shortened one, in the small italic of the ruler. */
const monthNamePx = 76;
const shortMonthNamePx = 36;
const ticksMax = 120;

/**
 * The marks below a ruler that runs from one moment to another: each seventh day, and the first of each month with its
 * name. `keepClearX` are the places of stems below the line, through which no name may stand. Places are 0 to 100.
 */
export function calendarTicks(range: {
  startMs: number;
  endMs: number;
  widthPx: number;
  keepClearX: readonly number[];
}): CalendarTicks {
  const { startMs, endMs, widthPx, keepClearX } = range;
  const spanMs = Math.max(1, endMs - startMs);
  const xOf = (ms: number) => ((ms - startMs) / spanMs) * 100;
  const weeks: number[] = [];
  for (let ms = startMs; ms <= endMs && weeks.length < ticksMax; ms += 7 * dayMs) weeks.push(xOf(ms));

  const first = new Date(startMs);
  const monthStart = (index: number) => Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index + 1, 1);
  const starts: number[] = [];
  for (let ms = monthStart(0); ms <= endMs && starts.length < ticksMax; ms = monthStart(starts.length)) starts.push(ms);

  const monthPx = ((30 * dayMs) / spanMs) * widthPx;
  const isShort = monthPx < monthNamePx;
  const nameX = ((isShort ? shortMonthNamePx : monthNamePx) / widthPx) * 100;
  const names = isShort ? shortMonthNames : monthNames;
  const months = starts.map((ms) => {
    const x = xOf(ms);
    const isClear = x + nameX <= 100 && keepClearX.every((stem) => stem < x - 0.5 || stem > x + nameX);
    return { x, label: isClear ? names.format(ms) : '' };
  });
  return { weeks, months };
}
