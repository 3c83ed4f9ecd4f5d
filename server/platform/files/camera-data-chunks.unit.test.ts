import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { samples, webp } from '#tests/support/forms.ts';
import type { CameraDataEraser } from './camera-data.ts';
import { erasePngData, eraseWebpData } from './camera-data-chunks.ts';
import { exifOf } from './exif-orientation.ts';
import { readPng } from './png-walk.ts';

const words = ['51.5074N', 'Nell’s camera', '2024:05:01'];
const told = Buffer.from(words.join(' '));
const signatureBytes = 8;
const says = (picture: Buffer) => words.filter((word) => picture.includes(word));

/** Cuts the input into pieces, since a connection delivers any number of bytes at once. */
function through(eraser: CameraDataEraser, picture: Buffer, pieceBytes: number): Buffer {
  const out: Buffer[] = [];
  for (let at = 0; at < picture.length; at += pieceBytes) {
    out.push(eraser.take(Buffer.from(picture.subarray(at, at + pieceBytes))));
  }
  return Buffer.concat([...out, eraser.rest()]);
}
const cleanedPng = (picture: Buffer, pieceBytes = picture.length) => through(erasePngData(), picture, pieceBytes);
const cleanedWebp = (picture: Buffer, pieceBytes = picture.length) => through(eraseWebpData(), picture, pieceBytes);

function pngChunk(type: string, data: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The sample with these chunks after its header. */
function pngWith(...chunks: Buffer[]): Buffer {
  const headerEnd = signatureBytes + 25;
  return Buffer.concat([samples.png.subarray(0, headerEnd), ...chunks, samples.png.subarray(headerEnd)]);
}

function chunksOf(png: Buffer): { type: string; data: Buffer; isWhole: boolean }[] {
  const chunks = [];
  for (let at = signatureBytes; at + 12 <= png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    chunks.push({
      type,
      data: png.subarray(at + 8, end),
      isWhole: crc32(png.subarray(at + 4, end)) === png.readUInt32BE(end),
    });
    at = end + 4;
    if (type === 'IEND') break;
  }
  return chunks;
}

/** Exif data of a camera: an orientation among position and time, in both orders of bytes. */
function cameraExif(orientation: number, isLittle = false): Buffer {
  if (!isLittle) return Buffer.concat([exifOf(orientation), told]);
  const little = Buffer.from('49492a0008000000' + '0100' + '120103000100000000000000' + '00000000', 'hex');
  little.writeUInt16LE(orientation, 18);
  return Buffer.concat([little, told]);
}

describe('the camera data of a PNG', () => {
  test.each([
    ['eXIf', Buffer.concat([Buffer.from('MM\0*'), told])],
    ['iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0'), told])],
    ['tEXt', Buffer.concat([Buffer.from('Raw profile type exif\0'), told])],
    ['zTXt', Buffer.concat([Buffer.from('Comment\0\0'), told])],
    ['tIME', told],
    ['caBX', told],
    ['prVt', told],
  ])('is overwritten in a chunk of %s, which decoders then ignore', (type, data) => {
    const picture = pngWith(pngChunk(type, data));
    expect(says(picture)).toEqual(words);
    for (const pieceBytes of [1, 7, 4_096]) {
      const made = cleanedPng(picture, pieceBytes);
      expect([says(made), made.length], `pieces of ${pieceBytes}`).toEqual([[], picture.length]);
      const [header, emptied, ...others] = chunksOf(made);
      expect([emptied?.type, emptied?.isWhole]).toEqual(['noNe', true]);
      expect([header, ...others]).toEqual(chunksOf(samples.png));
      const walk = readPng();
      expect([walk.take(made), walk.end()]).toEqual([true, true]);
    }
  });

  test.each([
    [1, false],
    [6, false],
    [8, true],
  ])('keeps the orientation %i (little-endian: %s) and nothing else of Exif data', (orientation, isLittle) => {
    const data = cameraExif(orientation, isLittle);
    const [, exif] = chunksOf(cleanedPng(pngWith(pngChunk('eXIf', data)), 5));
    const zeros = Buffer.alloc(told.length);
    expect(exif).toEqual({ type: 'eXIf', data: Buffer.concat([exifOf(orientation), zeros]), isWhole: true });
  });

  test('is overwritten in Exif data that are too long to be searched, and after the end of the picture', () => {
    const long = pngWith(pngChunk('eXIf', Buffer.concat([cameraExif(6), Buffer.alloc(70_000), told])));
    expect(says(cleanedPng(long, 4_096))).toEqual([]);
    expect(chunksOf(cleanedPng(long))[1]).toMatchObject({ type: 'noNe', isWhole: true });
    expect(says(cleanedPng(Buffer.concat([samples.png, told]), 3))).toEqual([]);
  });

  test('is overwritten in Exif data that do not end', () => {
    const cut = pngWith(pngChunk('eXIf', Buffer.concat([told, Buffer.alloc(2_000)]))).subarray(0, 300);
    expect([says(cleanedPng(cut, 9)), cleanedPng(cut, 9).length]).toEqual([[], 300]);
  });

  test.each(['iCCP', 'gAMA', 'sRGB', 'tRNS', 'pHYs', 'acTL', 'fdAT', 'IDAT', 'NEWc'])(
    'leaves a chunk of %s as it is, byte for byte',
    (type) => {
      const picture = pngWith(pngChunk(type, told));
      expect(cleanedPng(picture, 11).equals(picture)).toBe(true);
    },
  );
});

function webpChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(type, 'latin1'), length, data, Buffer.alloc(data.length % 2)]);
}

function webpOf(...chunks: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks]);
  return webpChunk('RIFF', body);
}

const extended = webpChunk('VP8X', Buffer.from('0c000000000000000000', 'hex'));
const drawn = webpChunk('VP8L', Buffer.alloc(33, 7));

describe('the camera data of a WebP', () => {
  test.each([
    ['EXIF', Buffer.concat([Buffer.from('MM\0*'), told])],
    ['EXIF', Buffer.concat([Buffer.from('Exif\0\0'), told, Buffer.alloc(1)])],
    ['XMP ', told],
    ['an unknown chunk', told],
  ])('is overwritten in %s, and all other bytes stay', (type, data) => {
    const chunk = (content: Buffer) => webpChunk(type.slice(0, 4), content);
    const picture = webpOf(extended, drawn, chunk(data), drawn);
    expect(says(picture)).toEqual(words);
    const emptied = webpOf(extended, drawn, chunk(Buffer.alloc(data.length)), drawn);
    for (const pieceBytes of [1, 7, 4_096]) expect(cleanedWebp(picture, pieceBytes)).toEqual(emptied);
  });

  test.each([
    [3, false, ''],
    [6, true, ''],
    [8, false, 'Exif\0\0'],
  ])(
    'keeps the orientation %i (little-endian: %s, name: %j) and nothing else of Exif data',
    (orientation, isLittle, name) => {
      const data = Buffer.concat([Buffer.from(name), cameraExif(orientation, isLittle)]);
      const kept = Buffer.concat([exifOf(orientation), Buffer.alloc(told.length + name.length)]);
      expect(cleanedWebp(webpOf(drawn, webpChunk('EXIF', data)), 5)).toEqual(webpOf(drawn, webpChunk('EXIF', kept)));
    },
  );

  test.each(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])('leaves %s as it is, byte for byte', (type) => {
    const picture = webpOf(webpChunk(type, told), drawn);
    expect(cleanedWebp(picture, 11).equals(picture)).toBe(true);
  });

  test('is erased in a cut picture', () => {
    const cut = webpOf(drawn, webpChunk('EXIF', Buffer.concat([told, Buffer.alloc(500)]))).subarray(0, 200);
    expect([says(cleanedWebp(cut, 9)), cleanedWebp(cut, 9).length]).toEqual([[], 200]);
    expect(cleanedWebp(webp, 13).equals(webp)).toBe(true);
  });
});

test.each([
  ['PNG', cleanedPng],
  ['WebP', cleanedWebp],
])('any bytes pass as a %s at their length, however they are cut', (_, cleaned) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (bytes, pieceBytes) => {
      const picture = Buffer.from(bytes);
      const whole = cleaned(picture, Math.max(1, picture.length));
      expect(whole.length).toBe(picture.length);
      expect(cleaned(picture, pieceBytes)).toEqual(whole);
    }),
  );
});
