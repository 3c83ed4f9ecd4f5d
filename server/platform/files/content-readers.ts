import { sealedEnvelopeMark } from '#shared/rules/letters/sealed-envelope.ts';

/** Follows a file from its first byte to its last. Both say whether it is still, or was, what it should be. */
export type ContentReader = { take(chunk: Buffer): boolean; end(): boolean };

/** Bytes that no text holds, in any of the encodings that leave the first 128 characters as they are. */
const unprintable: ReadonlySet<number> = new Set(
  [...Array(32).keys()].filter((code) => ![9, 10, 11, 12, 13].includes(code)),
);
/** A browser or a reader would take a text that begins like this for something else. */
const disguises =
  /^\s*(?:<!doctype|<\?|<!--|<(?:html|head|body|script|svg|iframe|img|style|meta|object|embed|a|div|xml)\b|\{\\rtf|%PDF-|%!PS|#!)/i;
const disguiseBytes = 1_024;

/** Plain text: UTF-8, an older code of one byte a letter, or UTF-16 with its mark. No web page and no script. */
export function readText(): ContentReader {
  let head = Buffer.alloc(0);
  let wide: TextDecoder | null = null;
  let isFirst = true;

  const isWide = (text: string) => ![...text].some((letter) => unprintable.has(letter.charCodeAt(0)));
  return {
    take(chunk) {
      if (head.length < disguiseBytes) head = Buffer.concat([head, chunk.subarray(0, disguiseBytes)]);
      if (isFirst && head.length >= 2) {
        isFirst = false;
        wide = wideDecoder(head);
      }
      try {
        return wide ? isWide(wide.decode(chunk, { stream: true })) : !chunk.some((byte) => unprintable.has(byte));
      } catch {
        // The decoder throws for what is not of its code, which is the answer.
        return false;
      }
    },
    end: () => !disguises.test(textOf(head)),
  };
}

function wideDecoder(head: Buffer): TextDecoder | null {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le', { fatal: true });
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be', { fatal: true });
  return null;
}

/** The beginning of a text, without zeros and marks that would hide how it begins. */
function textOf(head: Buffer): string {
  return head
    .toString('latin1')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '');
}

const sealedBeginning = Buffer.from(sealedEnvelopeMark);

/** What a browser has sealed: it can be told by its mark alone, and is given out as nothing that a browser would show. */
export function readSealed(): ContentReader {
  let head = Buffer.alloc(0);
  return {
    take(chunk) {
      if (head.length < sealedBeginning.length)
        head = Buffer.concat([head, chunk.subarray(0, sealedBeginning.length - head.length)]);
      return sealedBeginning.subarray(0, head.length).equals(head);
    },
    end: () => head.equals(sealedBeginning),
  };
}

const compoundFile = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/** The name of the stream that only Word writes, as it stands in the folder of the file (MS-CFB §2.6.1, MS-DOC §2.1). */
const wordStream = Buffer.from('WordDocument', 'utf16le');

/** Word's format until 2003: a compound file with Word's stream in it. */
export function readWord(): ContentReader {
  let rest = Buffer.alloc(0);
  let isBegun = false;
  let isFound = false;
  return {
    take(chunk) {
      const seen = Buffer.concat([rest, chunk]);
      if (!isBegun && seen.length >= compoundFile.length) {
        if (!seen.subarray(0, compoundFile.length).equals(compoundFile)) return false;
        isBegun = true;
      }
      isFound ||= seen.includes(wordStream);
      rest = isBegun ? seen.subarray(Math.max(0, seen.length - wordStream.length)) : seen;
      return true;
    },
    end: () => isBegun && isFound,
  };
}

/** How much of the end is kept: room for the table of contents of some thousands of parts. */
const tailBytes = 262_144;
const partsMax = 2_000;
/** What all parts may come to when unpacked. We never unpack; whoever opens the document does. */
const unpackedBytesMax = 300_000_000;
const packageBeginning = Buffer.from('504b0304', 'hex');

/** Word's format today: a ZIP archive with a main document and no macros (ECMA-376; APPNOTE.TXT §4.3). */
export function readWordPackage(): ContentReader {
  let head = Buffer.alloc(0);
  let tail: Buffer[] = [];
  let keptBytes = 0;
  let totalBytes = 0;
  return {
    take(chunk) {
      if (head.length < packageBeginning.length) {
        head = Buffer.concat([head, chunk.subarray(0, packageBeginning.length)]);
      }
      tail.push(chunk);
      keptBytes += chunk.length;
      totalBytes += chunk.length;
      while (tail[0] && keptBytes - tail[0].length >= tailBytes) keptBytes -= tail.shift()?.length ?? 0;
      return head.length < packageBeginning.length || head.subarray(0, 4).equals(packageBeginning);
    },
    end() {
      const kept = Buffer.concat(tail);
      tail = [];
      return isWordPackage(readParts(kept, totalBytes));
    },
  };
}

type Part = { name: string; isPlain: boolean; unpackedBytes: number };

function isWordPackage(parts: readonly Part[] | null): boolean {
  if (!parts) return false;
  const names = new Set(parts.map(({ name }) => name));
  const unpackedBytes = parts.reduce((sum, part) => sum + part.unpackedBytes, 0);
  return (
    names.has('[Content_Types].xml') &&
    names.has('word/document.xml') &&
    !parts.some(({ name }) => /vbaProject\.bin$/i.test(name) || /^[/\\]|\\|(^|\/)\.\.(\/|$)/.test(name)) &&
    parts.every(({ isPlain }) => isPlain) &&
    unpackedBytes <= unpackedBytesMax
  );
}

const endMark = 0x06054b50;
const endBytes = 22;
const partMark = 0x02014b50;
const partBytes = 46;
const symbolicLink = 0o120000;

/** The table of contents at the end of an archive; null where there is none that could be followed. */
function readParts(tail: Buffer, totalBytes: number): Part[] | null {
  const end = tail.lastIndexOf(Buffer.from('504b0506', 'hex'));
  if (end < 0 || end + endBytes > tail.length || tail.readUInt32LE(end) !== endMark) return null;
  const count = tail.readUInt16LE(end + 10);
  const tableBytes = tail.readUInt32LE(end + 12);
  const tableAt = tail.readUInt32LE(end + 16) - (totalBytes - tail.length);
  if (count > partsMax || tableAt < 0 || tableAt + tableBytes > end) return null;

  const parts: Part[] = [];
  let at = tableAt;
  while (parts.length < count) {
    if (at + partBytes > end || tail.readUInt32LE(at) !== partMark) return null;
    const nameBytes = tail.readUInt16LE(at + 28);
    const name = tail.toString('utf8', at + partBytes, at + partBytes + nameBytes);
    const isEncrypted = (tail.readUInt16LE(at + 8) & 1) === 1;
    const isLink = ((tail.readUInt32LE(at + 38) >>> 16) & 0o170000) === symbolicLink;
    parts.push({ name, isPlain: !isEncrypted && !isLink, unpackedBytes: tail.readUInt32LE(at + 24) });
    at += partBytes + nameBytes + tail.readUInt16LE(at + 30) + tail.readUInt16LE(at + 32);
  }
  return parts;
}
