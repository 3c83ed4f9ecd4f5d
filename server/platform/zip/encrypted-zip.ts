import { PassThrough, Readable, Writable } from 'node:stream';
import { ZipWriter as createWriter, type ZipWriter } from '@zip.js/zip.js';
import { createEntryKeys, entrySealBytes, sealEntry } from './entry-seal.ts';

/** Stored as it is: photographs, films and PDFs are compressed already. */
const stored = 0;
const aes256 = 3;

export type ZipFile = { name: string; sizeBytes: number; content: AsyncIterable<Buffer>; modifiedAt: Date };
export type ZipText = { name: string; text: AsyncIterable<string | Buffer>; modifiedAt: Date };

/** Puts entries into an archive, one after the other. */
export type ZipEntries = {
  /** `content` must give exactly `sizeBytes`. */
  addFile(file: ZipFile): Promise<void>;
  /** Compressed; of any length. */
  addText(text: ZipText): Promise<void>;
};

/**
 * An archive whose entries are encrypted with AES-256, in the open format that 7-Zip and others read, made while it is
 * read. Where `fill` fails the stream fails, so that nobody takes a part for the whole.
 */
export function encryptedZip(password: string, fill: (entries: ZipEntries) => Promise<void>): Readable {
  const out = new PassThrough();
  const writer = new createWriter(Writable.toWeb(out), {
    password,
    encryptionStrength: aes256,
    useWebWorkers: false,
  });
  write(writer, password, fill).then(
    () => out.end(),
    (error: unknown) => out.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return out;
}

async function write(
  writer: ZipWriter<unknown>,
  password: string,
  fill: (entries: ZipEntries) => Promise<void>,
): Promise<void> {
  const nextKey = createEntryKeys(password);
  await fill({
    async addFile({ name, sizeBytes, content, modifiedAt }) {
      const sealed = Readable.from(sealEntry(await nextKey(), content), { objectMode: false });
      const source = { readable: webStream(sealed), size: sizeBytes + entrySealBytes };
      await writer.add(name, source, {
        passThrough: true,
        encrypted: true,
        compressionMethod: stored,
        uncompressedSize: sizeBytes,
        lastModDate: modifiedAt,
        password: '',
      });
    },
    async addText({ name, text, modifiedAt }) {
      const bytes = Readable.from(encoded(text), { objectMode: false });
      await writer.add(name, { readable: webStream(bytes) }, { lastModDate: modifiedAt });
    },
  });
  await writer.close();
}

async function* encoded(text: AsyncIterable<string | Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of text) yield typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece;
}

/** Node's web streams are those of browsers; their types are declared twice. */
function webStream(readable: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(readable) as unknown as ReadableStream<Uint8Array>;
}
