import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { SealBrokenError, type SealContext, wrappedKeyBytes } from './envelope.ts';
import { telling, type Vault } from './vault.ts';

/** Bytes of content in every segment but the last. */
export const segmentBytes = 65_536;

const algorithm = 'aes-256-gcm';
const formatVersion = 1;
const tagBytes = 16;
const nonceBytes = 12;
/** Format version, then the file's own key, sealed with the key of the vault. */
const headerBytes = 1 + wrappedKeyBytes;
const sealedSegmentBytes = segmentBytes + tagBytes;
const noBytes = Buffer.alloc(0);

/** Bytes from `start` to `end`, both included. */
export type ByteRange = { start: number; end: number };

/** Gives the stored bytes from `start` on, up to and including `end` where one is named. */
export type ReadSealed = (range: { start: number; end?: number }) => Promise<Readable>;

/**
 * Seals a file as a stream, in constant memory. Writes a header, then segments of AES-256-GCM. A segment's nonce is
 * its number and a mark for the last one: the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár 2015,
 * https://eprint.iacr.org/2015/189). So segments can't be cut off, reordered, repeated or added unnoticed. A key
 * serves one file only, so counting nonces never repeat under it.
 */
export function sealFile(vault: Vault, fileId: string): Transform {
  const { key, wrapped } = vault.newFileKey(placeOf(fileId));
  const pending = Buffer.allocUnsafe(segmentBytes);
  let pendingBytes = 0;
  let segment = 0;

  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let offset = 0; offset < chunk.length; ) {
        // Only a byte after a full segment shows that the segment was not the last.
        if (pendingBytes === segmentBytes) {
          pushSealed(this, { key, number: segment, isLast: false, content: pending });
          segment += 1;
          pendingBytes = 0;
        }
        const copied = chunk.copy(pending, pendingBytes, offset);
        pendingBytes += copied;
        offset += copied;
      }
      done();
    },
    flush(done) {
      pushSealed(this, { key, number: segment, isLast: true, content: pending.subarray(0, pendingBytes) });
      done();
    },
  });
  stream.push(Buffer.concat([Buffer.of(formatVersion), wrapped]));
  return stream;
}

export type SealedFile = {
  vault: Vault;
  fileId: string;
  /** Length of the content as it was when it was sealed. */
  sizeBytes: number;
  /** Left out for the whole file. */
  range?: ByteRange | undefined;
  read: ReadSealed;
};

/**
 * Opens a sealed file, or a part of it, as a stream. The stream ends only after each part was verified. If data was
 * changed, cut, moved or added, it fails with `SealBrokenError` before the segment concerned.
 */
export async function openFile({ vault, fileId, sizeBytes, range, read }: SealedFile): Promise<Readable> {
  const context = placeOf(fileId);
  const last = Math.max(0, Math.ceil(sizeBytes / segmentBytes) - 1);
  const { start, end } = range ?? { start: 0, end: Math.max(0, sizeBytes - 1) };
  const first = Math.floor(start / segmentBytes);
  const until = Math.floor(end / segmentBytes);

  // If the last segment is wanted, one byte beyond the end is requested too: its presence shows that data was added.
  const sealedEnd = until === last ? sealedBytesOf(sizeBytes) : segmentStart(until + 1) - 1;
  // From the beginning on, header and segments are read at once: where files are small, asking takes longer than reading.
  const header = first === 0 ? null : await readHeader(read);
  const key = header && telling(vault.reportBroken, () => openHeader(vault, context, header));
  const sealed = await read({ start: first === 0 ? 0 : segmentStart(first), end: sealedEnd });
  const take = sizeBytes === 0 ? 0 : end - start + 1;
  const lastBytes = sizeBytes - last * segmentBytes;
  const skip = start - first * segmentBytes;
  const opener = new OpenSegments({ vault, key, context, first, until, last, lastBytes, skip, take });
  opener.on('error', (error) => {
    if (error instanceof SealBrokenError) vault.reportBroken(context);
  });
  // Before the pipeline, which would report a file that was cut off as a reader that left.
  sealed.on('close', () => {
    if (!sealed.readableEnded && !sealed.errored) opener.destroy(new SealBrokenError(context));
  });
  // A reader of `opener` receives every failure.
  return pipeline(sealed, opener, () => undefined);
}

/** Number of bytes that are stored for a file of `sizeBytes`. */
export function sealedBytesOf(sizeBytes: number): number {
  return headerBytes + sizeBytes + tagBytes * Math.max(1, Math.ceil(sizeBytes / segmentBytes));
}

type OpenOptions = {
  vault: Vault;
  /** The file's own key, or null where the header comes before the segments. */
  key: KeyObject | null;
  context: SealContext;
  /** Numbers of the first and the last segment that are read, and of the last that the file has. */
  first: number;
  until: number;
  last: number;
  /** Bytes of content in the last one. */
  lastBytes: number;
  /** Bytes of content to leave out at the beginning, and to give after that. */
  skip: number;
  take: number;
};

