import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { BackupError } from './backup.format.ts';
import type { BackupSink } from './backup-writer.ts';

/** First bytes of a file that is sealed to a public key (age-encryption.org/v1). */
const ageMark = Buffer.from('age-encryption.org/v1');
/** First bytes of a compressed file (RFC 8878 §3.1.1). */
const zstdMark = Buffer.from('28b52ffd', 'hex');

/** Compresses the content of a sink, and seals it if there is a public key. */
export function packingSink(sink: BackupSink, { recipient }: { recipient: string | undefined }): BackupSink {
  return async (content) => {
    const compressed = passing(content, createZstdCompress());
    await sink(recipient === undefined ? compressed : await sealedTo(recipient, compressed));
  };
}

async function sealedTo(recipient: string, content: Readable): Promise<Readable> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  const sealed = await encrypter.encrypt(Readable.toWeb(content) as ReadableStream<Uint8Array>);
  return fromWeb(sealed);
}

type Packed = { path: string; open?: () => Promise<Readable>; identityFile?: string | undefined };

/**
 * The tar file of a stored backup, which is sealed, compressed, or neither.
 * @throws BackupError if it is sealed and no key here opens it.
 */
export async function openPacked({ path, open, identityFile }: Packed): Promise<Readable> {
  const outside = await begun(open ? await open() : createReadStream(path));
  const inside = isMarked(outside, ageMark) ? await begun(await openSealed(outside.content, identityFile)) : outside;
  return isMarked(inside, zstdMark) ? unpacking(inside.content, createZstdDecompress()) : inside.content;
}

async function openSealed(content: Readable, identityFile: string | undefined): Promise<Readable> {
  if (identityFile === undefined) {
    content.destroy();
    throw new BackupError(
      'This backup is sealed to a public key (BACKUP_RECIPIENT). Set BACKUP_IDENTITY_FILE to the file with the key that opens it.',
    );
  }
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  for (const identity of await readIdentities(identityFile)) decrypter.addIdentity(identity);
  try {
    const opened = await decrypter.decrypt(Readable.toWeb(content) as ReadableStream<Uint8Array>);
    return unpacking(fromWeb(opened), new PassThrough());
  } catch {
    content.destroy();
    throw new BackupError(`No key in ${identityFile} opens this backup. It was sealed to another one.`);
  }
}

async function readIdentities(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new BackupError(`BACKUP_IDENTITY_FILE names ${path}, which cannot be read.`);
  });
  const keys = text.split(/\r?\n/).filter((line) => line.startsWith('AGE-SECRET-KEY-'));
  if (keys.length === 0) throw new BackupError(`There is no key in ${path}: age-keygen writes one.`);
  return keys;
}

type Begun = { head: Buffer; content: Readable };

/** The first bytes of a stream, and the stream with them. */
async function begun(content: Readable): Promise<Begun> {
  const pieces = content.iterator({ destroyOnReturn: false });
  const buffered: Buffer[] = [];
  let bytes = 0;
  while (bytes < ageMark.length) {
    const next = await pieces.next();
    if (next.done) break;
    buffered.push(Buffer.from(next.value));
    bytes += next.value.length;
  }
  const head = Buffer.concat(buffered);
  const whole = async function* () {
    if (head.length > 0) yield head;
    yield* content;
  };
  return { head, content: Readable.from(whole(), { objectMode: false }) };
}

function isMarked({ head }: Begun, mark: Buffer): boolean {
  return head.subarray(0, mark.length).equals(mark);
}

/** Pipes the content through. If either side fails, the returned stream fails with that error. */
function passing(content: Readable, through: NodeJS.ReadWriteStream, asFailure = asError): Readable {
  // The reader of the returned stream gets the error.
  const passed = pipeline(content, through, () => undefined);
  const pieces = async function* () {
    try {
      yield* passed as unknown as AsyncIterable<Buffer>;
    } catch (error) {
      throw asFailure(error);
    }
  };
  return Readable.from(pieces(), { objectMode: false });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** The packed file does not open: it was cut off or changed. */
export class BrokenPackError extends Error {
  override readonly name = 'BrokenPackError';
}

/** The disk's own failures stay what they are. */
function unpacking(content: Readable, through: NodeJS.ReadWriteStream): Readable {
  return passing(content, through, (error) => {
    const isOfDisk = error instanceof Error && 'syscall' in error;
    return isOfDisk || error instanceof BrokenPackError ? asError(error) : new BrokenPackError(String(error));
  });
}

function fromWeb(stream: ReadableStream<Uint8Array>): Readable {
  return Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);
}
