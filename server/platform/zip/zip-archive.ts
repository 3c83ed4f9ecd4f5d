import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ERR_INVALID_PASSWORD, type FileEntry, Reader, ZipReader } from '@zip.js/zip.js';
import { filledStream } from '#server/platform/streams/streams.ts';
import { AppError } from '#shared/contract/errors.ts';

/** Bytes of an archive from `start` to `end`, both included. */
export type ReadPart = (range: { start: number; end: number }) => Promise<Readable>;

export type ArchiveLimits = {
  entriesMax: number;
  /** Bytes of the list of entries at the end of an archive, which is read as a whole. */
  directoryBytesMax: number;
  /** Bytes of all entries together, unfolded, as the archive states them; an entry that holds more fails. */
  contentBytesMax: number;
};

/** Above this many bytes an entry may unfold to at most `ratioMax` times its size in the archive. */
const ratioFromBytes = 10_000_000;
const ratioMax = 100;
/** Reads that the list of entries may take. A good archive takes a few, and a bad one has the library look for each of its entries. */
const listingReadsMax = 20;
/** Bytes that a record in the list of entries may have for its name, its additional fields and its comment. Programs write up to some hundred. */
const entryTextMax = 4_096;
/** Additional fields of a record. Programs write up to about ten. The library makes an object of each, of 280 bytes for one of 4. */
const entryFieldsMax = 16;
const listSignature = 0x02014b50;
const listRecordBytes = 46;
/** Longest time to unfold one entry: a video of 250 MB on a slow machine. */
const entryMs = 300_000;

/** An archive from a user. Its content is untrusted. */
export type Archive = {
  has(name: string): boolean;
  /** Bytes of an entry; fails if they don't match the seal. @throws AppError `VALIDATION`. */
  open(name: string): Promise<Readable>;
};

type ArchiveGiven = { sizeBytes: number; read: ReadPart; password: string | null; limits: ArchiveLimits };

/** Opens an archive whose entries lie side by side, without folders. @throws AppError `VALIDATION`. */
export async function openArchive({ sizeBytes, read, password, limits }: ArchiveGiven): Promise<Archive> {
  const reader = new RangeReader({ sizeBytes, read, atOnceMax: limits.directoryBytesMax });
  const entries = new Map<string, FileEntry>();
  let contentBytes = 0;
  let packedBytes = 0;
  const archive = new ZipReader(reader, {
    useWebWorkers: false,
    // An entry that is not sealed has a checksum alone.
    checkCrc32: true,
    ...(password === null ? {} : { password }),
  });
  try {
    for await (const entry of archive.getEntriesGenerator()) {
      if (entries.size >= limits.entriesMax) throw tooManyEntries();
      if (entry.directory || !isFlat(entry.filename) || entries.has(entry.filename)) throw notOurs();
      entries.set(entry.filename, entry);
      // The entry keeps what it needs of them in properties of its own.
      entry.extraField?.clear();
      contentBytes += entry.uncompressedSize;
      packedBytes += entry.compressedSize;
      if (contentBytes > limits.contentBytesMax || isBomb(entry)) throw unfoldsTooFar();
      // More than there is can only be had where entries share their bytes.
      if (packedBytes > sizeBytes) throw damaged();
      // Additional fields of one entry can be thousands, so others get their turn after each.
      await nextTurn();
    }
    reader.endListing();
  } catch (error) {
    throw explained(error);
  }

  return {
    has: (name) => entries.has(name),
    async open(name) {
      const entry = entries.get(name);
      if (!entry) throw damaged();
      if (entry.encrypted && password === null) throw wrongKey('This archive is encrypted. Give its key as well.');
      return filledStream(new PassThrough(), async (out) => {
        const limit = { signal: AbortSignal.timeout(entryMs) };
        await entry.getData(sinkInto(out, entry.uncompressedSize), limit).catch((error: unknown) => {
          throw explained(error);
        });
      });
    },
  };
}

function isBomb({ uncompressedSize, compressedSize }: FileEntry): boolean {
  return uncompressedSize > ratioFromBytes && uncompressedSize > compressedSize * ratioMax;
}

/**
 * Passes bytes on as they are read, up to the stated number. The filling code reports the end, so that the reason is
 * in our words.
 */
