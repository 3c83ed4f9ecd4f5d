import { once } from 'node:events';
import type { Readable, Transform, Writable } from 'node:stream';

/**
 * Keeps an error of a stream until a reader comes. Without a listener, Node would end the process with it. A reader
 * that comes later still receives the error, because a destroyed stream remembers it.
 */
export function keepError<Stream extends Readable | Writable>(stream: Stream): Stream {
  stream.on('error', () => undefined);
  return stream;
}

/** Returns `out`, whose reader receives the error if `work` rejects, however late it begins to read. */
export function failedBy<Out extends Readable>(out: Out, work: Promise<unknown>): Out {
  keepError(out);
  work.catch((error: unknown) => void out.destroy(error instanceof Error ? error : new Error(String(error))));
  return out;
}

/** Returns `out`, which `fill` writes to, and which ends when `fill` resolves and fails when it rejects. */
export function filledStream<Out extends Transform>(out: Out, fill: (out: Out) => Promise<void>): Out {
  return failedBy(
    out,
    fill(out).then(() => out.end()),
  );
}

/** Resolves when the first bytes of a stream can be read. @throws the error of the stream, also one from before. */
export async function firstBytes(stream: Readable): Promise<void> {
  if (stream.errored) throw stream.errored;
  await once(stream, 'readable');
}

/** Waits until the reader continues. Fails if the reader has left. */
export async function writeInto(out: Transform, bytes: Buffer): Promise<void> {
  if (out.destroyed) throw new Error('Nobody reads this file any more.');
  if (out.write(bytes)) return;
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(out, 'drain', { signal }), once(out, 'close', { signal })]);
  waiting.abort();
}
