import { expect, test } from 'vitest';
import { fillDays, longDate, namesDay } from './mail-day.ts';

const written = new Date('2031-05-01T12:00:00Z');
const waiting = `Check in before ${longDate({ notBeforeMs: Date.parse('2031-05-11T12:00:00Z'), daysAfterSending: 10 })}.`;

test('a day that depends on the sending is so many days after it, and never before its time', () => {
  expect(fillDays(waiting, written)).toBe('Check in before 11 May 2031.');
  expect(fillDays(waiting, new Date('2031-04-01T12:00:00Z'))).toBe('Check in before 11 May 2031.');
  expect(fillDays(waiting, new Date('2031-05-20T12:00:00Z'))).toBe('Check in before 30 May 2031.');
});

test('a day is a day in London', () => {
  expect(longDate(new Date('2031-06-30T23:30:00Z'))).toBe('1 July 2031');
});

test('words without such a day are left as they are', () => {
  const words = 'From 4 May 2031 $& \u{E000}, or so.';
  expect(fillDays(words, written)).toBe(words);
  expect([namesDay(waiting), namesDay('From 4 May 2031.')]).toEqual([true, false]);
});
