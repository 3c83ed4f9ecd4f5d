const monthNames = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });
const shortMonthNames = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });
/** Widest name of a month in the small italic of the line. */
const monthNamePx = 76;
const monthMs = 30 * 86_400_000;
const ticksMax = 120;

export type MonthTick = { x: number; label: string };

/** The first of each month between two moments, with its name: the short one where there is no room for the whole. */
export function calendarTicks({ startMs, endMs, widthPx }: { startMs: number; endMs: number; widthPx: number }) {
  const monthPx = (monthMs / Math.max(1, endMs - startMs)) * widthPx;
  const names = monthPx < monthNamePx ? shortMonthNames : monthNames;
  const first = new Date(startMs);
  const monthStart = (index: number) => Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index + 1, 1);
  const ticks: { ms: number; label: string }[] = [];
  for (let ms = monthStart(0); ms <= endMs && ticks.length < ticksMax; ms = monthStart(ticks.length)) {
    // The last one has no room for its name on this side of the end.
    const hasRoom = ((endMs - ms) / Math.max(1, endMs - startMs)) * widthPx > monthPx * 0.6;
    ticks.push({ ms, label: hasRoom ? names.format(ms).replace(/^Sept$/, 'Sep') : '' });
  }
  return ticks;
}
