import { Transform } from 'node:stream';
import type { AppError } from '#shared/contract/errors.ts';

/** Lets bytes pass and counts them; fails at the first one too many. Keeps the first `headBytes` of them to look at. */
export function countingStream(bytesMax: number, refusal: () => AppError, headBytes = 0) {
  let bytes = 0;
  const head: Buffer[] = [];
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (bytes < headBytes) head.push(chunk.subarray(0, headBytes - bytes));
      bytes += chunk.length;
      if (bytes > bytesMax) done(refusal());
      else done(null, chunk);
    },
  });
  return { stream, bytes: () => bytes, head: () => Buffer.concat(head) };
}
