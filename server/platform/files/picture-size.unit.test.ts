import { expect, test } from 'vitest';
import { pictureHead, samples } from '#tests/support/forms.ts';
import { pictureSizeOf } from './picture-size.ts';

test('a picture is as large as it is shown', async () => {
  expect(await pictureSizeOf(pictureHead({ width: 640, height: 480 }))).toEqual({ width: 640, height: 480 });
  const onItsSide = pictureHead({ width: 640, height: 480, orientation: 8 });
  expect(await pictureSizeOf(onItsSide)).toEqual({ width: 480, height: 640 });
});

test('a file that ends before its size has no size, whatever follows it in memory', async () => {
  const memory = Buffer.alloc(64, 9);
  memory.write('GIF89a', 0, 'latin1');
  expect(await pictureSizeOf(memory.subarray(0, 6))).toBeNull();
  const jpeg = pictureHead({ width: 640, height: 480 });
  const sizeAt = jpeg.indexOf(Buffer.from('ffc0', 'hex'));
  expect(await pictureSizeOf(jpeg.subarray(0, sizeAt + 5))).toBeNull();
});

test('no other format is read, which could take its time', async () => {
  const heic = Buffer.concat([Buffer.from('00000018667479706865696300000000', 'hex'), Buffer.alloc(200_000, 1)]);
  expect(await pictureSizeOf(heic)).toBeNull();
  expect(await pictureSizeOf(Buffer.from('<svg width="3" height="4"></svg>'))).toBeNull();
  expect(await pictureSizeOf(samples.pdf)).toBeNull();
  expect(await pictureSizeOf(Buffer.alloc(0))).toBeNull();
});
