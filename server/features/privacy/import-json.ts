import type { Readable } from 'node:stream';
import { AppError } from '#shared/contract/errors.ts';
import { contentMember } from './export-format.ts';

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const spaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * The text of a JSON export without the bytes of its files: the string after each `"base64":` becomes the place where
 * it stands, `[start, end]`, end not included. So a file of any size is read in one pass, and what is left can be
 * parsed as a whole. @throws AppError `PAYLOAD_TOO_LARGE` or `VALIDATION`.
 */
export async function readSkeleton(json: Readable, textBytesMax: number): Promise<string> {
  const scan = new SkeletonScan(textBytesMax);
  for await (const chunk of json) scan.take(chunk as Buffer);
  return scan.end();
}

class SkeletonScan {
  readonly #textBytesMax: number;
  readonly #parts: Buffer[] = [];
  #textBytes = 0;
  /** Bytes before the chunk at hand. */
  #before = 0;
  #state: 'between' | 'text' | 'content' = 'between';
  #isEscaped = false;
  /** The text that is being read, as far as it could be the name we look for. */
  #name = '';
  #isNamed = false;
  #isContentNext = false;
  #contentStart = 0;

  constructor(textBytesMax: number) {
    this.#textBytesMax = textBytesMax;
  }

  take(chunk: Buffer): void {
    let kept = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (this.#state === 'content') {
        const end = chunk.indexOf(quote, at);
        at = end < 0 ? chunk.length : end;
        kept = Math.min(at + 1, chunk.length);
        if (end >= 0) this.#endContent(this.#before + end);
        continue;
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

  end(): string {
    if (this.#state !== 'between') throw unreadable();
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(this.#parts));
    } catch {
      throw unreadable();
    }
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
    if (byte !== quote) return;
    this.#state = 'text';
    this.#name = '';
  }

  #endContent(end: number): void {
    this.#keep(Buffer.from(`[${this.#contentStart},${end}]`));
    this.#state = 'between';
    this.#isContentNext = false;
  }

  #keep(bytes: Buffer): void {
    this.#textBytes += bytes.length;
    if (this.#textBytes > this.#textBytesMax) {
      throw new AppError(
        'PAYLOAD_TOO_LARGE',
        'There is more text in this file than any vault holds, so we took nothing of it.',
      );
    }
    // A copy, or a few bytes of text would keep the whole chunk in memory.
    this.#parts.push(Buffer.from(bytes));
  }
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

export function unreadable(): AppError {
  return new AppError('VALIDATION', 'This file is cut or damaged, or no export of a vault, so we took nothing of it.');
}
