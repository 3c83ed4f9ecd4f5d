import { crc32 } from 'node:zlib';
import type { CameraDataEraser } from './camera-data.ts';
import { exifName, exifOf, orientationBytes, orientationIn } from './exif-orientation.ts';

/** `drawing`: what a decoder draws by. `exif`: may name how the camera was held. `other`: describes the picture, or is unknown. */
type Meaning = 'drawing' | 'exif' | 'other';
type Chunk = { meaning: Meaning; bytes: number; tailBytes: number; isLast: boolean };

/** A file of chunks: a head of eight bytes with type and length, the data, and a tail. */
type ChunkFormat = {
  /** Bytes before the first chunk. */
  startBytes: number;
  read(head: Buffer): Chunk;
  /** Head of a chunk whose data were overwritten with zeros. */
  emptied(head: Buffer): Buffer;
  /** Bytes of a head that count for the checksum in the tail. Null if the tail is none. */
  summedFrom: number | null;
};

const headBytes = 8;
/** No orientation is searched in longer Exif data, because they are buffered until then. A camera writes less. */
const exifBytesMax = 65_536;

const typeOf = (head: Buffer, at: number) => head.toString('latin1', at, at + 4);

/** Ancillary chunks of the PNG specification (third edition, §11.3) and of APNG by which a picture is drawn. */
const drawnInPng = new Set(
  'cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST tRNS pHYs sPLT acTL fcTL fdAT'.split(' '),
);
/** Bit of the first letter of a type: decoders may ignore such a chunk (§5.4). */
const ancillaryBit = 0x20;
/** A private, ancillary type, which every decoder ignores. An empty text chunk would be an error. */
const ignoredType = 'noNe';

const png: ChunkFormat = {
  startBytes: 8,
  read(head) {
    const type = typeOf(head, 4);
    const isCritical = (head.readUInt8(4) & ancillaryBit) === 0;
    const meaning = isCritical || drawnInPng.has(type) ? 'drawing' : type === 'eXIf' ? 'exif' : 'other';
    return { meaning, bytes: head.readUInt32BE(0), tailBytes: 4, isLast: type === 'IEND' };
  },
  emptied(head) {
    head.write(ignoredType, 4, 'latin1');
    return head;
  },
  summedFrom: 4,
};

/** Chunks of the WebP container by which a picture is drawn (RFC 9649, §2). */
const drawnInWebp = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);

const webp: ChunkFormat = {
  startBytes: 12,
  read(head) {
    const type = typeOf(head, 0);
    const bytes = head.readUInt32LE(4);
    const meaning = drawnInWebp.has(type) ? 'drawing' : type === 'EXIF' ? 'exif' : 'other';
    // Data of an odd length have a byte behind them.
    return { meaning, bytes, tailBytes: bytes % 2, isLast: false };
  },
  emptied: (head) => head,
  summedFrom: null,
};

export const erasePngData = (): CameraDataEraser => new ChunkEraser(png);
export const eraseWebpData = (): CameraDataEraser => new ChunkEraser(webp);

type Part = 'start' | 'head' | 'drawing' | 'exif' | 'other' | 'tail' | 'after';

/**
 * Overwrites in a picture of chunks what its camera and other programs wrote beside it: position, time, owner, texts.
 * Colours and orientation stay, and so does the number of bytes.
 */
class ChunkEraser implements CameraDataEraser {
  readonly #format: ChunkFormat;
  #part: Part = 'start';
  #left: number;
  #chunk: Chunk = { meaning: 'drawing', bytes: 0, tailBytes: 0, isLast: false };
  /** Bytes of a head, a tail or Exif data that have not ended yet. */
  #pending = Buffer.alloc(0);
  /** Head of Exif data, whose type depends on them. */
  #head = Buffer.alloc(0);
  #sum = 0;

  constructor(format: ChunkFormat) {
    this.#format = format;
    this.#left = format.startBytes;
  }

  take(input: Buffer): Buffer {
    const out: Buffer[] = [];
    for (let at = 0; at < input.length; ) {
      const piece = input.subarray(at, at + this.#left);
      at += piece.length;
      this.#left -= piece.length;
      out.push(this.#passed(piece));
      while (this.#left === 0) out.push(this.#endPart());
    }
    return Buffer.concat(out);
  }

  rest(): Buffer {
    return this.#part === 'exif' ? Buffer.concat([this.#head, this.#pending.fill(0)]) : this.#pending;
  }

  /** Returns the bytes of a piece that need not wait for the end of their part. */
  #passed(piece: Buffer): Buffer {
    switch (this.#part) {
      case 'start':
      case 'drawing':
        return piece;
      case 'after':
        return piece.fill(0);
      case 'other':
        this.#sum = crc32(piece.fill(0), this.#sum);
        return piece;
      default:
        this.#pending = Buffer.concat([this.#pending, piece]);
        return Buffer.alloc(0);
    }
  }

  /** Ends a part, and returns the bytes that waited for its end. */
  #endPart(): Buffer {
    if (this.#part === 'head') return this.#afterHead();
    if (this.#part === 'exif') return this.#afterExif();
    if (this.#part === 'tail') return this.#afterTail();
    if (this.#part === 'start') this.#begin('head', headBytes);
    else this.#begin('tail', this.#chunk.tailBytes);
    return Buffer.alloc(0);
  }

  #begin(part: Part, bytes: number): void {
    this.#part = part;
    this.#left = bytes;
    this.#pending = Buffer.alloc(0);
  }

  #afterHead(): Buffer {
    this.#head = this.#pending;
    this.#chunk = this.#format.read(this.#head);
    const { meaning, bytes } = this.#chunk;
    const isUnsearched = meaning === 'exif' && bytes > exifBytesMax;
    this.#begin(isUnsearched ? 'other' : meaning, bytes);
    if (this.#part === 'exif') return Buffer.alloc(0);
    return this.#part === 'other' ? this.#emptiedHead() : this.#head;
  }

  #emptiedHead(): Buffer {
    const made = this.#format.emptied(this.#head);
    this.#sum = crc32(made.subarray(this.#format.summedFrom ?? 0));
    return made;
  }

  #afterExif(): Buffer {
    const exif = this.#pending;
    this.#begin('tail', this.#chunk.tailBytes);
    const hasName = exif.toString('latin1', 0, exifName.length) === exifName;
    const orientation = orientationIn(hasName ? exif.subarray(exifName.length) : exif);
    exif.fill(0);
    if (orientation === null || exif.length < orientationBytes) {
      const made = this.#emptiedHead();
      this.#sum = crc32(exif, this.#sum);
      return Buffer.concat([made, exif]);
    }
    exifOf(orientation).copy(exif);
    this.#sum = crc32(exif, crc32(this.#head.subarray(this.#format.summedFrom ?? 0)));
    return Buffer.concat([this.#head, exif]);
  }

  #afterTail(): Buffer {
    const tail = this.#pending;
    if (this.#chunk.meaning !== 'drawing' && this.#format.summedFrom !== null) tail.writeUInt32BE(this.#sum);
    if (this.#chunk.isLast) this.#begin('after', Number.POSITIVE_INFINITY);
    else this.#begin('head', headBytes);
    return tail;
  }
}
