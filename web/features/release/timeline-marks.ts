import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { dayMs, heardOnDays } from '#shared/rules/inactivity.ts';
import { counted, dayAndMonth, daysAgo, daysSince, isoDay, longDate } from '#web/lib/format.ts';
import { calendarTicks, type MonthTick } from './calendar-ticks.ts';
import { joinedNames, shortNames } from './names.ts';
import { placeColumns } from './timeline-columns.rules.ts';

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
  /** Each with the place at which its words begin, 0 to 100. */
  marks: (TimelineMark & { columnX: number })[];
  /** End of the drawn line, and its past share: 0 to 100. */
  endX: number;
  nowX: number;
  /** The months behind today, and those ahead. */
  pastMonths: MonthTick[];
  months: MonthTick[];
  /** Days on which the owner was active; null if the line does not show the past. */
  heard: number[] | null;
  /** True if the people who would be asked can hang on the line: they still would be. */
  isJoined: boolean;
};

type TimelineFacts = Pick<
  ReleaseOverview,
  'timeline' | 'lastActivityAt' | 'contactNames' | 'readyLetters' | 'laterLetters' | 'releaseMethod'
> & {
  nowMs: number;
  /** True if reminders also go out as texts. */
  isTexted: boolean;
  /** Days on which we heard from its owner, for a line that shows them. */
  heardOn?: readonly string[] | undefined;
};

/** Positions on the line: today, its end, and the start of the words about the contacts. */
const todayX = 22;
const lineEndX = 98;
export const peopleX = 68;
/** Width of the line at the narrowest page on which it is drawn across. */
const narrowestLinePx = 840;
const namesLengthMax = 22;

/** Everything the line of time shows, with its places. */
export function buildTimeline(facts: TimelineFacts): Timeline {
  const { nowMs, heardOn } = facts;
  const isLived = heardOn !== undefined && !facts.timeline.some(({ what, isPast }) => isPast && !isPresence(what));
  const entries = [
    ...facts.timeline
      .filter(({ what, isPast }) => !(isLived && isPast && isPresence(what)))
      .map(({ what, at, isPast }) => ({ what: what as What, ms: Date.parse(at), isPast })),
    { what: 'now' as const, ms: nowMs, isPast: false },
  ].sort((a, b) => a.ms - b.ms || order(a.what) - order(b.what));
  const scale = scaleOf(entries, isLived, facts);
  const isMerged = isLived || scale.xOf(nowMs) - scale.xOf(Date.parse(facts.lastActivityAt)) < mergedX;
  const marks = entries
    .filter(({ what }) => what !== 'last_activity' || !isMerged)
    .map((entry, index, all) => {
      const isLast = index === all.length - 1;
      return markOf({ ...entry, x: scale.xOf(entry.ms), isMerged, isLast }, facts);
    });
  const asked = marks.findIndex(({ what, isPast }) => what === 'contacts_asked' && !isPast);
  const columns = placeColumns(
    marks.map(({ x, ...words }) => ({ x, width: textWidth(words) })),
    { startX: isLived ? todayX : 0, fixed: asked === -1 ? null : { index: asked, x: peopleX } },
  );
  return {
    marks: marks.map((mark, index) => ({ ...mark, columnX: columns[index] ?? mark.x })),
    endX: lineEndX,
    nowX: scale.xOf(nowMs),
    ...monthsOf(scale, isLived ? nowMs : scale.startMs),
    heard: isLived ? heardOn.map((day) => scale.xOf(noonOf(day))) : null,
    isJoined: asked !== -1,
  };
}

/** Below this distance the last check-in and today would be drawn on one another: today tells of both. */
const mergedX = 12;

function isPresence(what: What): boolean {
  return what === 'last_activity' || what === 'next_checkin';
}

type Scale = { startMs: number; endMs: number; xOf: (ms: number) => number };

/** To scale on each side of today: half a year behind it in the first part, all that may come in the rest. */
function scaleOf(
  entries: readonly { ms: number }[],
  isLived: boolean,
  { nowMs, lastActivityAt }: TimelineFacts,
): Scale {
  const endMs = Math.max(nowMs + dayMs, ...entries.map(({ ms }) => ms));
  const startMs = isLived
    ? nowMs - heardOnDays * dayMs
    : Math.min(Date.parse(lastActivityAt), ...entries.map(({ ms }) => ms));
  const [turnMs, turnX] = isLived ? [nowMs, todayX] : [startMs, 1];
  const xOf = (ms: number) =>
    ms < turnMs
      ? Math.max(0, turnX - ((turnMs - ms) / (turnMs - startMs)) * turnX)
      : turnX + ((ms - turnMs) / (endMs - turnMs)) * (lineEndX - turnX);
  return { startMs, endMs, xOf };
}

