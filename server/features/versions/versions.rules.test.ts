import { describe, expect, it } from 'vitest';
import { meetVersion } from './versions.rules.ts';

const stored = { version: 'two' };

describe('a change of a stored item', () => {
  it.each([
    ['without a version applies', {}, 'apply'],
    ['of the stored version applies', { version: 'two' }, 'apply'],
    ['of the stored version under a new key applies', { version: 'two', changeKey: 'three' }, 'apply'],
    ['of another version is refused', { version: 'one' }, 'refuse'],
    ['of another version under a new key is refused', { version: 'one', changeKey: 'three' }, 'refuse'],
    ['that made the stored version is a repeat', { version: 'one', changeKey: 'two' }, 'repeat'],
    ['that made the stored version is a repeat without a version too', { changeKey: 'two' }, 'repeat'],
  ] as const)('%s', (_, change, meeting) => {
    expect(meetVersion(stored, change)).toBe(meeting);
  });
});
