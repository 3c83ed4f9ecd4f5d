import { expect, test } from 'vitest';
import { samples } from '#tests/support/forms.ts';
import { readPng } from './png-walk.ts';

const isWhole = (bytes: Buffer, size = bytes.length) => {
  const reader = readPng();
  for (let at = 0; at < bytes.length; at += size) if (!reader.take(bytes.subarray(at, at + size))) return false;
  return reader.end();
};
const png = samples.png;
const head = png.subarray(0, 33);
const chunk = (length: string, type: string) =>
  Buffer.concat([Buffer.from(length, 'hex'), Buffer.from(type), Buffer.alloc(4)]);
const [pixels, end] = [chunk('00000000', 'IDAT'), chunk('00000000', 'IEND')];

test.each([1, 3, 7, 1_000])('a whole PNG in pieces of %i bytes is whole', (size) => {
  expect(isWhole(png, size)).toBe(true);
});

test.each([
  ['whose chunk states a negative length', Buffer.concat([head, pixels, chunk('fffffff4', 'eVIL')])],
  ['whose IDAT is longer than the file', Buffer.concat([head, chunk('10000000', 'IDAT')])],
  ['that breaks off', png.subarray(0, -5)],
  ['with bytes after its end', Buffer.concat([png, Buffer.from('more')])],
  ['with a chunk after its end', Buffer.concat([head, pixels, end, end])],
  ['whose pixels are interrupted', Buffer.concat([head, pixels, chunk('00000000', 'tEXt'), pixels, end])],
  ['without pixels', Buffer.concat([head, end])],
  ['that is empty', Buffer.alloc(0)],
])('a PNG %s is not whole', (_, bytes) => {
  expect(isWhole(bytes)).toBe(false);
});
