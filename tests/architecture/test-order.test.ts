import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { longest } from '#tests/test-order.ts';

test('the list of long test files names files that exist', () => {
  expect(longest.filter((path) => !existsSync(resolve(import.meta.dirname, '../..', path)))).toEqual([]);
});
