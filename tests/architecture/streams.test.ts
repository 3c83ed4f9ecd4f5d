import { expect, test } from 'vitest';
import { readSources, type Source } from './sources.ts';

/**
 * An `error` event without a listener ends the process, so streams are joined by `pipeline`, and `streams.ts` alone
 * destroys one with an error. Syntax shows no more than that: damaged-uploads.proof.test.ts shows the rest.
 */
const isOurs = ({ path }: Source) =>
  /^(server|build)\//.test(path) && !/\.(test|test-world|fixture|test-server)\.tsx?$/.test(path);
const sources = readSources().filter(isOurs);

/** Files that match, with the number of matches. */
function filesWith(pattern: RegExp, from: readonly Source[] = sources): [path: string, count: number][] {
  return from.flatMap(({ path, text }) => {
    const count = [...text.matchAll(pattern)].length;
    return count > 0 ? [[path, count] as [string, number]] : [];
  });
}

const pipedByHand = /\.pipe\(/g;
const destroyedWithError = /\.destroy\((?!\s*\))/g;

test('no stream is piped by hand', () => {
  expect(sources.length).toBeGreaterThan(500);
  expect(filesWith(pipedByHand)).toEqual([]);
});

/** Files where a listener is there for certain, with the number of calls. */
const listenedTo: Record<string, { calls: number; listener: string }> = {
  'server/features/backup/backup-writer.ts': { calls: 1, listener: 'the iterator that Readable.from has taken' },
  'server/platform/crypto/file-seal.ts': { calls: 1, listener: 'the one that reports broken seals' },
  'server/platform/db/connection-watch.ts': { calls: 1, listener: 'the client of the database' },
  'server/platform/streams/streams.ts': { calls: 1, listener: 'the one of keepError' },
};

test('a stream is destroyed with an error only where a listener is certain', () => {
  const allowed = Object.entries(listenedTo).map(([path, { calls }]) => [path, calls] as const);
  expect(filesWith(destroyedWithError).toSorted()).toEqual(allowed.toSorted());
});

test('finds streams that are piped by hand or destroyed with an error', () => {
  const wrong = `from.on('error', () => undefined);\nfrom\n  .pipe(to);\nto.destroy(\n  new Error('gone'));\nto.destroy();`;
  expect(filesWith(pipedByHand, [{ path: 'a.ts', text: wrong }])).toEqual([['a.ts', 1]]);
  expect(filesWith(destroyedWithError, [{ path: 'a.ts', text: wrong }])).toEqual([['a.ts', 1]]);
});