function monthsOf({ startMs, endMs, xOf }: Scale, fromMs: number): Pick<Timeline, 'pastMonths' | 'months'> {
  const ticks = (from: number, to: number) =>
    calendarTicks({ startMs: from, endMs: to, widthPx: ((xOf(to) - xOf(from)) / 100) * narrowestLinePx }).map(
      ({ ms, label }) => ({ x: xOf(ms), label }),
    );
  return { pastMonths: fromMs > startMs ? ticks(startMs, fromMs) : [], months: ticks(fromMs, endMs) };
}

function noonOf(day: string): number {
  return Date.parse(`${day}T12:00:00Z`);
}

/** Order of two events at one moment. */
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

/** Room that words want, in parts of a hundred of a wide line; on a narrower one they break. */
function textWidth({ title, date, note = '' }: Pick<TimelineMark, 'title' | 'date' | 'note'>): number {
  const widestPx = Math.max(title.length * 8.2, date.length * 7.6, Math.min(note.length, 20) * 7);
  return ((widestPx + 26) / wideLinePx) * 100;
}

const wideLinePx = 1104;

type Entry = { what: What; ms: number; isPast: boolean; x: number; isMerged: boolean; isLast: boolean };

function markOf({ what, ms, isPast, x, isMerged, isLast }: Entry, facts: TimelineFacts): TimelineMark {
  const words = wordsFor(what, isPast, facts);
  const isSilent = daysSince(facts.lastActivityAt, facts.nowMs) > 0;
  const lastCheckin = `Last check-in ${daysAgo(facts.lastActivityAt, facts.nowMs)}`;
  const note = what === 'now' && isMerged && isSilent ? lastCheckin : words.note;
  return {
    what,
    x,
    isPast,
    tone: words.tone,
    title: words.title,
    date: isLast ? longDate(ms) : dayAndMonth(ms),
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
        : { title: 'Next check-in', tone: 'plain', note: 'By email' },
    away_until: () => ({ title: 'Away until', tone: 'plain', note: 'We count from here' }),
    first_reminder: () =>
      isPast
        ? { title: 'First reminder sent', tone: 'warn' }
        : {
            title: 'First reminder',
            tone: 'warn',
            note: facts.isTexted ? 'By email and text' : 'By email',
          },
    last_reminder: () => ({ title: isPast ? 'Last reminder sent' : 'Last reminder', tone: 'warn' }),
    contacts_asked: () => askedWords(isPast, facts),
    automatic_delivery: () => ({ ...deliveryWords(facts), tone: 'end' }),
    paused_until: () => ({ title: 'We ask again', tone: 'warn' }),
    holding_until: () => ({ title: 'Waiting time ends', tone: 'end', note: deliveryWords(facts).title }),
    delivered: () => ({ title: 'Letters delivered', tone: 'end' }),
  };
  return byWhat[what]();
}

function askedWords(isPast: boolean, { contactNames }: TimelineFacts): Words {
  if (contactNames.length === 0) {
    return {
      title: isPast ? 'Contacts asked' : 'We ask your contacts',
      tone: 'warn',
      note: isPast ? 'Nobody could be asked' : 'Nobody to ask yet',
    };
  }
  const who = shortNames(contactNames, namesLengthMax);
  if (isPast) return { title: `${who} asked`, tone: 'warn' };
  const title = `We ask ${who}`;
  const note =
    contactNames.length === 1
      ? `${shortNames(contactNames, namesLengthMax)} can stop it`
      : contactNames.length === 2
        ? 'Either can stop it'
        : 'Any of them can stop it';
  return { title, tone: 'warn', note };
}

/** Letters that leave with the release, and letters that then wait for a day of their own. */
function deliveryWords({ readyLetters, laterLetters }: TimelineFacts): { title: string; note?: string } {
  const goes = readyLetters - laterLetters;
  const go = `${counted(goes, 'letter')} ${goes === 1 ? 'goes' : 'go'}`;
  const wait = laterLetters === 1 ? 'waits for its own day' : 'wait for their own days';
  if (readyLetters === 0) return { title: 'Nothing to deliver yet' };
  if (laterLetters === 0) return { title: go };
  return goes === 0
    ? { title: 'Nothing goes yet', note: `${counted(laterLetters, 'letter')} ${wait}` }
    : { title: go, note: `${laterLetters} ${wait}` };
}

/** `Priya and Tom asked` in full, where there is room for all of them. */
export function askedLabel(contactNames: readonly string[]): string {
  return contactNames.length === 0 ? 'Your trusted contacts asked' : `${joinedNames(contactNames)} asked`;
}
