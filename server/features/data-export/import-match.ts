import { createHash } from 'node:crypto';
import { SealBrokenError } from '#server/platform/crypto/vault.ts';
import { FileMissingError } from '#server/platform/files/file-store.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';

/** Something that is in the vault: what names it, and its file where it has one. */
export type Known = { identity: string; file: OutgoingFile | null };

/** Reads the bytes of something that comes in; null where there are none. */
export type OpenGiven = () => Promise<AsyncIterable<Buffer> | null>;

/**
 * Finds what is in a vault already. Each known thing answers for one given thing only: whoever wrote the same letter
 * twice has it twice afterwards. Files are compared by their bytes, and only where all else is the same.
 */
export function createMatcher(known: readonly Known[]) {
  const waiting = new Map<string, { file: OutgoingFile | null; hash?: Promise<string> }[]>();
  for (const { identity, file } of known) waiting.set(identity, [...(waiting.get(identity) ?? []), { file }]);

  /** Whether this is there, and from now on spoken for. */
  return async function isKnown(identity: string, open: OpenGiven): Promise<boolean> {
    const candidates = waiting.get(identity) ?? [];
    if (candidates.length === 0) return false;
    const content = await open();
    const hash = content && (await hashOf(content));
    for (const [index, candidate] of candidates.entries()) {
      // Without bytes, the name and length of a file have to do.
      const isSame = hash === null || candidate.file === null || (await hashOfKnown(candidate)) === hash;
      if (!isSame) continue;
      candidates.splice(index, 1);
      return true;
    }
    return false;
  };
}

function hashOfKnown(candidate: { file: OutgoingFile | null; hash?: Promise<string> }): Promise<string> {
  candidate.hash ??= (async () => (candidate.file ? hashOf(await candidate.file.open()) : ''))().catch(nothingThere);
  return candidate.hash;
}

/** A file that is gone or damaged is like no other, so what comes in is taken in its place. */
function nothingThere(error: unknown): string {
  if (error instanceof SealBrokenError || error instanceof FileMissingError) return '';
  throw error;
}

async function hashOf(content: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of content) hash.update(piece);
  return hash.digest('base64');
}
