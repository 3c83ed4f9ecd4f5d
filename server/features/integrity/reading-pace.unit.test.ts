import { expect, test } from 'vitest';
import { sliceMs, sliceMsOf } from './reading-pace.ts';

const roundMs = 7 * 86_400_000;
const startedAt = new Date('2026-11-01T00:00:00Z');
const after = (afterUserId: string | null, days: number) =>
  sliceMsOf({ startedAt, afterUserId, now: new Date(startedAt.getTime() + days * 86_400_000), roundMs });

test('a round that is ahead of its time works a little in each minute', () => {
  expect(after(null, 0)).toBe(sliceMs.usual);
  expect(after('80000000-0000-4000-8000-000000000000', 3.4)).toBe(sliceMs.usual);
  expect(after('ffffffff-ffff-4fff-bfff-ffffffffffff', 6.9)).toBe(sliceMs.usual);
});

test('a round that would not be through in a week works longer, until it has caught up', () => {
  expect(after(null, 0.01)).toBe(sliceMs.late);
  expect(after('80000000-0000-4000-8000-000000000000', 3.6)).toBe(sliceMs.late);
  expect(after('f0000000-0000-4000-8000-000000000000', 20)).toBe(sliceMs.late);
});
