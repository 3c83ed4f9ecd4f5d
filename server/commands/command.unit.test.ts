import { describe, expect, test } from 'vitest';
import { CommandError, readDuration } from './command.ts';

describe('a duration on the command line', () => {
  test.each([
    ['95d', 95 * 86_400_000],
    ['12h', 12 * 3_600_000],
    ['30m', 30 * 60_000],
  ])('%s is read as %d ms', (word, ms) => {
    expect(readDuration(word)).toBe(ms);
  });

  test.each([undefined, '', '95', 'd', '-1d', '0d', '1.5d', '95 d', '1e9d', '9999999d', '5y'])(
    '%s is refused',
    (word) => {
      expect(() => readDuration(word)).toThrow(CommandError);
    },
  );
});
