import { Transform, type TransformCallback } from 'node:stream';
import { AppError } from '#shared/contract/errors.ts';
import { type CameraDataEraser, eraseCameraData } from './camera-data.ts';
import { erasePngData, eraseWebpData } from './camera-data-chunks.ts';
import { eraseGifData } from './camera-data-gif.ts';
import { type KindReader, readRichText, readSealed, readText, readWord } from './content-readers.ts';
import { refused } from './content-refusals.ts';
import { readOpenDocument, readWordPackage } from './package-readers.ts';
import { type PngWalk, readPng } from './png-walk.ts';

/** Kinds that only their whole content tells. */
const readersByExtension: Record<string, (signal?: AbortSignal) => KindReader> = {
  txt: readText,
  doc: readWord,
  docx: readWordPackage,
  odt: readOpenDocument,
  rtf: readRichText,
  sealed: readSealed,
};

/** Kinds of pictures into which cameras and programs write beside the picture. */
const erasersByType: Record<string, () => CameraDataEraser> = {
  'image/jpeg': eraseCameraData,
  'image/png': erasePngData,
  'image/webp': eraseWebpData,
  'image/gif': eraseGifData,
};

/** A kind as `identify` found it by the first bytes. */
type Named = { extension: string; mimeType: string };
type Options = { isShown?: boolean; isCleaned?: boolean; signal?: AbortSignal };

/**
 * Passes a file on, and fails before its end if the whole of it is not of its kind. A picture that a letter shows (`isShown`)
 * must also be whole. With `isCleaned`, a picture passes without the data that its camera wrote beside it.
 * Fails with an AppError: `UNSUPPORTED_MEDIA_TYPE`, or `VALIDATION` for a broken picture.
 */
export function checkContent(named: Named, { isShown = false, isCleaned = false, signal }: Options = {}): Transform {
  const reader = readersByExtension[named.extension]?.(signal) ?? null;
  const walk = isShown && named.extension === 'png' ? readPng() : null;
  const eraser = isCleaned ? (erasersByType[named.mimeType]?.() ?? null) : null;
  return new ContentCheck(reader, walk, eraser);
}

class ContentCheck extends Transform {
  readonly #reader: KindReader | null;
  readonly #walk: PngWalk | null;
  readonly #eraser: CameraDataEraser | null;

  constructor(reader: KindReader | null, walk: PngWalk | null, eraser: CameraDataEraser | null) {
    super();
    this.#reader = reader;
    this.#walk = walk;
    this.#eraser = eraser;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const refusal = this.#reader?.take(chunk);
    if (refusal) done(refused(refusal));
    else if (this.#walk && !this.#walk.take(chunk)) done(notWhole());
    else done(null, this.#eraser?.take(Buffer.from(chunk)) ?? chunk);
  }

  override _flush(done: TransformCallback): void {
    this.#end().then(() => done(), done);
  }

  async #end(): Promise<void> {
    if (this.#walk && !this.#walk.end()) throw notWhole();
    const refusal = await this.#reader?.end();
    if (refusal) throw refused(refusal);
    if (this.#eraser) this.push(this.#eraser.rest());
  }
}

function notWhole(): AppError {
  return new AppError(
    'VALIDATION',
    'This picture is incomplete or damaged, so we kept nothing of it. Save it again, or choose another one.',
  );
}
