import type { KindReader } from './content-readers.ts';
import { contentRefusals } from './content-refusals.ts';
import type { PackedPart } from './package-part.ts';
import { readLock, readMainParts } from './read-head.ts';

/** Bytes kept of the end: the table of contents of some thousands of parts fits. */
const tailBytes = 262_144;
const partsMax = 2_000;
/** Limit for all parts, unpacked. Programs that open the document unpack it, and this service does not. */
const unpackedBytesMax = 300_000_000;
/** Limit for the one part that is read, packed. In documents it has 1 to 20 kB. */
const readBytesMax = 65_536;
/** Places that look like the part that is read. A document has one. */
const capturesMax = 4;

type Part = {
  name: string;
  isPlain: boolean;
  isStored: boolean;
  packedBytes: number;
  unpackedBytes: number;
  /** Place of the part's own head in the file. */
  at: number;
};

/** Word's format today: a ZIP archive with a main document and no macros (ECMA-376; APPNOTE.TXT §4.3). */
export function readWordPackage(signal?: AbortSignal): KindReader {
  const contentTypes = '[Content_Types].xml';
  return readPackage(contentTypes, async (parts, packedPart) => {
    if (!parts) return contentRefusals.notWord;
    const names = new Set(parts.map(({ name }) => name));
    if (parts.some(({ name }) => /vbaProject\.bin$/i.test(name))) return contentRefusals.macros;
    const refusal = refusalOfParts(parts);
    if (refusal) return refusal;
    if (!names.has(contentTypes)) return isIWork(names) ? contentRefusals.iWork : contentRefusals.archive;
    if (names.has('word/document.xml')) return null;
    const part = packedPart();
    const mainParts = part ? await readMainParts(part, signal) : [];
    return mainParts.some((name) => names.has(name)) ? null : refusalOfOffice(parts);
  });
}

function refusalOfOffice(parts: readonly Part[]): string {
  if (parts.some(({ name }) => name.startsWith('xl/'))) return contentRefusals.spreadsheet;
  if (parts.some(({ name }) => name.startsWith('ppt/'))) return contentRefusals.presentation;
  return contentRefusals.notWord;
}

/** OpenDocument text of LibreOffice and others: a ZIP archive with a content and no macros (ODF 1.3, part 2). */
export function readOpenDocument(signal?: AbortSignal): KindReader {
  return readPackage('META-INF/manifest.xml', async (parts, packedPart) => {
    if (!parts) return contentRefusals.openDocument;
    const names = new Set(parts.map(({ name }) => name));
    if (names.has('encrypted-package')) return contentRefusals.lockedOpenDocument;
    if (parts.some(({ name }) => /^(?:Basic|Scripts)\//.test(name))) return contentRefusals.macros;
    if (!names.has('content.xml')) return contentRefusals.openDocument;
    const refusal = refusalOfParts(parts);
    if (refusal) return refusal;
    const part = packedPart();
    return part && (await readLock(part, signal)) ? contentRefusals.lockedOpenDocument : null;
  });
}

function refusalOfParts(parts: readonly Part[]): string | null {
  if (parts.some(({ name, isPlain }) => !isPlain || /^[/\\]|\\|(^|\/)\.\.(\/|$)/.test(name)))
    return contentRefusals.unsafe;
  const unpackedBytes = parts.reduce((sum, part) => sum + part.unpackedBytes, 0);
  return unpackedBytes > unpackedBytesMax ? contentRefusals.tooLargeUnpacked : null;
}

function isIWork(names: ReadonlySet<string>): boolean {
  return names.has('Index/Document.iwa') || names.has('Index.zip');
}

type Judge = (parts: Part[] | null, packedPart: () => PackedPart | null) => Promise<string | null>;

/** Follows an archive, keeps its table of contents and one packed part, and asks `judge` about them at its end. */
function readPackage(partName: string, judge: Judge): KindReader {
  const tail = keepTail();
  const capture = capturePart(Buffer.from(partName));
  return {
    take(chunk) {
      tail.take(chunk);
      capture.take(chunk);
      return null;
    },
    end() {
      const parts = readParts(tail.bytes(), tail.totalBytes());
      const part = parts?.find(({ name }) => name === partName);
      return judge(parts, () => {
        const bytes = part && capture.bytesAt(part);
        return bytes ? { bytes: new Uint8Array(bytes), isStored: part.isStored } : null;
      });
    },
  };
}

function keepTail() {
  const tail: Buffer[] = [];
  let keptBytes = 0;
  let totalBytes = 0;
  return {
    take(chunk: Buffer) {
      tail.push(chunk);
      keptBytes += chunk.length;
      totalBytes += chunk.length;
      while (tail[0] && keptBytes - tail[0].length >= tailBytes) keptBytes -= tail.shift()?.length ?? 0;
    },
    bytes: () => Buffer.concat(tail),
    totalBytes: () => totalBytes,
  };
}

const localMark = 0x04034b50;
const localBytes = 30;

/** Keeps the packed bytes of a part as they pass. Only the table at the end tells where it is and how long. */
function capturePart(name: Buffer) {
  const captures: { at: number; pieces: Buffer[]; missingBytes: number }[] = [];
  const captureBytes = localBytes + name.length + readBytesMax;
  let rest = Buffer.alloc(0);
  let totalBytes = 0;
  return {
    take(chunk: Buffer) {
      for (const each of captures) {
        if (each.missingBytes <= 0) continue;
        each.pieces.push(chunk.subarray(0, each.missingBytes));
        each.missingBytes -= chunk.length;
      }
      const seen = Buffer.concat([rest, chunk]);
      for (let at = seen.indexOf(name); at >= 0 && captures.length < capturesMax; at = seen.indexOf(name, at + 1)) {
        const head = at - localBytes;
        if (head < 0 || seen.readUInt32LE(head) !== localMark) continue;
        const piece = Buffer.from(seen.subarray(head, head + captureBytes));
        const missingBytes = captureBytes - piece.length;
        captures.push({ at: totalBytes - rest.length + head, pieces: [piece], missingBytes });
      }
      totalBytes += chunk.length;
      rest = Buffer.from(seen.subarray(Math.max(0, seen.length - (localBytes + name.length - 1))));
    },
    bytesAt({ at, packedBytes }: Part): Buffer | null {
      const found = Buffer.concat(captures.find((each) => each.at === at)?.pieces ?? []);
      if (found.length < localBytes) return null;
      const from = localBytes + found.readUInt16LE(26) + found.readUInt16LE(28);
      return from + packedBytes <= found.length ? found.subarray(from, from + packedBytes) : null;
    },
  };
}

const endMark = 0x06054b50;
const endBytes = 22;
const partMark = 0x02014b50;
const partBytes = 46;
const symbolicLink = 0o120000;
const storedMethod = 0;

/** The table of contents at the end of an archive. Null if there is none, or it leads nowhere. */
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
    const isEncrypted = (tail.readUInt16LE(at + 8) & 1) === 1;
    const isLink = ((tail.readUInt32LE(at + 38) >>> 16) & 0o170000) === symbolicLink;
    parts.push({
      name: tail.toString('utf8', at + partBytes, at + partBytes + nameBytes),
      isPlain: !isEncrypted && !isLink,
      isStored: tail.readUInt16LE(at + 10) === storedMethod,
      packedBytes: tail.readUInt32LE(at + 20),
      unpackedBytes: tail.readUInt32LE(at + 24),
      at: tail.readUInt32LE(at + 42),
    });
    at += partBytes + nameBytes + tail.readUInt16LE(at + 30) + tail.readUInt16LE(at + 32);
  }
  return parts;
}
