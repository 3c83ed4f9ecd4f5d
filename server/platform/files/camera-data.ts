import { exifName, exifOf, orientationBytes, orientationIn } from './exif-orientation.ts';

/** Markers of a JPEG (ITU-T T.81, table B.1). */
const markers = { start: 0xd8, end: 0xd9, scan: 0xda, comment: 0xfe, profile: 0xe2, adobe: 0xee } as const;
const prefix = 0xff;
const lengthBytes = 2;
const profileName = 'ICC_PROFILE\0';
type Part = 'marker' | 'length' | 'kept' | 'described' | 'scan' | 'after';

export type CameraDataEraser = {
  /** Returns a piece of the picture, which it may overwrite. Returns fewer bytes until it knows what they describe. */
  take(chunk: Buffer): Buffer;
  /** Bytes that are left at the end. */
  rest(): Buffer;
};

/**
 * Overwrites in a JPEG what its camera and other programs wrote beside the picture: position, time, owner, thumbnails.
 * Colours and orientation stay, and so does the number of bytes.
 */
export function eraseCameraData(): CameraDataEraser {
  let part: Part = 'marker';
  let hasPrefix = false;
  let marker = 0;
  /** Bytes of a length or of a description that has not ended yet. */
  let pending = Buffer.alloc(0);
  let left = 0;

  function enter(next: number): void {
    hasPrefix = false;
    marker = next;
    if (next === markers.end) part = 'after';
    else if (hasLength(next)) [part, left] = ['length', lengthBytes];
    else part = 'marker';
  }

  /** Reads up to the next marker. Like decoders, skips bytes that belong to no segment. */
  function seek(chunk: Buffer, from: number): number {
    if (!hasPrefix) {
      const found = chunk.indexOf(prefix, from);
      hasPrefix = found !== -1;
      return hasPrefix ? found + 1 : chunk.length;
    }
    const byte = chunk[from] ?? 0;
    if (byte === prefix) return from + 1;
    if (byte === 0 || (part === 'scan' && isRestart(byte))) hasPrefix = false;
    else enter(byte);
    return from + 1;
  }

  function endSegment(): Buffer {
    const whole = pending;
    pending = Buffer.alloc(0);
    if (part === 'length') {
      left = Math.max(0, whole.readUInt16BE() - lengthBytes);
      part = left === 0 ? partBehind(marker) : isDescription(marker) ? 'described' : 'kept';
      return whole;
    }
    const made = part === 'described' ? blanked(marker, whole) : whole;
    part = partBehind(marker);
    return made;
  }

  return {
    take(chunk: Buffer): Buffer {
      const out: Buffer[] = [];
      for (let at = 0; at < chunk.length; ) {
        if (part === 'after') {
          out.push(chunk.subarray(at).fill(0));
          break;
        }
        if (part === 'marker' || part === 'scan') {
          const next = seek(chunk, at);
          out.push(chunk.subarray(at, next));
          at = next;
          continue;
        }
        const piece = chunk.subarray(at, at + left);
        at += piece.length;
        left -= piece.length;
        if (part === 'kept') out.push(piece);
        else pending = Buffer.concat([pending, piece]);
        if (left === 0) out.push(endSegment());
      }
      return Buffer.concat(out);
    },
    rest: (): Buffer => (part === 'described' ? pending.fill(0) : pending),
  };
}

const partBehind = (marker: number): Part => (marker === markers.scan ? 'scan' : 'marker');
/** RST0 to RST7 are in the middle of a scan. */
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;
const hasLength = (marker: number) => !isRestart(marker) && marker !== markers.start && marker !== 0x01;

/** True for segments that may describe a picture: comments, and all of applications except those that decoders need. */
function isDescription(marker: number): boolean {
  if (marker === markers.comment) return true;
  return marker >= 0xe1 && marker <= 0xef && marker !== markers.adobe;
}

function blanked(marker: number, payload: Buffer): Buffer {
  if (marker === markers.profile && payload.toString('latin1', 0, profileName.length) === profileName) return payload;
  const isExif = payload.toString('latin1', 0, exifName.length) === exifName;
  const orientation = isExif ? orientationIn(payload.subarray(exifName.length)) : null;
  payload.fill(0);
  if (orientation === null || payload.length < exifName.length + orientationBytes) return payload;
  payload.write(exifName, 'latin1');
  exifOf(orientation).copy(payload, exifName.length);
  return payload;
}
