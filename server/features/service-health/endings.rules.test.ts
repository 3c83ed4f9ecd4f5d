import { describe, expect, test } from 'vitest';
import {
  certificateDaysMin,
  findCertificate,
  findDates,
  findDisk,
  findKeyCopy,
  warnedDaysMax,
} from './endings.rules.ts';

const today = '2026-11-30';
const gibibyte = 1_073_741_824;
const dayMs = 86_400_000;
const dateIn = (days: number) => new Date(Date.parse(today) + days * dayMs).toISOString().slice(0, 10);

describe('a day on which something ends', () => {
  const domain = (day: string, on = today) => findDates({ domain: day, mail: undefined }, on)[0];

  test.each([
    [-400, 'bad'],
    [-1, 'bad'],
    [0, 'poor'],
    [1, 'poor'],
    [warnedDaysMax - 1, 'poor'],
    [warnedDaysMax, 'poor'],
    [warnedDaysMax + 1, 'well'],
    [3_650, 'well'],
  ])('%s days from now is %s', (days, state) => {
    expect(domain(dateIn(days))?.state).toBe(state);
  });

  test.each([
    ['2027-01-14', 'The domain ends on 14 January 2027, in 45 days.'],
    ['2026-12-01', 'The domain ends on 1 December 2026, in 1 day.'],
    ['2026-11-30', 'The domain ends today, on 30 November 2026.'],
    ['2026-11-29', 'The domain ended on 29 November 2026, 1 day ago.'],
    ['2026-10-01', 'The domain ended on 1 October 2026, 60 days ago.'],
  ])('%s is said in words', (day, sentence) => {
    expect(domain(day)?.found).toBe(sentence);
  });

  test.each([
    ['spring', '2027-03-27', '2027-03-29'],
    ['autumn', '2026-10-24', '2026-10-26'],
    ['leap', '2028-02-28', '2028-03-01'],
  ])('is counted in whole days over the %s days on which a clock or calendar jumps', (_, from, to) => {
    expect(domain(to, from)?.found).toContain('in 2 days');
  });

  test('has a remedy that names its setting, unless all is well', () => {
    const [first, second] = findDates({ domain: dateIn(3), mail: dateIn(-3) }, today);
    expect([first?.mend, second?.mend]).toEqual([
      expect.stringContaining('set ENDS_DOMAIN'),
      expect.stringContaining('ENDS_MAIL'),
    ]);
    expect(second?.found).toBe('The mail credentials ended on 27 November 2026, 3 days ago.');
    expect(domain(dateIn(400))?.mend).toBeUndefined();
  });

  test('that is not set is no finding', () => {
    expect(findDates({ domain: undefined, mail: undefined }, today)).toEqual([]);
  });
});

test.each([
  [certificateDaysMin * dayMs - 1, 'poor', 'The certificate is valid for 13 more days.'],
  [certificateDaysMin * dayMs, 'well', 'The certificate is valid for 14 more days.'],
  [dayMs, 'poor', 'The certificate is valid for 1 more day.'],
  [90 * dayMs, 'well', 'The certificate is valid for 90 more days.'],
])('a certificate with %s ms left is %s', (leftMs, state, found) => {
  expect(findCertificate(1_800_000_000_000 + leftMs, 1_800_000_000_000)).toMatchObject({ state, found });
});

test.each([
  ['nothing', 0, 100 * gibibyte, 'bad', 'The disk of DATA_DIR has 0.0 GiB free.'],
  ['a byte less than a gibibyte', gibibyte - 1, 2 * gibibyte, 'bad', 'The disk of DATA_DIR has 1.0 GiB free.'],
  ['a gibibyte of a small disk', gibibyte, 2 * gibibyte, 'well', 'The disk of DATA_DIR has 1.0 GiB free.'],
  ['a little less than a tenth', 10 * gibibyte - 1, 100 * gibibyte, 'poor', 'The disk of DATA_DIR has 10.0 GiB free.'],
  ['a little of a large disk', 20 * gibibyte, 4000 * gibibyte, 'well', 'The disk of DATA_DIR has 20.0 GiB free.'],
  ['a tenth', 10 * gibibyte, 100 * gibibyte, 'well', 'The disk of DATA_DIR has 10.0 GiB free.'],
])('a disk with %s free', (_, freeBytes, totalBytes, state, found) => {
  expect(findDisk({ freeBytes, totalBytes })).toMatchObject({ state, found });
});

describe('the copy of the master key', () => {
  const copyOf = (version: number) => ({ day: '2026-03-01', version });

  test('is asked for until one of the key in use is confirmed', () => {
    expect(findKeyCopy(null, { version: 1, isLocal: false })).toMatchObject({
      state: 'poor',
      found: 'No copy of the master key was confirmed. Without it nothing opens, and no backup contains it.',
      mend: expect.stringContaining('Then run everkept key copied.'),
    });
    expect(findKeyCopy(copyOf(1), { version: 1, isLocal: false })).toEqual({
      what: 'copy of the master key',
      state: 'well',
      found: 'A copy of master key 1 was confirmed on 1 March 2026.',
    });
  });

  test.each([2, 7])('is asked for again after a new key (%s)', (version) => {
    expect(findKeyCopy(copyOf(1), { version, isLocal: false })).toMatchObject({
      state: 'poor',
      found: `Master key ${version} is in use, and the copy that was confirmed on 1 March 2026 is of key 1.`,
    });
  });

  test('is no warning in a trial on one machine', () => {
    expect(findKeyCopy(null, { version: 1, isLocal: true })).toMatchObject({ state: 'well' });
  });
});
