import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { samples } from '#tests/support/forms.ts';
import { eraseGifData } from './camera-data-gif.ts';

const words = ['51.5074N', 'Nell’s camera', '2024:05:01'];
const told = Buffer.from(words.join(' '));
const says = (picture: Buffer) => words.filter((word) => picture.includes(word));

/** Cuts the input into pieces, since a connection delivers any number of bytes at once. */
function cleaned(picture: Buffer, pieceBytes = picture.length): Buffer {
  const eraser = eraseGifData();
  const out: Buffer[] = [];
  for (let at = 0; at < picture.length; at += pieceBytes) {
    out.push(eraser.take(Buffer.from(picture.subarray(at, at + pieceBytes))));
  }
  return Buffer.concat([...out, eraser.rest()]);
}

const block = (data: Buffer) => Buffer.concat([Buffer.from([data.length]), data]);
const end = Buffer.from([0]);
const extension = (label: number, ...data: Buffer[]) => Buffer.concat([Buffer.from([0x21, label]), ...data, end]);
const application = (name: string, ...data: Buffer[]) => extension(0xff, block(Buffer.from(name, 'latin1')), ...data);

/** XMP is written without lengths of blocks: the bytes after it end it, wherever a reader of blocks arrives. */
const xmpEnd = Buffer.from(Array.from({ length: 257 }, (_, index) => (index === 0 ? 1 : 256 - index)));
const xmp = application('XMP DataXMP', Buffer.from(`<x:xmpmeta>${told.toString('latin1')}</x:xmpmeta>`), xmpEnd);
const repeats = application('NETSCAPE2.0', Buffer.from([3, 1, 0, 0]));
const profile = application('ICCRGBG1012', block(told));

/** The header of the sample with its two colours, and the frame after it. */
const startBytes = 19;
const [start, frame] = [samples.gif.subarray(0, startBytes), samples.gif.subarray(startBytes, -1)];
const gifOf = (...parts: Buffer[]) => Buffer.concat([start, ...parts, Buffer.from(';')]);

describe('the camera data of a GIF', () => {
  test.each([
    ['a comment', extension(0xfe, block(told))],
    ['a comment in several blocks', extension(0xfe, block(told), block(told))],
    ['a text', extension(0x01, block(Buffer.alloc(12, 1)), block(told))],
    ['an unknown application', application('CAMERADATA1', block(told))],
    ['an application with a long name', application(words.join(' '), block(told))],
    ['an unknown extension', extension(0x99, block(told))],
  ])('is overwritten in %s, and the size stays', (_, described) => {
    const picture = gifOf(described, frame);
    expect(says(picture)).toEqual(words);
    for (const pieceBytes of [1, 7, 4_096]) {
      const made = cleaned(picture, pieceBytes);
      expect([says(made), made.length], `pieces of ${pieceBytes}`).toEqual([[], picture.length]);
    }
  });

  test('is overwritten in XMP, and the frames after it stay', () => {
    const picture = gifOf(repeats, xmp, frame, frame);
    const made = cleaned(picture, 5);
    expect([says(picture.subarray(0, -1)).length, says(made)]).toEqual([2, []]);
    expect(made.includes('XMP')).toBe(false);
    expect(made.subarray(-2 * frame.length - 1)).toEqual(picture.subarray(-2 * frame.length - 1));
  });

  test('is overwritten after the end of the picture, and after a block that is none', () => {
    expect(says(cleaned(Buffer.concat([samples.gif, told]), 3))).toEqual([]);
    expect(says(cleaned(gifOf(frame, Buffer.from('?'), told)))).toEqual([]);
  });

  test('is overwritten in an extension that does not end', () => {
    const cut = gifOf(application(words.join(' '))).subarray(0, -6);
    expect(says(cleaned(cut, 4)).length).toBe(0);
    expect(cleaned(cut, 4)).toHaveLength(cut.length);
  });
});

test('a picture without camera data stays as it is, with its repeats, colours and frames', () => {
  const localColours = Buffer.concat([Buffer.from('2c0000000001000100810102030405060708090a0b0c02024401', 'hex'), end]);
  for (const picture of [samples.gif, gifOf(repeats, profile, frame, end, localColours, frame)]) {
    for (const pieceBytes of [1, 6, 4_096]) expect(cleaned(picture, pieceBytes)).toEqual(picture);
  }
});

test('any bytes keep their number, in any pieces', () => {
  const damaged = fc
    .tuple(fc.nat(samples.gif.length), fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 50 }))
    .map(([at, bytes, pieceBytes]) => ({
      picture: Buffer.concat([samples.gif.subarray(0, at), bytes, samples.gif.subarray(at)]),
      pieceBytes,
    }));
  fc.assert(
    fc.property(damaged, ({ picture, pieceBytes }) => {
      const made = cleaned(picture, pieceBytes);
      expect(made).toHaveLength(picture.length);
      expect(made).toEqual(cleaned(picture));
    }),
  );
});
