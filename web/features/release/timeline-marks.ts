import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { counted, dayAndMonth, daysAgo, isoDay, longDate } from '#web/lib/format.ts';
import { type CalendarTicks, calendarTicks } from './calendar-ticks.ts';
import { joinedNames, shortNames } from './names.ts';
import { type LabelLayout, narrowestLinePx, type Placement, placeLabels } from './timeline-layout.rules.ts';

type What = ReleaseOverview['timeline'][number]['what'] | 'now';

export type TimelineMark = {
  what: What;
  /** Place along the line, 0 to 100. */
  x: number;
  tone: 'plain' | 'past' | 'now' | 'warn' | 'end';
  title: string;
  date: string;
  isoDate: string;
  note?: string;
  isPast: boolean;
};

export type Timeline = {
  marks: (TimelineMark & { placement: Placement })[];
  /** Share of the line that has been lived, 0 to 100. */
  nowX: number;
  ticks: CalendarTicks;
  extraTopPx: number;
  extraBottomPx: number;
};

type TimelineFacts = Pick<
  ReleaseOverview,
  'timeline' | 'lastActivityAt' | 'contactNames' | 'readyMessages' | 'releaseMethod'
> & {
  nowMs: number;
  /** Whether reminders also go out as texts. */
  isTexted: boolean;
};

/** Below this share of the line, the last check-in and today would be drawn on one another: today tells of both. */
const mergedShare = 0.12;
/** Free line after the last dot, as a share of the whole. */
const tailShare = 0.016;
const namesLengthMax = 22;

/** Everything the line of time shows, with its places. */
export function buildTimeline(facts: TimelineFacts): Timeline {
  const { nowMs } = facts;
  const entries = [
    ...facts.timeline.map(({ what, at, isPast }) => ({ what: what as What, ms: Date.parse(at), isPast })),
    { what: 'now' as const, ms: nowMs, isPast: false },
  ].sort((a, b) => a.ms - b.ms || order(a.what) - order(b.what));
  const startMs = Math.min(Date.parse(facts.lastActivityAt), ...entries.map(({ ms }) => ms));
  const lastMs = Math.max(...entries.map(({ ms }) => ms));
  const endMs = lastMs + Math.max(1, lastMs - startMs) * tailShare;
  const xOf = (ms: number) => ((ms - startMs) / (endMs - startMs)) * 100;

  const isMerged = nowMs - Date.parse(facts.lastActivityAt) < (endMs - startMs) * mergedShare;
  const marks = entries
    .filter(({ what }) => what !== 'last_activity' || !isMerged)
    .map(({ what, ms, isPast }) => markOf({ what, ms, isPast, x: xOf(ms), isMerged }, facts));
  const layout: LabelLayout = placeLabels(
    marks.map(({ x, title, date, note }) => ({ x, ...textSize(title, date, note) })),
  );
  const placed = marks.flatMap((mark, index) => {
    const placement = layout.placements[index];
    return placement ? [{ ...mark, placement }] : [];
  });
  const keepClearX = placed.filter(({ placement }) => placement.side === 'down').map(({ x }) => x);
  return {
    marks: placed,
    nowX: xOf(nowMs),
    ticks: calendarTicks({ startMs, endMs, widthPx: narrowestLinePx, keepClearX }),
    extraTopPx: layout.extraTopPx,
    extraBottomPx: layout.extraBottomPx,
  };
}

/** Two things at one moment are told in the order in which they happen. */
function order(what: What): number {
  return [
    'last_activity',
    'away_until',
    'first_reminder',
    'last_reminder',
    'contacts_asked',
    'now',
    'automatic_delivery',
  ].indexOf(what);
}

/** A label's size, on the generous side: the real one depends on fonts that may not have come yet. */
function textSize(title: string, date: string, note = ''): { widthPx: number; lines: number } {
  const widest = Math.max(title.length * 8.7, date.length * 8, note.length * 7.3);
  return { widthPx: Math.ceil(widest) + 14, lines: note === '' ? 2 : 3 };
}

type Entry = { what: What; ms: number; isPast: boolean; x: number; isMerged: boolean };

function markOf({ what, ms, isPast, x, isMerged }: Entry, facts: TimelineFacts): TimelineMark {
  const words = wordsFor(what, isPast, facts);
  const lastCheckin = `Last check-in ${daysAgo(facts.lastActivityAt, facts.nowMs)}`;
  const note = what === 'now' && isMerged ? lastCheckin : words.note;
  return {
    what,
    x,
    isPast,
    tone: words.tone,
    title: words.title,
    date: what === 'next_checkin' && !isPast ? `by ${dayAndMonth(ms)}` : longDate(ms),
    isoDate: isoDay(ms),
    ...(note === undefined ? {} : { note }),
  };
}

type Words = { title: string; tone: TimelineMark['tone']; note?: string };

function wordsFor(what: What, isPast: boolean, facts: TimelineFacts): Words {
  const byWhat: Record<What, () => Words> = {
    now: () => ({ title: 'Today', tone: 'now' }),
    last_activity: () => ({ title: 'Last check-in', tone: 'past' }),
    next_checkin: () =>
      isPast
        ? { title: 'Check-in was due', tone: 'past' }
        : { title: 'Next check-in', tone: 'plain', note: 'A short email, one button' },
    away_until: () => ({ title: 'Away until', tone: 'plain', note: 'We count from here' }),
    first_reminder: () =>
      isPast
        ? { title: 'First reminder sent', tone: 'warn' }
        : {
            title: 'First reminder to you',
            tone: 'warn',
            note: facts.isTexted ? 'By email and text' : 'By email',
          },
    last_reminder: () => ({ title: isPast ? 'Last reminder sent' : 'Last reminder to you', tone: 'warn' }),
    contacts_asked: () => askedWords(isPast, facts),
    automatic_delivery: () => ({ title: deliveryTitle(facts.readyMessages), tone: 'end' }),
    paused_until: () => ({ title: 'We ask again', tone: 'warn' }),
    holding_until: () => ({ title: 'Waiting time ends', tone: 'end', note: deliveryTitle(facts.readyMessages) }),
    delivered: () => ({ title: 'Letters delivered', tone: 'end' }),
  };
  return byWhat[what]();
}

function askedWords(isPast: boolean, { contactNames }: TimelineFacts): Words {
  if (contactNames.length === 0) {
    return { title: 'Contacts asked', tone: 'warn', note: isPast ? 'Nobody could be asked' : 'Nobody to ask yet' };
  }
  const title = `${shortNames(contactNames, namesLengthMax)} asked`;
  if (isPast) return { title, tone: 'warn' };
  const note =
    contactNames.length === 1
      ? `${shortNames(contactNames, namesLengthMax)} can stop it`
      : contactNames.length === 2
        ? 'Either can stop it'
        : 'Any of them can stop it';
  return { title, tone: 'warn', note };
}

function deliveryTitle(readyMessages: number): string {
  return readyMessages === 0 ? 'Nothing to deliver yet' : `${counted(readyMessages, 'letter')} delivered`;
}

/** `Priya and Tom asked` in full, where there is room for all of them. */
export function askedLabel(contactNames: readonly string[]): string {
  return contactNames.length === 0 ? 'Your trusted contacts asked' : `${joinedNames(contactNames)} asked`;
}
