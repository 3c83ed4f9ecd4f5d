import { describe, expect, test } from 'vitest';
import { backupName, momentOfBackup, superfluousBackups } from './backup-names.ts';
import { isBackupDue, keptDaysMax, parseBackupKeep } from './nightly-backup.rules.ts';

const at = (text: string) => new Date(text).getTime();
const known = (made: string | null, tried: string | null = made) => ({
  madeAtMs: made === null ? null : at(made),
  triedAtMs: tried === null ? null : at(tried),
});

describe('a backup is due', () => {
  test.each([
    ['where there was none', null, null, '2026-11-28T14:00:00Z', true],
    ['when its hour has come', '2026-11-27T03:04:00Z', '2026-11-27T03:04:00Z', '2026-11-28T03:00:00Z', true],
    ['after a night that was missed', '2026-11-25T03:04:00Z', '2026-11-25T03:04:00Z', '2026-11-28T14:00:00Z', true],
    ['not before its hour', '2026-11-27T03:04:00Z', '2026-11-27T03:04:00Z', '2026-11-28T02:59:59Z', false],
    ['not twice in one night', '2026-11-28T03:04:00Z', '2026-11-28T03:04:00Z', '2026-11-28T23:00:00Z', false],
    [
      'not right after a try that failed',
      '2026-11-27T03:04:00Z',
      '2026-11-28T03:04:00Z',
      '2026-11-28T04:03:59Z',
      false,
    ],
    ['an hour after one', '2026-11-27T03:04:00Z', '2026-11-28T03:04:00Z', '2026-11-28T04:04:00Z', true],
    ['where the clock was ahead once', '2027-11-27T03:04:00Z', '2027-11-27T03:04:00Z', '2026-11-28T04:04:00Z', true],
  ])('%s', (_, made, tried, now, expected) => {
    expect(isBackupDue(known(made, tried), at(now))).toBe(expected);
  });
});

describe('the name of a backup', () => {
  test('contains its time, and shows if it is sealed', () => {
    const moment = new Date('2026-11-28T03:00:12.345Z');
    expect(backupName(moment, { isSealed: false })).toBe('everkept-2026-11-28-030012.backup.zst');
    expect(backupName(moment, { isSealed: true })).toBe('everkept-2026-11-28-030012.backup.zst.age');
    for (const isSealed of [true, false])
      expect(momentOfBackup(backupName(moment, { isSealed }))).toEqual(new Date('2026-11-28T03:00:12Z'));
  });

  test.each(['by-hand.backup', 'everkept-2026-11-28.backup', 'everkept-2026-13-28-030012.backup.zst', '../x', ''])(
    'is not %s',
    (name) => {
      expect(momentOfBackup(name)).toBeNull();
    },
  );
});

describe('old backups', () => {
  const night = (day: string) => backupName(new Date(`${day}T03:00:00Z`), { isSealed: false });
  const nights = Array.from({ length: 120 }, (_, index) =>
    night(new Date(at('2026-08-01T00:00:00Z') + index * 86_400_000).toISOString().slice(0, 10)),
  );
  const now = new Date('2026-11-28T03:10:00Z');
  const left = (keep: string, names = nights) => {
    const gone = new Set(superfluousBackups(names, parseBackupKeep(keep), now));
    return names.filter((name) => !gone.has(name));
  };

  test('are deleted after the kept days', () => {
    expect(left('14d')).toEqual(nights.slice(-14));
  });

  test('stay as the first of their month for the kept months, including this one', () => {
    expect(left('2d,3m')).toEqual([night('2026-09-01'), night('2026-10-01'), night('2026-11-01'), ...nights.slice(-2)]);
  });

  test('stay if there is no newer one, and if they are not ours', () => {
    const old = night('2026-01-01');
    expect(superfluousBackups([old], parseBackupKeep('1d'), now)).toEqual([]);
    expect(
      superfluousBackups([old, 'letters.txt', 'x.backup', night('2026-11-28')], parseBackupKeep('1d'), now),
    ).toEqual([old]);
  });
});

test('for how long they are kept is days, or days and months', () => {
  expect([parseBackupKeep('14d'), parseBackupKeep('7d,12m')]).toEqual([
    { days: 14, months: 0 },
    { days: 7, months: 12 },
  ]);
  expect([keptDaysMax({ days: 14, months: 0 }), keptDaysMax({ days: 14, months: 2 })]).toEqual([14, 62]);
  for (const wrong of ['', '14', '0d', '12m', '14d,12m,3y', '14 d', '-1d'])
    expect(() => parseBackupKeep(wrong)).toThrow();
});
