import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { filledStream, writeInto } from '#server/platform/streams/streams.ts';
import { encoded } from '#server/platform/zip/encrypted-zip.ts';
import { notFound } from '#shared/contract/errors.ts';
import { furtherMark, inPageBytesMax } from '#shared/rules/exports/copy-format.ts';
import type { ExportSource } from '../export.source.ts';
import { type ExportedFile, openForExport } from '../export-files.ts';
import type { ExportOptions } from '../export-json.ts';
import { addVault } from '../export-zip.ts';
import { copyEnd, copyHead, pieceElement } from './copy-page.ts';
import { newCopyKey, sealItem, sealOf } from './copy-seal.ts';

/** Files that are too large for the page, by the id under which each is asked for. */
export type FurtherFiles = ReadonlyMap<string, ExportedFile>;

const furtherIdDigits = 16;

/** It stays the same in later exports, and tells nothing of the file. */
function furtherIdOf({ id }: ExportedFile): string {
  return createHash('sha256').update(id).digest('hex').slice(0, furtherIdDigits);
}

export async function findFurther(source: ExportSource): Promise<FurtherFiles> {
  const found = new Map<string, ExportedFile>();
  const add = (file: ExportedFile) => {
    if (file.facts.sizeBytes > inPageBytesMax) found.set(furtherIdOf(file), file);
  };
  for await (const files of source.filesOfMessages()) files.forEach(add);
  for (const { file } of await source.documents()) add(file);
  return found;
}

/**
 * The vault as one page that opens without us, sealed with a passphrase. Files come before the text that names them, as in
 * an archive, and a piece at a time is in memory.
 */
export async function writeCopy(
  source: ExportSource,
  options: ExportOptions,
  { passphrase, further }: { passphrase: string; further: FurtherFiles },
): Promise<Readable> {
  const key = await newCopyKey(passphrase);
  return filledStream(new PassThrough(), async (out) => {
    const write = (text: string, encoding: BufferEncoding = 'utf8') => writeInto(out, Buffer.from(text, encoding));
    let number = 0;
    const addItem = async (name: string, content: AsyncIterable<Buffer>) => {
      number += 1;
      // All of it is ASCII, so that megabytes need no encoding.
      for await (const piece of sealItem(key, { name, number }, content))
        await write(pieceElement(name, piece), 'latin1');
    };
    await write(await copyHead(sealOf(key), options.exportedAt));
    const entries = {
      addFile: (file: { name: string; content: AsyncIterable<Buffer> }) => addItem(file.name, file.content),
      addText: (entry: { name: string; text: AsyncIterable<string | Buffer> }) =>
        addItem(entry.name, encoded(entry.text)),
    };
    await addVault(entries, source, options, (file) => {
      const id = furtherIdOf(file);
      return further.has(id) ? id : null;
    });
    await write(copyEnd);
  });
}

/** One of the files beside the page, sealed by itself. @throws AppError `NOT_FOUND` for a file that is not there. */
export async function writeFurther(further: FurtherFiles, id: string, passphrase: string): Promise<Readable> {
  const file = further.get(id);
  const opened = file && (await openForExport(file.content));
  if (opened === undefined) throw notFound('This file is not in your vault any more. Make the copy again.');
  if (typeof opened === 'string') throw notFound(`This file is ${opened} in your vault, so it could not be saved.`);
  const key = await newCopyKey(passphrase);
  return Readable.from(furtherPieces(), { objectMode: false });

  async function* furtherPieces(): AsyncGenerator<Buffer> {
    yield Buffer.concat([Buffer.from(furtherMark), key.salt]);
    try {
      for await (const { sealed } of sealItem(key, { name: id, number: 0 }, opened as Readable)) yield sealed;
    } finally {
      (opened as Readable).destroy();
    }
  }
}
