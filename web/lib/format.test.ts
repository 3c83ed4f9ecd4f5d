import { describe, expect, it } from 'vitest';
import { fileSize } from '#shared/rules/sizes.ts';
import {
  counted,
  dateAndTime,
  dayAndMonth,
  daysAgo,
  elapsedTime,
  inDays,
  isoDay,
  longDate,
  money,
  relativeAge,
  shortDate,
} from '#web/lib/format.ts';

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 10, 20, 12);
const before = (days: number) => nowMs - days * dayMs;

describe('dates', () => {
  it('are written as people write them', () => {
    expect(longDate('2026-11-20T09:00:00.000Z')).toBe('20 November 2026');
    expect(shortDate('2026-09-01T09:00:00.000Z')).toBe('1 Sep 2026');
    expect(dayAndMonth(nowMs)).toBe('20 November');
    expect(dateAndTime('2026-11-20T14:05:00.000Z')).toBe('20 November 2026 at 14:05');
  });

  it('are those of the calendar in London, also in summer', () => {
    expect(longDate('2026-06-30T23:30:00.000Z')).toBe('1 July 2026');
    expect(isoDay('2026-06-30T23:30:00.000Z')).toBe('2026-07-01');
    expect(isoDay('2026-12-31T23:30:00.000Z')).toBe('2026-12-31');
  });
});

describe('the age of a message', () => {
  it.each([
    [0, 'Today'],
    [0.99, 'Today'],
    [1, 'Yesterday'],
    [2, '2 days ago'],
    [6, '6 days ago'],
    [7, '1 week ago'],
    [13, '1 week ago'],
    [14, '2 weeks ago'],
    [29, '4 weeks ago'],
    [30, '1 month ago'],
    [60, '2 months ago'],
    [365, '12 months ago'],
    [-1, 'Today'],
  ])('after %s days is "%s"', (days, words) => {
    expect(relativeAge(before(days), nowMs)).toBe(words);
  });
});

describe('days in a sentence', () => {
  it('look back', () => {
    expect([0, 1, 4].map((days) => daysAgo(before(days), nowMs))).toEqual(['today', 'yesterday', '4 days ago']);
  });

  it('look forward, and show past moments of today as passed', () => {
    const after = [0, 1, 1.5, 10, -3].map((days) => inDays(nowMs + days * dayMs, nowMs));
    expect(after).toEqual(['today', 'tomorrow', 'in 2 days', 'in 10 days', 'today']);
  });
});

describe('amounts', () => {
  it('are written with pounds, and with pence only where there are some', () => {
    expect([0, 499, 4999, 29_900, 5].map(money)).toEqual(['£0', '£4.99', '£49.99', '£299', '£0.05']);
  });

  it('sizes in bytes are written in everyday units', () => {
    expect([0, 1, 999, 1_000, 4_200, 999_960, 412_600_000, 5_000_000_000].map(fileSize)).toEqual([
      '0 bytes',
      '1 byte',
      '999 bytes',
      '1 KB',
      '4.2 KB',
      '1 MB',
      '412.6 MB',
      '5 GB',
    ]);
  });

  it('take the plural where there is not exactly one', () => {
    expect([counted(1, 'Message'), counted(0, 'Message'), counted(2, 'person', 'people')]).toEqual([
      '1 Message',
      '0 Messages',
      '2 people',
    ]);
  });
});

describe('lengths of time', () => {
  it('durations are minutes and seconds', () => {
    expect([0, 999, 7_000, 187_000, 900_000].map(elapsedTime)).toEqual(['0:00', '0:00', '0:07', '3:07', '15:00']);
  });
});
