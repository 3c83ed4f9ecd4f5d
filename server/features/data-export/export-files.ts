import type { Readable } from 'node:stream';
import { SealBrokenError } from '#server/platform/crypto/vault.ts';
import { FileMissingError } from '#server/platform/files/file-store.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import type { FileProblem } from './export-format.ts';

/**
 * Opens a file to be exported. One that is gone or broken must not keep its owner from all the others, so that is
 * said in place of its bytes; a store that does not answer is a failure like any other.
 */
export async function openForExport(file: OutgoingFile): Promise<Readable | FileProblem> {
  try {
    const opened = await file.open();
    // It may break before anybody reads it; whoever does is told then.
    opened.on('error', () => undefined);
    return opened;
  } catch (error) {
    return problemOf(error);
  }
}

/** Gives the bytes of an opened file, and after the last one that can be read what is wrong with the rest. */
export async function* readForExport(content: Readable): AsyncGenerator<Buffer, FileProblem | null> {
  try {
    for await (const piece of content) yield piece as Buffer;
    return null;
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): FileProblem {
  if (error instanceof FileMissingError) return 'missing';
  if (error instanceof SealBrokenError) return 'damaged';
  throw error;
}
