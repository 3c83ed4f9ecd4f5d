import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
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
  const reader = new RangeReader(sizeBytes, read);
  await requireSmallDirectory(reader, limits);
  const entries = new Map<string, FileEntry>();
  let contentBytes = 0;
  let packedBytes = 0;
  const archive = new ZipReader(reader, { useWebWorkers: false, ...(password === null ? {} : { password }) });
  try {
    for await (const entry of archive.getEntriesGenerator()) {
      if (entries.size >= limits.entriesMax) throw tooManyEntries();
      if (entry.directory || !isFlat(entry.filename) || entries.has(entry.filename)) throw notOurs();
      entries.set(entry.filename, entry);
      contentBytes += entry.uncompressedSize;
      packedBytes += entry.compressedSize;
      if (contentBytes > limits.contentBytesMax || isBomb(entry)) throw unfoldsTooFar();
      // More than there is can only be had where entries share their bytes.
      if (packedBytes > sizeBytes) throw damaged();
    }
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

/** Random access for the library, a part at a time. */
class RangeReader extends Reader<void> {
  readonly #read: ReadPart;

  constructor(sizeBytes: number, read: ReadPart) {
    super(undefined);
    this.size = sizeBytes;
    this.#read = read;
  }

  override async init(): Promise<void> {
    await super.init?.();
  }

  override async readUint8Array(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(offset + length, this.size) - 1;
    if (end < offset) return new Uint8Array(0);
    const parts: Buffer[] = [];
    for await (const part of await this.#read({ start: offset, end })) parts.push(part);
    return Buffer.concat(parts);
  }
}

const endRecordBytes = 22;
const commentBytesMax = 65_535;
const endSignature = 0x06054b50;
/** Says that the real number is too large to stand here, and stands in a record before this one. */
const elsewhere = 0xffffffff;
const locatorBytes = 20;
const locatorSignature = 0x07064b50;
const largeRecordBytes = 56;

/** Refuses a list of entries that is too large to be read at all (APPNOTE.TXT §4.3.14 to §4.3.16). */
async function requireSmallDirectory(reader: RangeReader, { directoryBytesMax }: ArchiveLimits): Promise<void> {
  const tailBytes = Math.min(reader.size, endRecordBytes + commentBytesMax + locatorBytes);
  const tail = Buffer.from(await reader.readUint8Array(reader.size - tailBytes, tailBytes));
  for (let at = tail.length - endRecordBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== endSignature) continue;
    const stated = tail.readUInt32LE(at + 12);
    const isElsewhere = stated === elsewhere || tail.readUInt32LE(at + 16) === elsewhere;
    const directoryBytes = isElsewhere ? await largeDirectoryBytes(reader, tail, at - locatorBytes) : stated;
    if (directoryBytes > directoryBytesMax) throw tooManyEntries();
    return;
  }
  throw damaged();
}

async function largeDirectoryBytes(reader: RangeReader, tail: Buffer, locatorAt: number): Promise<number> {
  if (locatorAt < 0 || tail.readUInt32LE(locatorAt) !== locatorSignature) throw damaged();
  const recordAt = Number(tail.readBigUInt64LE(locatorAt + 8));
  const record = Buffer.from(await reader.readUint8Array(recordAt, largeRecordBytes));
  if (record.length < largeRecordBytes) throw damaged();
  return Number(record.readBigUInt64LE(40));
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
    return wrongKey('This key does not open the archive. Take the one that was saved with it.');
  return damaged();
}

function wrongKey(message: string): AppError {
  return new AppError('VALIDATION', message, { issues: [{ path: 'key', message }] });
}

function damaged(): AppError {
  return new AppError('VALIDATION', 'This archive is incomplete or damaged, so we took nothing from it.');
}

function notOurs(): AppError {
  return new AppError('VALIDATION', 'This archive was not made by an export, so we took nothing from it.');
}

function unfoldsTooFar(): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    'This archive unfolds to more than any vault holds, so we took nothing from it.',
  );
}

function tooManyEntries(): AppError {
  return new AppError('VALIDATION', 'This archive holds more files than any vault, so we took nothing from it.');
}
