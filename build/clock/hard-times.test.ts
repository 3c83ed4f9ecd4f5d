import { expect, test } from 'vitest';
import { hardTimes, timeOfCommit } from './hard-times.ts';

const now = new Date('2026-11-29T10:11:12Z');

test('the hard times hold both ends of a day, of summer time and of a year, and a leap day', () => {
  expect(hardTimes(now).map((time) => time.toISOString().slice(0, 16))).toEqual([
    '2026-11-29T12:00',
    '2026-11-29T22:30',
    '2026-11-29T23:58',
    '2026-11-29T00:02',
    '2026-11-29T02:30',
    '2027-03-28T00:30',
    '2027-10-31T00:30',
    '2028-02-29T12:00',
    '2026-12-31T23:59',
  ]);
});

test('a commit always gets the same time, and every time is some commit’s', () => {
  const times = hardTimes(now);
  const hashes = times.map((_, index) => `0000000${index.toString(16)}2afee37f`);
  expect(hashes.map((hash) => timeOfCommit(hash, now))).toEqual(times);
  expect(timeOfCommit('not a hash', now).getTime()).toBeNaN();
});