class OpenSegments extends Transform {
  readonly #options: OpenOptions;
  /** Incomplete start of the next part, which is the header or a segment. */
  #pending = noBytes;
  #pendingBytes = 0;
  #key: KeyObject | null;
  #segment: number;
  #skip: number;
  #take: number;

  constructor(options: OpenOptions) {
    super();
    this.#options = options;
    this.#key = options.key;
    this.#segment = options.first;
    this.#skip = options.skip;
    this.#take = options.take;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      let rest = chunk;
      while (rest.length > 0) {
        const wantedBytes = this.#key ? sealedSegmentBytes : headerBytes;
        if (this.#pendingBytes === wantedBytes) this.#openPending();
        // A segment that came whole is opened only once it is clear that something follows.
        else if (this.#pendingBytes === 0 && rest.length > wantedBytes) {
          this.#open(rest.subarray(0, wantedBytes));
          rest = rest.subarray(wantedBytes);
        } else rest = this.#keep(rest, wantedBytes);
      }
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    try {
      if (!this.#key) this.#openPending();
      if (this.#segment !== this.#options.until) throw new SealBrokenError(this.#options.context);
      this.#openPending();
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  /** The system may still refer to a closed file, and V8 would keep this memory until its next full collection. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#pending = noBytes;
    done(error);
  }

  /** Returns the buffered bytes once the next part is complete. */
  #keep(bytes: Buffer, wantedBytes: number): Buffer {
    if (this.#pending.length === 0) this.#pending = Buffer.allocUnsafe(sealedSegmentBytes);
    const kept = bytes.copy(this.#pending, this.#pendingBytes, 0, wantedBytes - this.#pendingBytes);
    this.#pendingBytes += kept;
    return bytes.subarray(kept);
  }

  #openPending(): void {
    const sealed = this.#pending.subarray(0, this.#pendingBytes);
    this.#pendingBytes = 0;
    this.#open(sealed);
  }

  /** Opens the next part: first the header, if there is one, then one segment after another. */
  #open(sealed: Buffer): void {
    const { vault, context, until, last, lastBytes } = this.#options;
    if (!this.#key) {
      this.#key = openHeader(vault, context, sealed);
      return;
    }
    if (this.#segment > until) throw new SealBrokenError(context);
    const isLast = this.#segment === last;
    const content = openSegment({ key: this.#key, context, sealed, number: this.#segment, isLast });
    if (isLast && content.length !== lastBytes) throw new SealBrokenError(context);
    const wanted = content.subarray(this.#skip, this.#skip + this.#take);
    if (wanted.length > 0) this.push(wanted);
    this.#skip = 0;
    this.#take -= wanted.length;
    this.#segment += 1;
  }
}

/** Position of a segment in the stored file. */
function segmentStart(number: number): number {
  return headerBytes + number * sealedSegmentBytes;
}

async function readHeader(read: ReadSealed): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of await read({ start: 0, end: headerBytes - 1 })) parts.push(part);
  return Buffer.concat(parts);
}

function openHeader(vault: Vault, context: SealContext, header: Buffer): KeyObject {
  if (header.length !== headerBytes || header[0] !== formatVersion) throw new SealBrokenError(context);
  return vault.openFileKey(context, header.subarray(1));
}

type Content = { key: KeyObject; number: number; isLast: boolean; content: Buffer };

/** In two pieces, so that no segment is copied only to stand beside its tag. */
function pushSealed(to: Readable, { key, number, isLast, content }: Content): void {
  const cipher = createCipheriv(algorithm, key, nonceOf(number, isLast), { authTagLength: tagBytes });
  if (content.length > 0) to.push(cipher.update(content));
  cipher.final();
  to.push(cipher.getAuthTag());
}

type Segment = { key: KeyObject; context: SealContext; sealed: Buffer; number: number; isLast: boolean };

function openSegment({ key, context, sealed, number, isLast }: Segment): Buffer {
  if (sealed.length < tagBytes) throw new SealBrokenError(context);
  const tagStart = sealed.length - tagBytes;
  const decipher = createDecipheriv(algorithm, key, nonceOf(number, isLast), { authTagLength: tagBytes });
  decipher.setAuthTag(sealed.subarray(tagStart));
  const content = decipher.update(sealed.subarray(0, tagStart));
  try {
    decipher.final();
  } catch {
    // Only the tag comparison can fail here, and the library's message would not help.
    throw new SealBrokenError(context);
  }
  return content;
}

/** The segment's number in eleven bytes, then one that is 1 for the last segment. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(nonceBytes);
  nonce.writeUIntBE(number, nonceBytes - 1 - 6, 6);
  nonce[nonceBytes - 1] = isLast ? 1 : 0;
  return nonce;
}

function placeOf(fileId: string): SealContext {
  return { table: 'file_objects', column: 'content', rowId: fileId };
}
