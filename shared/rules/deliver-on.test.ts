import { describe, expect, test } from 'vitest';
import { ownDayAt } from './deliver-on.ts';
import { londonDay } from './london-day.ts';

const released = Date.parse('2027-01-31T22:30:00Z');
const at = (deliverOn: Parameters<typeof ownDayAt>[0], releasedMs = released) => {
  const ms = ownDayAt(deliverOn, releasedMs);
  return ms === null ? null : new Date(ms).toISOString();
};

describe('a letter with a day of its own', () => {
  test('leaves at eight in the morning in London, in summer and in winter', () => {
    expect(at('2031-05-04')).toBe('2031-05-04T07:00:00.000Z');
    expect(at('2031-12-24')).toBe('2031-12-24T08:00:00.000Z');
  });

  test('has eight o’clock on the days on which the clocks change', () => {
    expect(at('2027-03-28')).toBe('2027-03-28T07:00:00.000Z');
    expect(at('2027-10-31')).toBe('2027-10-31T08:00:00.000Z');
  });

  test('a letter whose day is past leaves with the others', () => {
    expect(at('2026-05-04')).toBeNull();
    expect(at('2027-01-31')).toBeNull();
  });

  test('waits until eight where the release comes in the small hours of its day', () => {
    expect(at('2027-02-01', Date.parse('2027-02-01T03:00:00Z'))).toBe('2027-02-01T08:00:00.000Z');
  });

  test('months later is the same day of the month, or its last one', () => {
    expect(at({ months: 1 })).toBe('2027-02-28T08:00:00.000Z');
    expect(at({ months: 6 })).toBe('2027-07-31T07:00:00.000Z');
    expect(at({ months: 13 })).toBe('2028-02-29T08:00:00.000Z');
    expect(at({ months: 1_200 })).toBe('2127-01-31T08:00:00.000Z');
  });

  test('counts months from the day of the release as London has it', () => {
    expect(londonDay(Date.parse('2027-06-30T23:30:00Z'))).toBe('2027-07-01');
    expect(at({ months: 1 }, Date.parse('2027-06-30T23:30:00Z'))).toBe('2027-08-01T07:00:00.000Z');
  });

  test('without one goes at once', () => {
    expect(at(null)).toBeNull();
  });
});
