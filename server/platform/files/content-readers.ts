import { sealedEnvelopeMark } from '#shared/rules/letters/sealed-envelope.ts';
import { contentRefusals } from './content-refusals.ts';

/**
 * Follows a file from its first byte to its last. The first piece holds the head. Each call returns a sentence if the file is
 * refused, or null.
 */
export type KindReader = {
  take(chunk: Buffer): string | null;
  end(): string | null | Promise<string | null>;
};

/** Bytes that no text holds, in any of the encodings that leave the first 128 characters as they are. */
const unprintable: ReadonlySet<number> = new Set(
  [...Array(32).keys()].filter((code) => ![9, 10, 11, 12, 13].includes(code)),
);
/** End of a text in DOS and CP/M, alone or repeated up to the end of the file. */
const endOfText = 0x1a;
/** A browser or a reader would take a text that begins like this for something else. */
const webPages =
  /^\s*(?:<!doctype|<\?|<!--|<(?:html|head|body|script|svg|iframe|img|style|meta|object|embed|a|div|xml)\b|\{\\rtf|%PDF-|%!PS)/i;
const disguiseBytes = 1_024;

type Wide = 'utf-16le' | 'utf-16be';

/** Plain text: UTF-8, an older code of one byte a letter, or UTF-16. No web page and no script. */
export function readText(): KindReader {
  let head = Buffer.alloc(0);
  let wide: TextDecoder | null = null;
  let hasEnded = false;

  const isText = (codes: readonly number[] | Buffer): boolean => {
    const end = codes.indexOf(endOfText);
    const text = hasEnded ? codes.slice(0, 0) : end < 0 ? codes : codes.slice(0, end);
    const rest = codes.slice(text.length);
    hasEnded ||= end >= 0;
    return !text.some((code) => unprintable.has(code)) && rest.every((code) => code === endOfText);
  };
  return {
    take(chunk) {
      if (head.length === 0) {
        const code = wideCodeOf(chunk);
        wide = code && new TextDecoder(code, { fatal: true });
      }
      if (head.length < disguiseBytes) head = Buffer.concat([head, chunk.subarray(0, disguiseBytes)]);
      try {
        const codes = wide ? codesOf(wide.decode(chunk, { stream: true })) : chunk;
        return isText(codes) ? null : contentRefusals.notText;
      } catch {
        // The decoder throws for bytes that are not of its code.
        return contentRefusals.notText;
      }
    },
    end() {
      const text = textOf(head);
      if (/^\s*#!/.test(text)) return contentRefusals.programText;
      return webPages.test(text) ? contentRefusals.webPageText : null;
    },
  };
}

function codesOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
}

/** Share of the letters at the beginning whose other byte is zero, from which a text without a mark counts as UTF-16. */
const wideShare = 0.7;

/** Code of a text in two bytes a letter, by its mark or by the zeros between its letters. Null for any other. */
function wideCodeOf(head: Buffer): Wide | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const pairs = Math.floor(Math.min(head.length, disguiseBytes) / 2);
  const zeros = (offset: number) =>
    Array.from({ length: pairs }, (_, pair) => head[pair * 2 + offset]).filter((byte) => byte === 0).length;
  const [first, second] = [zeros(0), zeros(1)];
  if (pairs === 0 || Math.max(first, second) < pairs * wideShare) return null;
  return second > first ? 'utf-16le' : 'utf-16be';
}

/** True if the beginning of a file may be plain text, which no mark tells. */
export function isLikeText(head: Buffer): boolean {
  const reader = readText();
  return reader.take(head) === null && reader.end() === null;
}

/** The beginning of a text, without zeros and marks that would hide how it begins. */
function textOf(head: Buffer): string {
  return head
    .toString('latin1')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '');
}

const sealedBeginning = Buffer.from(sealedEnvelopeMark);

/** A file that a browser has sealed. Its mark alone tells it, and no browser shows it. */
export function readSealed(): KindReader {
  let head = Buffer.alloc(0);
  return {
    take(chunk) {
      if (head.length < sealedBeginning.length)
        head = Buffer.concat([head, chunk.subarray(0, sealedBeginning.length - head.length)]);
      return sealedBeginning.subarray(0, head.length).equals(head) ? null : contentRefusals.sealed;
    },
    end: () => (head.equals(sealedBeginning) ? null : contentRefusals.sealed),
  };
}

/** Reports which of some byte sequences a file holds, wherever its pieces part. */
function findAll(marks: readonly Buffer[]): { take(chunk: Buffer): void; has(mark: Buffer): boolean } {
  const longest = Math.max(...marks.map(({ length }) => length));
  const found = new Set<Buffer>();
  let rest = Buffer.alloc(0);
  return {
    take(chunk) {
      const seen = Buffer.concat([rest, chunk]);
      for (const mark of marks) if (!found.has(mark) && seen.includes(mark)) found.add(mark);
      rest = Buffer.from(seen.subarray(Math.max(0, seen.length - longest + 1)));
    },
    has: (mark) => found.has(mark),
  };
}

/** Names of streams, as the folder of a compound file holds them (MS-CFB §2.6.1). */
const streams = {
  word: Buffer.from('WordDocument', 'utf16le'),
  locked: Buffer.from('EncryptedPackage', 'utf16le'),
  workbook: Buffer.from('Workbook', 'utf16le'),
  presentation: Buffer.from('PowerPoint Document', 'utf16le'),
  email: Buffer.from('__properties_version1.0', 'utf16le'),
};

/** Word's format until 2003: a compound file with the stream that only Word writes (MS-DOC §2.1). */
export function readWord(): KindReader {
  const seen = findAll(Object.values(streams));
  return {
    take(chunk) {
      seen.take(chunk);
      return null;
    },
    end() {
      if (seen.has(streams.word)) return null;
      if (seen.has(streams.locked)) return contentRefusals.lockedWord;
      if (seen.has(streams.workbook)) return contentRefusals.spreadsheet;
      if (seen.has(streams.presentation)) return contentRefusals.presentation;
      return seen.has(streams.email) ? contentRefusals.email : contentRefusals.notWord;
    },
  };
}

/** Control words of Rich Text Format under which another file is embedded (Word RTF specification 1.9.1, "Objects"). */
const embedded = ['\\objdata', '\\objupdate', '\\objautlink'].map((word) => Buffer.from(word));

/** Rich text, which old versions of Word also save under `.doc`, without other files in it. */
export function readRichText(): KindReader {
  const seen = findAll(embedded);
  return {
    take(chunk) {
      seen.take(chunk);
      return embedded.some((word) => seen.has(word)) ? contentRefusals.embedded : null;
    },
    end: () => null,
  };
}
