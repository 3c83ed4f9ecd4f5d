import { describe, expect, it } from 'vitest';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { dayMs, silenceSchedule } from '#shared/rules/inactivity.ts';
import { calendarTicks } from './calendar-ticks.ts';
import { buildTimeline, peopleX } from './timeline-marks.ts';

const lastActivityMs = Date.parse('2026-11-20T10:00:00.000Z');
const at = (day: number) => new Date(lastActivityMs + day * dayMs).toISOString();

function lineOf(inactivityDays: number, today: number, changes: Partial<ReleaseOverview> = {}, heardOn?: string[]) {
  const schedule = silenceSchedule({ inactivityDays, releaseMethod: 'inactivity', answerDays: 7 });
  const days = [
    ['last_activity', 0],
    ['next_checkin', 30],
    ['first_reminder', schedule.firstReminderDay],
    ['last_reminder', schedule.lastReminderDay],
    ['contacts_asked', schedule.contactsAskedDay],
    ['automatic_delivery', schedule.automaticDeliveryDay ?? 0],
  ] as const;
  return buildTimeline({
    timeline: days.map(([what, day]) => ({ what, at: at(day), isPast: day <= today })),
    lastActivityAt: at(0),
    contactNames: ['Priya', 'Tom'],
    readyLetters: 3,
    laterLetters: 0,
    releaseMethod: 'inactivity',
    nowMs: lastActivityMs + today * dayMs,
    isTexted: true,
    heardOn,
    ...changes,
  });
}

const titlesOf = (line: ReturnType<typeof lineOf>) => line.marks.map(({ title }) => title);

describe('The line of time', () => {
  it.each([90, 180, 365])('is to scale for a period of %i days, behind today and ahead of it', (inactivityDays) => {
    const today = 4;
    const { marks, nowX, heard, endX } = lineOf(inactivityDays, today, {}, ['2026-06-01', '2026-11-20']);
    const lastDay = inactivityDays + 7;
    const ahead = (day: number) => nowX + ((day - today) / (lastDay - today)) * (endX - nowX);
    expect(marks.map(({ x }) => x.toFixed(3))).toEqual(
      [4, 30, Math.ceil(inactivityDays / 2), inactivityDays - 10, inactivityDays, lastDay].map((day) =>
        ahead(day).toFixed(3),
      ),
    );
    const [june = 0, november = 0] = heard ?? [];
    expect(june / nowX).toBeCloseTo(1 - 176 / 183, 1);
    expect(november / nowX).toBeCloseTo(1 - 4 / 183, 1);
  });

  it('lets no two words stand on one another, and those about the people asked where the people hang', () => {
    const { marks, isJoined } = lineOf(365, 4, {}, []);
    const columns = marks.map(({ columnX }) => columnX);
    expect(columns).toEqual(columns.toSorted((one, other) => one - other));
    expect(columns.slice(1).every((x, index) => x - (columns[index] ?? 0) > 7)).toBe(true);
    expect(marks.find(({ what }) => what === 'contacts_asked')?.columnX).toBe(peopleX);
    expect(isJoined).toBe(true);
    expect(lineOf(90, 92, {}, []).isJoined, 'once they have been asked').toBe(false);
  });

  it('says what would happen, as people say it', () => {
    const { marks } = lineOf(180, 4);
    expect(marks.map(({ title, date, note }) => [title, date, note])).toEqual([
      ['Today', '24 November', 'Last check-in 4 days ago'],
      ['Next check-in', '20 December', 'By email'],
      ['First reminder', '18 February', 'By email and text'],
      ['Last reminder', '9 May', undefined],
      ['We ask Priya and Tom', '19 May', 'Either can stop it'],
      ['3 letters go', '26 May 2027', undefined],
    ]);
  });

  it('tells of the last check-in and of today apart once they are far apart', () => {
    expect(titlesOf(lineOf(90, 60))).toEqual([
      'Last check-in',
      'Check-in was due',
      'First reminder sent',
      'Today',
      'Last reminder',
      'We ask Priya and Tom',
      '3 letters go',
    ]);
  });

  it('shows the day until which its owner is away, from which the days count', () => {
    const timeline = [
      { what: 'last_activity', at: at(0), isPast: true },
      { what: 'away_until', at: at(60), isPast: false },
      { what: 'first_reminder', at: at(105), isPast: false },
    ] satisfies ReleaseOverview['timeline'];
    const { marks } = lineOf(90, 4, { timeline });
    expect(marks.map(({ title, date, note }) => [title, date, note])).toEqual([
      ['Today', '24 November', 'Last check-in 4 days ago'],
      ['Away until', '19 January', 'We count from here'],
      ['First reminder', '5 March 2027', 'By email and text'],
    ]);
  });

  it.each([
    [{ readyLetters: 1, laterLetters: 0 }, '1 letter goes', undefined],
    [{ readyLetters: 4, laterLetters: 3 }, '1 letter goes', '3 wait for their own days'],
    [{ readyLetters: 3, laterLetters: 1 }, '2 letters go', '1 waits for its own day'],
    [{ readyLetters: 1, laterLetters: 1 }, 'Nothing goes yet', '1 letter waits for its own day'],
  ])('counts on the day of the release what goes on it: %j', (letters, title, note) => {
    expect(lineOf(90, 4, letters).marks.at(-1)).toMatchObject({ title });
    expect(lineOf(90, 4, letters).marks.at(-1)?.note).toBe(note);
  });

  it('promises no text without a number, and no contact without one', () => {
    const { marks } = lineOf(90, 4, { contactNames: [], readyLetters: 0 });
    expect(marks.at(-2)).toMatchObject({ title: 'We ask your contacts', note: 'Nobody to ask yet' });
    expect(marks.at(-1)?.title).toBe('Nothing to deliver yet');
    const withoutPhone = buildTimeline({
      timeline: [{ what: 'first_reminder', at: at(45), isPast: false }],
      lastActivityAt: at(0),
      contactNames: [],
      readyLetters: 0,
      laterLetters: 0,
      releaseMethod: 'inactivity',
      nowMs: lastActivityMs,
      isTexted: false,
    });
    expect(withoutPhone.marks.at(-1)?.note).toBe('By email');
  });

  it('counts contacts whose names would not fit', () => {
    const names = ['Bartholomew', 'Maximiliana', 'Wilhelmina'];
    expect(lineOf(90, 4, { contactNames: names }).marks.at(-2)?.title).toBe('We ask 3 contacts');
  });
});

describe('The months above the line', () => {
  const range = {
    startMs: Date.parse('2026-11-20T00:00:00Z'),
    endMs: Date.parse('2027-02-25T00:00:00Z'),
    widthPx: 840,
  };

  it('begin on their first day, and have their names', () => {
    const months = calendarTicks(range);
    expect(months.map(({ label }) => label)).toEqual(['December', 'January', 'February']);
    expect(months[0]?.ms).toBe(Date.parse('2026-12-01T00:00:00Z'));
  });

  it('have short names where a year is drawn, and none where the line ends', () => {
    const months = calendarTicks({ ...range, endMs: range.startMs + 379 * dayMs });
    expect(months.slice(0, 3).map(({ label }) => label)).toEqual(['Dec', 'Jan', 'Feb']);
    expect(months.at(-1)?.label).toBe('');
  });
});
