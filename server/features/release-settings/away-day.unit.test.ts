import { describe, expect, test } from 'vitest';
import { beginningOfLondonDay, londonDay } from '#shared/rules/london-day.ts';
import { wrongAwayDay } from './away-day.ts';

describe('the day until which an owner is away', () => {
  test.each([
    ['2027-02-01', '2027-02-01T00:00:00.000Z'],
    ['2027-07-01', '2027-06-30T23:00:00.000Z'],
    // The clocks go forward, and back.
    ['2027-03-28', '2027-03-28T00:00:00.000Z'],
    ['2027-03-29', '2027-03-28T23:00:00.000Z'],
    ['2027-10-31', '2027-10-30T23:00:00.000Z'],
    ['2027-11-01', '2027-11-01T00:00:00.000Z'],
  ])('%s begins at midnight in London, %s', (day, at) => {
    expect(beginningOfLondonDay(day).toISOString()).toBe(at);
    expect(londonDay(Date.parse(at))).toBe(day);
    expect(londonDay(Date.parse(at) - 1)).not.toBe(day);
  });

  test.each([
    ['2026-11-24', 'Choose a day that lies ahead.'],
    ['2026-11-25', 'Choose a day that lies ahead.'],
    ['2026-11-26', null],
    ['2027-05-24', null],
    ['2027-05-25', 'Choose a day within the next 180 days.'],
  ])('said late on 25 November 2026, %s: %s', (day, wrong) => {
    expect(wrongAwayDay(day, Date.parse('2026-11-25T23:30:00Z'))).toBe(wrong);
  });
});
