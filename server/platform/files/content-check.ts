import { Transform, type TransformCallback } from 'node:stream';
import { AppError } from '#shared/contract/errors.ts';
import { type CameraDataEraser, eraseCameraData } from './camera-data.ts';
import { type ContentReader, readSealed, readText, readWord, readWordPackage } from './content-readers.ts';
import { readPng } from './png-walk.ts';
import { kindOf } from './read-head.ts';

/** Enough for every kind that is told by its beginning. */
const headBytes = 4_100;

/** What a file is, told by its beginning, for the endings that may be on its name. */
const kindsByExtension: Record<string, readonly string[]> = {
  pdf: ['pdf'],
  jpg: ['jpg'],
  jpeg: ['jpg'],
  png: ['png', 'apng'],
  gif: ['gif'],
  // Cameras name the two kinds of the same container as they like.
  mp4: ['mp4', 'm4v', 'mov'],
  mov: ['mov', 'mp4', 'm4v'],
  webm: ['webm'],
  webp: ['webp'],
  // Both endings stand on the same container (ISO/IEC 23008-12), by the camera's taste.
  heic: ['heic'],
  heif: ['heic'],
  mp3: ['mp3'],
  // Browsers and telephones name the same container as they like.
  m4a: ['m4a', 'm4b', 'mp4'],
  ogg: ['opus', 'ogg', 'oga'],
  opus: ['opus'],
  wav: ['wav'],
};

/** How a track of pictures is named in the head of the container that voices share with videos (Matroska, codec mappings). */
const videoTracks = ['V_VP8', 'V_VP9', 'V_AV1', 'V_MPEG'];

/** Kinds that only their whole content tells. */
const readersByExtension: Record<string, () => ContentReader> = {
  txt: readText,
  doc: readWord,
  docx: readWordPackage,
  sealed: readSealed,
};

/**
 * Lets a file pass whose content is what its ending says, and fails for any other: before anything of it has passed
 * where the beginning tells, and before its end in any case.
 * A picture that a letter shows (`isShown`) must also be whole. Other files are only saved.
 * With `isCleaned`, a JPEG passes without what its camera wrote beside the picture.
 * Its failure is an AppError: `UNSUPPORTED_MEDIA_TYPE`, or `VALIDATION` for an empty file.
 */
export function checkContent(named: Named, { isShown = false, isCleaned = false } = {}): Transform {
  const walk = isShown && named.extension === 'png' ? readPng() : null;
  return new ContentCheck(named, walk, isCleaned && named.mimeType === 'image/jpeg' ? eraseCameraData() : null);
}

/** What a name says of a file. */
type Named = { extension: string; mimeType: string };

class ContentCheck extends Transform {
  readonly #named: Named;
  readonly #reader: ContentReader | null;
  readonly #walk: ContentReader | null;
  readonly #eraser: CameraDataEraser | null;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isChecked = false;
  #isBroken = false;

  constructor(named: Named, walk: ContentReader | null, eraser: CameraDataEraser | null) {
    super();
    this.#named = named;
    this.#walk = walk;
    this.#eraser = eraser;
    this.#reader = readersByExtension[named.extension]?.() ?? null;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#take(chunk).then(() => done(), done);
  }

  override _flush(done: TransformCallback): void {
    this.#end().then(() => done(), done);
  }

  async #take(chunk: Buffer): Promise<void> {
    if (this.#reader && !this.#reader.take(chunk)) throw notAsNamed(this.#named.extension);
    const isWhole = this.#walk?.take(chunk) ?? true;
    if (this.#isChecked) {
      if (!isWhole) throw notWhole();
      this.#pass(chunk);
      return;
    }
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    this.#isBroken ||= !isWhole;
    if (this.#heldBytes >= headBytes) await this.#checkHead();
  }

  async #end(): Promise<void> {
    if (this.#heldBytes === 0) throw new AppError('VALIDATION', 'This file is empty. Choose another one.');
    if (!this.#isChecked) await this.#checkHead();
    if (this.#walk && !this.#walk.end()) throw notWhole();
    if (this.#reader && !this.#reader.end()) throw notAsNamed(this.#named.extension);
    if (this.#eraser) this.push(this.#eraser.rest());
  }

  async #checkHead(): Promise<void> {
    const held = Buffer.concat(this.#held);
    this.#held = [];
    if (!(await isBeginningOf(this.#named, held.subarray(0, headBytes)))) throw notAsNamed(this.#named.extension);
    if (this.#isBroken) throw notWhole();
    this.#isChecked = true;
    this.#pass(held);
  }

  #pass(chunk: Buffer): void {
    this.push(this.#eraser?.take(Buffer.from(chunk)) ?? chunk);
  }
}

async function isBeginningOf({ extension, mimeType }: Named, head: Buffer): Promise<boolean> {
  const kinds = kindsByExtension[extension];
  if (!kinds) return extension in readersByExtension;
  const found = await kindOf(head);
  const isVoice = mimeType.startsWith('audio/');
  if (isVoice && videoTracks.some((track) => head.includes(track))) return false;
  return found !== null && kinds.includes(found);
}

function notWhole(): AppError {
  return new AppError(
    'VALIDATION',
    'This picture is incomplete or damaged, so we kept nothing of it. Save it again, or choose another one.',
  );
}

function notAsNamed(extension: string): AppError {
  return new AppError(
    'UNSUPPORTED_MEDIA_TYPE',
    `The content of this file is not what its ending .${extension} says, so we did not take it.`,
  );
}
