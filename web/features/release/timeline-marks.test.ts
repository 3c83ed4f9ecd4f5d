import { describe, expect, it } from 'vitest';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { dayMs, silenceSchedule } from '#shared/rules/inactivity.ts';
import { calendarTicks } from './calendar-ticks.ts';
import { buildTimeline } from './timeline-marks.ts';

const lastActivityMs = Date.parse('2026-11-20T10:00:00.000Z');
const at = (day: number) => new Date(lastActivityMs + day * dayMs).toISOString();

function lineOf(inactivityDays: number, today: number, changes: Partial<ReleaseOverview> = {}) {
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
    readyMessages: 3,
    releaseMethod: 'inactivity',
    nowMs: lastActivityMs + today * dayMs,
    isTexted: true,
    ...changes,
  });
}

const titlesOf = (line: ReturnType<typeof lineOf>) => line.marks.map(({ title }) => title);

describe('The line of time', () => {
  it.each([
    [90, 97],
    [180, 187],
    [365, 372],
  ])('is to scale for a period of %i days, which ends on day %i', (inactivityDays, lastDay) => {
    const { marks, nowX } = lineOf(inactivityDays, 4);
    const xOf = (day: number) => (day / (lastDay * 1.016)) * 100;
    expect(nowX).toBeCloseTo(xOf(4));
    expect(marks.map(({ x }) => Math.round(x * 100))).toEqual(
      [4, 30, Math.ceil(inactivityDays / 2), inactivityDays - 10, inactivityDays, lastDay].map((day) =>
        Math.round(xOf(day) * 100),
      ),
    );
  });

  it('says what would happen, as people say it', () => {
    const { marks } = lineOf(180, 4);
    expect(marks.map(({ title, date, note }) => [title, date, note])).toEqual([
      ['Today', '24 November 2026', 'Last check-in 4 days ago'],
      ['Next check-in', 'by 20 December', 'A short email, one button'],
      ['First reminder to you', '18 February 2027', 'By email and text'],
      ['Last reminder to you', '9 May 2027', undefined],
      ['Priya and Tom asked', '19 May 2027', 'Either can stop it'],
      ['3 letters delivered', '26 May 2027', undefined],
    ]);
  });

  it('tells of the last check-in and of today apart once they are far apart', () => {
    expect(titlesOf(lineOf(90, 60))).toEqual([
      'Last check-in',
      'Check-in was due',
      'First reminder sent',
      'Today',
      'Last reminder to you',
      'Priya and Tom asked',
      '3 letters delivered',
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
      ['Today', '24 November 2026', 'Last check-in 4 days ago'],
      ['Away until', '19 January 2027', 'We count from here'],
      ['First reminder to you', '5 March 2027', 'By email and text'],
    ]);
  });

  it('promises no text without a number, and no contact without one', () => {
    const { marks } = lineOf(90, 4, { contactNames: [], readyMessages: 0 });
    expect(marks.at(-2)).toMatchObject({ title: 'Contacts asked', note: 'Nobody to ask yet' });
    expect(marks.at(-1)?.title).toBe('Nothing to deliver yet');
    const withoutPhone = buildTimeline({
      timeline: [{ what: 'first_reminder', at: at(45), isPast: false }],
      lastActivityAt: at(0),
      contactNames: [],
      readyMessages: 0,
      releaseMethod: 'inactivity',
      nowMs: lastActivityMs,
      isTexted: false,
    });
    expect(withoutPhone.marks.at(-1)?.note).toBe('By email');
  });

  it('counts contacts whose names would not fit', () => {
    const names = ['Bartholomew', 'Maximiliana', 'Wilhelmina'];
    expect(lineOf(90, 4, { contactNames: names }).marks.at(-2)?.title).toBe('3 contacts asked');
  });
});

describe('The ticks below the line', () => {
  const range = {
    startMs: Date.parse('2026-11-20T00:00:00Z'),
    endMs: Date.parse('2027-02-25T00:00:00Z'),
    widthPx: 840,
  };

  it('mark each seventh day and each month', () => {
    const { weeks, months } = calendarTicks({ ...range, keepClearX: [] });
    expect(weeks).toHaveLength(14);
    expect(weeks[1]).toBeCloseTo((7 / 97) * 100);
    expect(months.map(({ label }) => label)).toEqual(['December', 'January', 'February']);
    expect(months[0]?.x).toBeCloseTo((11 / 97) * 100);
  });

  it('shorten the names of months where a year is drawn', () => {
    const { months } = calendarTicks({ ...range, endMs: range.startMs + 372 * dayMs, keepClearX: [] });
    expect(months.slice(0, 3).map(({ label }) => label)).toEqual(['Dec', 'Jan', 'Feb']);
  });

  it('leave out a name through which a stem would run', () => {
    const { months } = calendarTicks({ ...range, keepClearX: [(46 / 97) * 100] });
    expect(months.map(({ label }) => label)).toEqual(['December', '', 'February']);
  });
});
