import { describe, expect, test } from 'vitest';
import { pictureHead, samples, segmentOf } from '#tests/support/forms.ts';
import { eraseCameraData } from './camera-data.ts';
import { pictureSizeOf } from './picture-size.ts';

const words = ['51.5074N', 'Nell’s camera', '2024:05:01'];
const told = Buffer.from(words.join(' '));
const start = Buffer.from('ffd8', 'hex');

/** Cuts the input into pieces, since a connection delivers any number of bytes at once. */
function cleaned(picture: Buffer, pieceBytes = picture.length): Buffer {
  const eraser = eraseCameraData();
  const out: Buffer[] = [];
  for (let at = 0; at < picture.length; at += pieceBytes) {
    out.push(eraser.take(Buffer.from(picture.subarray(at, at + pieceBytes))));
  }
  return Buffer.concat([...out, eraser.rest()]);
}

const withSegment = (marker: string, content: Buffer, picture: Buffer = samples.jpg) =>
  Buffer.concat([start, segmentOf(marker, content), picture.subarray(start.length)]);

const says = (picture: Buffer) => words.filter((word) => picture.includes(word));

describe('the camera data of a JPEG', () => {
  test.each([
    ['Exif', 'ffe1', Buffer.concat([Buffer.from('Exif\0\0MM\0*'), told])],
    ['XMP', 'ffe1', Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0'), told])],
    ['IPTC', 'ffed', Buffer.concat([Buffer.from('Photoshop 3.0\0'), told])],
    ['an index of more pictures', 'ffe2', Buffer.concat([Buffer.from('MPF\0'), told])],
    ['an unknown application', 'ffe5', told],
    ['a comment', 'fffe', told],
  ])('is overwritten in the segment of %s, and the size stays', async (_, marker, content) => {
    const picture = withSegment(marker, content);
    expect(says(picture)).toEqual(words);
    for (const pieceBytes of [1, 7, 4_096]) {
      const made = cleaned(picture, pieceBytes);
      expect([says(made), made.length], `pieces of ${pieceBytes}`).toEqual([[], picture.length]);
    }
  });

  test('is overwritten after the end of the picture, and between its scans', async () => {
    const behind = Buffer.concat([samples.jpg, withSegment('ffe1', told)]);
    expect(says(cleaned(behind, 5))).toEqual([]);
    const scan = Buffer.from('ffda0002' + '11ff00ffd022' + 'ffff', 'hex');
    const between = Buffer.concat([start, scan, segmentOf('ffe1', told).subarray(1), Buffer.from('ffd9', 'hex')]);
    expect(says(between)).toEqual(words);
    expect(says(cleaned(between, 1))).toEqual([]);
  });

  test('is overwritten in a segment that does not end', async () => {
    const cut = withSegment('ffe1', Buffer.concat([told, Buffer.alloc(2_000)])).subarray(0, 300);
    expect(says(cleaned(cut, 100))).toEqual([]);
  });

  test.each([1, 3, 6, 8])('keeps the orientation %s, in both orders of bytes', async (orientation) => {
    const picture = withSegment('fffe', told, pictureHead({ width: 640, height: 480, orientation }));
    const made = cleaned(picture, 9);
    expect(await pictureSizeOf(made)).toEqual(await pictureSizeOf(picture));
    const little = Buffer.from(
      '457869660000' + '49492a0008000000' + '0100' + '120103000100000000000000' + '00000000',
      'hex',
    );
    little.writeUInt16LE(orientation, 24);
    const turned = Buffer.concat([
      start,
      segmentOf('ffe1', Buffer.concat([little, told])),
      picture.subarray(start.length),
    ]);
    const kept = cleaned(turned);
    expect(says(kept)).toEqual([]);
    expect(kept.readUInt16BE(start.length + 4 + 24)).toBe(orientation);
  });

  test('leaves everything that draws the picture as it is', async () => {
    expect(cleaned(samples.jpg, 11).equals(samples.jpg)).toBe(true);
    const profile = withSegment('ffe2', Buffer.concat([Buffer.from('ICC_PROFILE\0'), told]));
    expect(cleaned(profile).equals(profile)).toBe(true);
    const colours = withSegment('ffee', Buffer.from('Adobe\0d\0\0\0\0\0'));
    expect(cleaned(colours).equals(colours)).toBe(true);
  });

  test('is read without an error from any bytes', async () => {
    for (const hex of [
      '',
      'ff',
      'ffd8',
      'ffd8ffe1',
      'ffd8ffe10000',
      'ffd8ffe10001ffd9',
      'ffd8ffe1002045786966000049492a00ffffffff',
    ]) {
      expect(cleaned(Buffer.from(hex, 'hex'), 1).length).toBe(hex.length / 2);
    }
  });
});
