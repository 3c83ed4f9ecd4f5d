import { pipeline, type Readable, Transform } from 'node:stream';
import { createDeflateRaw } from 'node:zlib';
import { filledStream, writeInto } from '#server/platform/streams/streams.ts';
import { createEntryKeys, entrySealBytes, sealEntry } from './entry-seal.ts';
import { methods } from './zip-records.ts';
import { createZipWriter } from './zip-writer.ts';

export type ZipFile = { name: string; sizeBytes: number; content: AsyncIterable<Buffer>; modifiedAt: Date };
export type ZipText = { name: string; text: AsyncIterable<string | Buffer>; modifiedAt: Date };

/** Puts entries into an archive, one after the other. */
export type ZipEntries = {
  /** Stored as it is: photographs, films and PDFs are compressed already. `content` must give exactly `sizeBytes`. */
  addFile(file: ZipFile): Promise<void>;
  /** Compressed; of any length but none, which 7-Zip would call damaged. */
  addText(text: ZipText): Promise<void>;
};

/**
 * An archive with AES-256 entries, in the open format of 7-Zip, made while it is read. If `fill` fails the stream
 * fails, so that a part never counts as the whole.
 */
export function encryptedZip(password: string, fill: (entries: ZipEntries) => Promise<void>): Readable {
  return filledStream(joinPieces(), (out) => write(out, password, fill));
}

async function write(out: Transform, password: string, fill: (entries: ZipEntries) => Promise<void>): Promise<void> {
  const writer = createZipWriter((bytes) => writeInto(out, bytes));
  const nextKey = createEntryKeys(password);
  await fill({
    async addFile({ name, sizeBytes, content, modifiedAt }) {
      const counted = counting(content);
      const sealed = sealEntry(await nextKey(), counted.content);
      const announced = { sizeBytes, sealedBytes: sizeBytes + entrySealBytes };
      await writer.add({ name, method: methods.stored, modifiedAt, sealed, announced, passedBytes: counted.bytes });
    },
    async addText({ name, text, modifiedAt }) {
      const counted = counting(encoded(text));
      const sealed = sealEntry(await nextKey(), deflate(counted.content));
      await writer.add({
        name,
        method: methods.deflated,
        modifiedAt,
        sealed,
        announced: null,
        passedBytes: counted.bytes,
      });
    },
  });
  await writer.end();
}

function counting(content: AsyncIterable<Buffer>) {
  let bytes = 0;
  async function* count(): AsyncGenerator<Buffer> {
    for await (const piece of content) {
      bytes += piece.length;
      yield piece;
    }
  }
  return { content: count(), bytes: () => bytes };
}

/** Text as UTF-8. */
export async function* encoded(text: AsyncIterable<string | Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of text) yield typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece;
}

function deflate(content: AsyncIterable<Buffer>): Readable {
  // Failures surface at the reader of the last of the three.
  return pipeline(content, joinPieces(), createDeflateRaw(), () => undefined);
}

const largePieceBytes = 32_768;

/** Hands small pieces on together: what each costs on its way hangs little on its length. Large ones pass untouched. */
function joinPieces(): Transform {
  let pieces: Buffer[] = [];
  let bytes = 0;
  function take(): Buffer {
    const joined = Buffer.concat(pieces, bytes);
    pieces = [];
    bytes = 0;
    return joined;
  }
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      const isLarge = piece.length >= largePieceBytes;
      if (bytes > 0 && (isLarge || bytes >= largePieceBytes)) this.push(take());
      if (isLarge) return done(null, piece);
      pieces.push(piece);
      bytes += piece.length;
      done();
    },
    flush(done) {
      done(null, take());
    },
  });
}