function sinkInto(out: PassThrough, statedBytes: number): WritableStream<Uint8Array> {
  let passedBytes = 0;
  return new WritableStream({
    async write(bytes) {
      passedBytes += bytes.length;
      if (passedBytes > statedBytes) throw damaged();
      if (out.destroyed) throw new Error('Nobody reads this entry any more.');
      if (out.write(bytes)) return;
      const waiting = new AbortController();
      const { signal } = waiting;
      await Promise.race([once(out, 'drain', { signal }), once(out, 'close', { signal })]);
      waiting.abort();
    },
  });
}

/**
 * Random access for the library, a part at a time. The library reads the list of entries as one part. How long that is follows from many
 * numbers in an archive, so the part itself is limited and no number is trusted.
 */
class RangeReader extends Reader<void> {
  readonly #read: ReadPart;
  readonly #atOnceMax: number;
  #readsLeft = listingReadsMax;
  #isListing = true;

  constructor({ sizeBytes, read, atOnceMax }: { sizeBytes: number; read: ReadPart; atOnceMax: number }) {
    super(undefined);
    this.size = sizeBytes;
    this.#read = read;
    this.#atOnceMax = atOnceMax;
  }

  override async init(): Promise<void> {
    await super.init?.();
  }

  endListing(): void {
    this.#isListing = false;
    this.#readsLeft = Number.POSITIVE_INFINITY;
  }

  override async readUint8Array(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(offset + length, this.size) - 1;
    if (end < offset) return new Uint8Array(0);
    if (end - offset >= this.#atOnceMax) throw tooManyEntries();
    if (this.#readsLeft === 0) throw damaged();
    this.#readsLeft -= 1;
    const parts: Buffer[] = [];
    for await (const part of await this.#read({ start: offset, end })) parts.push(part);
    const bytes = Buffer.concat(parts);
    if (this.#isListing) requireShortRecords(bytes);
    return bytes;
  }
}

/**
 * The library reads a record in one turn, up to 196 kB of it, which takes a tenth of a second. Bytes that are no list of entries pass.
 * @throws AppError if a record is longer, or has more additional fields, than any program writes.
 */
function requireShortRecords(bytes: Buffer): void {
  for (let at = 0; at + listRecordBytes <= bytes.length && bytes.readUInt32LE(at) === listSignature; ) {
    const [nameBytes, fieldBytes] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30)];
    const textBytes = nameBytes + fieldBytes + bytes.readUInt16LE(at + 32);
    const fieldsAt = at + listRecordBytes + nameBytes;
    if (textBytes > entryTextMax || hasManyFields(bytes.subarray(fieldsAt, fieldsAt + fieldBytes))) throw notOurs();
    at += listRecordBytes + textBytes;
  }
}

/** Each field has two bytes for its kind and two for its length (APPNOTE.TXT §4.5.1). */
function hasManyFields(bytes: Buffer): boolean {
  let fields = 0;
  for (let at = 0; at + 4 <= bytes.length && fields <= entryFieldsMax; fields += 1)
    at += 4 + bytes.readUInt16LE(at + 2);
  return fields > entryFieldsMax;
}

/** A name alone: no folder, no drive, no way up. */
function isFlat(name: string): boolean {
  return name !== '' && !/[/\\:\0]/.test(name) && !/^\.+$/.test(name);
}

/** The library's error as an error of ours. */
function explained(error: unknown): Error {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? error.message : '';
  if (message === ERR_INVALID_PASSWORD)
    return wrongKey('This key does not open the archive. Use the key that was saved with it.');
  return damaged();
}

function wrongKey(message: string): AppError {
  return new AppError('VALIDATION', message, { issues: [{ path: 'key', message }] });
}

function damaged(): AppError {
  return new AppError('VALIDATION', 'This archive is incomplete or damaged, so nothing was imported.');
}

function notOurs(): AppError {
  return new AppError(
    'VALIDATION',
    'This file is not an export of a vault, so nothing was imported. Choose an export file.',
  );
}

function unfoldsTooFar(): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    'This archive unpacks to more than any vault can hold, so nothing was imported.',
  );
}

function tooManyEntries(): AppError {
  return new AppError('VALIDATION', 'This archive holds more files than any vault can hold, so nothing was imported.');
}
