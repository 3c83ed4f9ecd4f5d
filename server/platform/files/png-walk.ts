/** Follows a picture from its first byte to its last. Both calls return false once it is broken. */
export type PngWalk = { take(chunk: Buffer): boolean; end(): boolean };

const signatureBytes = 8;
/** Length and type of a chunk (PNG, third edition, §5.3), and its checksum after the data. */
const chunkHeadBytes = 8;
const checksumBytes = 4;

/** Walks the chunks of a PNG: each must end inside the file, IDAT chunks must follow each other, and IEND must end the file. */
export function readPng(): PngWalk {
  let skip = signatureBytes;
  let head = Buffer.alloc(0);
  let last = '';
  let hasPixels = false;

  /** Returns false for a chunk in the wrong place. */
  function takeHead(): boolean {
    const type = head.toString('latin1', 4, chunkHeadBytes);
    if (last === 'IEND' || (last === '' && type !== 'IHDR')) return false;
    if (type === 'IDAT' && hasPixels && last !== 'IDAT') return false;
    hasPixels ||= type === 'IDAT';
    skip = head.readUInt32BE(0) + checksumBytes;
    last = type;
    head = Buffer.alloc(0);
    return true;
  }

  return {
    take(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const skipped = Math.min(skip, chunk.length - at);
        skip -= skipped;
        at += skipped;
        if (at === chunk.length) break;
        const part = chunk.subarray(at, at + chunkHeadBytes - head.length);
        at += part.length;
        head = Buffer.concat([head, part]);
        if (head.length === chunkHeadBytes && !takeHead()) return false;
      }
      return true;
    },
    end: () => last === 'IEND' && hasPixels && skip === 0 && head.length === 0,
  };
}
