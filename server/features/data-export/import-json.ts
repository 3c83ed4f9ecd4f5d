import type { Readable } from 'node:stream';
import { createSlices, type Pause } from '#server/platform/slices.ts';
import { AppError } from '#shared/contract/errors.ts';
import { type ImportLimits, importDepthMax } from '#shared/rules/imports.ts';
import { contentMember } from './export-format.ts';

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const opening: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const closing: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const spaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

export type TextLimits = Pick<ImportLimits, 'textBytesMax' | 'valuesMax'>;

/** What an export says, to be parsed, and where in it files lie, each place as `start,end`. */
export type Skeleton = { text: Buffer; places: ReadonlySet<string> };

/**
 * The text of a JSON export without the bytes of its files: the string after each `"base64":` becomes the place where
 * it stands, `[start, end]`, end not included. So a file of any size is read in one pass, and what is left can be
 * parsed as a whole: it is no longer, holds no more values and is no deeper than the limits say. The reading ends at the
 * first byte too many. @throws AppError `PAYLOAD_TOO_LARGE` or `VALIDATION`.
 */
export async function readSkeleton(
  json: Readable,
  limits: TextLimits,
  pause: Pause = createSlices(),
): Promise<Skeleton> {
  const scan = new SkeletonScan(limits);
  for await (const chunk of json) {
    scan.take(chunk as Buffer);
    // Chunks that have arrived come without a pause of their own.
    await pause();
  }
  return scan.end();
}

class SkeletonScan {
  readonly #limits: TextLimits;
  readonly #parts: Buffer[] = [];
  readonly #places = new Set<string>();
  #textBytes = 0;
  #values = 0;
  #depth = 0;
  /** Bytes before the chunk at hand. */
  #before = 0;
  #state: 'between' | 'text' | 'content' = 'between';
  #isEscaped = false;
  /** The text that is being read, as far as it could be the name we look for. */
  #name = '';
  #isNamed = false;
  #isContentNext = false;
  #contentStart = 0;

  constructor(limits: TextLimits) {
    this.#limits = limits;
  }

  take(chunk: Buffer): void {
    let kept = 0;
    let nextQuote = -1;
    let nextBackslash = -1;
    for (let at = 0; at < chunk.length; at += 1) {
      if (this.#state === 'content') {
        const end = chunk.indexOf(quote, at);
        at = end < 0 ? chunk.length : end;
        kept = Math.min(at + 1, chunk.length);
        if (end >= 0) this.#endContent(this.#before + end);
        continue;
      }
      if (this.#state === 'text' && this.#isOther()) {
        // Most of an export is words: from here nothing but their end, or what is escaped in them, says anything.
        if (nextQuote < at) nextQuote = placeOf(quote, chunk, at);
        if (nextBackslash < at) nextBackslash = placeOf(backslash, chunk, at);
        at = Math.min(nextQuote, nextBackslash);
        if (at === chunk.length) break;
      }
      const byte = chunk[at] as number;
      if (this.#state === 'text') this.#takeText(byte);
      else if (byte === quote && this.#isContentNext) {
        this.#keep(chunk.subarray(kept, at));
        this.#state = 'content';
        this.#contentStart = this.#before + at + 1;
        kept = at + 1;
      } else this.#takeBetween(byte);
    }
    if (this.#state !== 'content') this.#keep(chunk.subarray(kept));
    this.#before += chunk.length;
  }

  end(): Skeleton {
    if (this.#state !== 'between' || this.#depth !== 0) throw unreadable();
    return { text: Buffer.concat(this.#parts), places: this.#places };
  }

  /** Whether the text at hand is known to be another than the name we look for, and its next byte is not escaped. */
  #isOther(): boolean {
    return !this.#isEscaped && this.#name.length > contentMember.length;
  }

  #takeText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) {
      this.#state = 'between';
      this.#isNamed = this.#name === contentMember;
      return;
    }
    if (this.#name.length <= contentMember.length) this.#name += String.fromCharCode(byte);
  }

  #takeBetween(byte: number): void {
    if (spaces.has(byte)) return;
    this.#isContentNext = byte === colon && this.#isNamed;
    this.#isNamed = false;
    this.#count(byte);
    if (byte !== quote) return;
    this.#state = 'text';
    this.#name = '';
  }

  #count(byte: number): void {
    if (closing.has(byte)) this.#depth -= 1;
    if (!opening.has(byte) && byte !== comma) return;
    this.#values += 1;
    if (this.#values > this.#limits.valuesMax) throw tooMuch();
    if (byte === comma) return;
    this.#depth += 1;
    if (this.#depth > importDepthMax) throw unreadable();
  }

  #endContent(end: number): void {
    const place = `${this.#contentStart},${end}`;
    this.#places.add(place);
    this.#keep(Buffer.from(`[${place}]`));
    this.#state = 'between';
    this.#isContentNext = false;
  }

  #keep(bytes: Buffer): void {
    this.#textBytes += bytes.length;
    if (this.#textBytes > this.#limits.textBytesMax) throw tooMuch();
    // A copy, or a few bytes of text would keep the whole chunk in memory.
    this.#parts.push(Buffer.from(bytes));
  }
}

/** Where a byte stands next; the end of the chunk where it does not. */
function placeOf(byte: number, chunk: Buffer, from: number): number {
  const found = chunk.indexOf(byte, from);
  return found < 0 ? chunk.length : found;
}

const base64Only = /^[A-Za-z0-9+/]*={0,2}$/;

/** Gives the bytes that base64 text stands for. @throws AppError `VALIDATION`. */
export async function* decodeBase64(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = '';
  for await (const piece of text) {
    const letters = rest + piece.toString('latin1');
    const whole = letters.length - (letters.length % 4);
    rest = letters.slice(whole);
    const ready = letters.slice(0, whole);
    if (!base64Only.test(ready)) throw unreadable();
    yield Buffer.from(ready, 'base64');
  }
  if (rest !== '') throw unreadable();
}

export function tooMuch(): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    'This file has more text than your plan can import at once, so nothing was imported. Export without the audit log, or upgrade first.',
  );
}

export function unreadable(): AppError {
  return new AppError(
    'VALIDATION',
    'This file is incomplete or damaged, or not an export of a vault, so nothing was imported.',
  );
}
