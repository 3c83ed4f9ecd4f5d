import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { copySegmentBytes, inPageBytesMax } from '#shared/rules/exports/copy-format.ts';
import { fileOf, options, vaultOf } from './copy.test-world.ts';
import { findFurther, writeCopy, writeFurther } from './export-copy.ts';

const passphrase = 'the lemon tree, at Nan’s';
const chunkBytes = 65_536;
const chunksOfVault = 640;
/** One piece that is sealed, one that waits for its reader, and the buffers of streams. */
const chunksAheadMax = 3 * (copySegmentBytes / chunkBytes);
const turns = 2_000;

/** A document of 40 MiB, and a count of its chunks that were read. */
function largeVault() {
  const read = { chunks: 0 };
  function* content() {
    for (let chunk = 0; chunk < chunksOfVault; chunk += 1) {
      read.chunks += 1;
      yield Buffer.alloc(chunkBytes, chunk);
    }
  }
  const file = fileOf({ name: 'film.mp4', mimeType: 'video/mp4', content, sizeBytes: chunksOfVault * chunkBytes });
  return { read, source: vaultOf({ documents: [{ fields: { name: 'The film' }, file }] }) };
}

test('a copy is made as fast as it is read: a reader that stops has a few pieces in memory, and not the vault', async () => {
  const { read, source } = largeVault();
  const copy = await writeCopy(source, options, { passphrase, further: new Map() });
  const reader = copy[Symbol.asyncIterator]();
  let receivedBytes = 0;
  while (receivedBytes < 4 * copySegmentBytes) receivedBytes += ((await reader.next()).value as Buffer).length;
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  const sentChunks = Math.ceil(receivedBytes / chunkBytes);
  expect(read.chunks).toBeLessThan(sentChunks + chunksAheadMax);

  for (let step = await reader.next(); !step.done; step = await reader.next()) receivedBytes += step.value.length;
  expect(read.chunks).toBe(chunksOfVault);
  expect(receivedBytes).toBeGreaterThan((chunksOfVault * chunkBytes * 4) / 3);
});

test('a copy begins with its charset, which browsers look for in 1,024 bytes, and then says how it is opened', async () => {
  const copy = await writeCopy(vaultOf({}), options, { passphrase, further: new Map() });
  const start = String(Buffer.concat(await copy.toArray()).subarray(0, 1_024));
  expect(start).toMatch(
    /^<!doctype html>\n<html lang="en-GB">\n<head>\n<meta charset="utf-8">\n<!--\nA SEALED COPY OF A VAULT/,
  );
});

test('a reader that leaves ends the reading of the vault', async () => {
  const { read, source } = largeVault();
  const copy = await writeCopy(source, options, { passphrase, further: new Map() });
  for await (const _ of copy) break;
  const readSoFar = read.chunks;
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  expect(read.chunks).toBeLessThan(readSoFar + chunksAheadMax);
});

test('only files above the limit stay beside the page, under ids that tell nothing of them', async () => {
  const content = () => [Buffer.from('a film')];
  const [small, large] = [inPageBytesMax, inPageBytesMax + 1].map((sizeBytes) =>
    fileOf({ name: `${sizeBytes}.mp4`, mimeType: 'video/mp4', content, sizeBytes }),
  );
  const attachment = large ?? null;
  const letters = [{ fields: {}, attachment, enclosures: small ? [{ fields: {}, file: small }] : [] }];
  const further = await findFurther(vaultOf({ letters }));
  expect([...further.values()]).toEqual([large]);
  const [id = ''] = [...further.keys()];
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  const sealed = Buffer.concat(await (await writeFurther(further, id, passphrase)).toArray());
  expect(sealed.subarray(0, 8).toString()).toBe('EKCOPY1\n');
  expect(sealed.length).toBe(8 + 16 + 'a film'.length + 16);
  await expect(writeFurther(further, 'other', passphrase)).rejects.toMatchObject({ type: 'NOT_FOUND' });
});
