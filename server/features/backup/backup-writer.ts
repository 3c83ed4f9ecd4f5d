import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { isDiskFull } from '#server/platform/files/full-disk.ts';
import { BackupError } from './backup.format.ts';

/** Adds entries, one after the other. A reader of the digest knows everything that was added. */
export type BackupWriter = {
  add(name: string, content: Buffer): Promise<void>;
  /** @throws where the stream gives another number of bytes. */
  addStream(name: string, sizeBytes: number, content: Readable): Promise<void>;
  /** SHA-256 of all names, lengths and contents so far, in hexadecimal. */
  digest(): string;
};

/** Suffix of a file that is still being written. An interrupted backup keeps it. */
export const partialSuffix = '.partial';
const ownerOnly = 0o600;

/**
 * Destination of a backup's bytes. If it resolves, all of them are stored; if it rejects, none are.
 * @throws BackupError for a problem that an operator can fix.
 */
export type BackupSink = (content: Readable) => Promise<void>;

/** Streams a tar file with the entries of `fill` to a sink. A failure on either side ends both. */
export async function writeBackup(sink: BackupSink, fill: (writer: BackupWriter) => Promise<void>): Promise<void> {
  const tar = pack();
  // Through the iterator, which brings an error of one side to the other.
  const content = Readable.from(tar);
  const kept = sink(content).catch((error: unknown) => {
    content.destroy();
    throw error;
  });
  const filled = fill(writerTo(tar)).then(
    () => tar.finalize(),
    (error: unknown) => {
      tar.destroy(error instanceof Error ? error : new Error('The backup was given up.'));
      throw error;
    },
  );
  const outcomes = await Promise.allSettled([kept, filled]);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}

/**
 * A file that gets its name only when it is complete and on the disk.
 * @throws BackupError if it exists already, or the disk is full.
 */
export function fileSink(path: string): BackupSink {
  return async (content) => {
    await refuseTaken(path);
    const partial = `${path}${partialSuffix}`;
    try {
      await pipeline(content, createWriteStream(partial, { mode: ownerOnly, flush: true }));
      await rename(partial, path);
      await syncFolder(dirname(path));
    } catch (error) {
      await rm(partial, { force: true });
      throw explained(error, path);
    }
  };
}

async function refuseTaken(path: string): Promise<void> {
  const isTaken = await access(path).then(
    () => true,
    () => false,
  );
  if (isTaken) throw new BackupError(`There is a file at ${path} already. Name another one, or move it away.`);
}

function explained(error: unknown, path: string): unknown {
  if (isDiskFull(error))
    return new BackupError(`There is not enough space for the backup at ${path}. The unfinished file was removed.`);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EROFS') {
    return new BackupError(`The backup cannot be written to ${path}: the folder is missing, or closed to this user.`);
  }
  return error;
}

function writerTo(tar: Pack): BackupWriter {
  const hash = createHash('sha256');

  async function addStream(name: string, sizeBytes: number, content: Iterable<Buffer> | Readable): Promise<void> {
    hash.update(`${name} ${sizeBytes}\n`);
    const { promise: isOver, resolve, reject } = Promise.withResolvers<unknown>();
    const header = { name, size: sizeBytes, mode: ownerOnly, type: 'file' } as const;
    const sink = tar.entry(header, (error) => (error ? reject(error) : resolve(null)));
    // The awaiting caller gets the rejection. Without this, an earlier one would count as unhandled.
    isOver.catch(() => undefined);
    sink.on('error', reject);
    for await (const chunk of content) {
      hash.update(chunk);
      if (!sink.write(chunk)) await Promise.race([drained(sink), isOver]);
    }
    sink.end(null);
    await isOver;
  }

  return {
    add: (name, content) => addStream(name, content.length, [content]),
    addStream,
    digest: () => hash.copy().digest('hex'),
  };
}

function drained(sink: Pick<NodeJS.EventEmitter, 'once'>): Promise<void> {
  return new Promise((resolve) => sink.once('drain', resolve));
}

/** A new name is durable only after a sync of its folder. Windows does that automatically. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
