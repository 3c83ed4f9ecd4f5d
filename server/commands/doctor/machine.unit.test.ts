import { expect, test } from 'vitest';
import { isOpenToOthers } from './machine.ts';

const ours = 10_001;

test.each([
  ['its owner alone reads it', 0o100400, 0, false],
  ['its owner alone reads and writes it', 0o100600, 0, false],
  ['our own group reads it, as in a container', 0o100440, ours, false],
  ['another group reads it', 0o100440, 0, true],
  ['everybody reads it', 0o100444, ours, true],
  ['everybody writes it', 0o100602, ours, true],
])('a key file is open to others, or not: %s', (_, mode, gid, isOpen) => {
  expect(isOpenToOthers({ mode, gid }, ours)).toBe(isOpen);
});
