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

/** What was interrupted ends so. */
export const partialSuffix = '.partial';
const ownerOnly = 0o600;

/**
 * Where the bytes of a backup go: all of them are kept there when it resolves, and nothing of them where it does not.
 * @throws BackupError for what an operator can mend.
 */
export type BackupSink = (content: Readable) => Promise<void>;

/** Hands a tar file with what `fill` adds to a sink; whatever goes wrong on one side ends the other. */
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

/** A file that gets its name only when it is whole and on the disk. @throws BackupError where it is there already, or there is no room. */
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
  if (isDiskFull(error)) return new BackupError(`There is no room for the backup at ${path}. Nothing of it was left.`);
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
    // Whoever waits hears of it; a rejection before that is not an unhandled one.
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

/** A new name is safe only once its folder is on the disk. Windows keeps names safe by itself. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
