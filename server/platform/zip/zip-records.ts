/**
 * The records of an archive as bytes, by their sections in APPNOTE.TXT 6.3.10
 * (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT). Every entry is encrypted with AES-256 as WinZip's AE-2
 * (https://www.winzip.com/en/support/aes-encryption/), whose tag does the work of the CRC-32; that one is always 0.
 */

/** Compression method of the content before sealing (§4.4.5). */
export const methods = { stored: 0, deflated: 8 } as const;

export type Entry = {
  name: string;
  method: (typeof methods)[keyof typeof methods];
  modifiedAt: Date;
  /** Bytes of the content, and of its sealed form in the archive. */
  sizeBytes: number;
  sealedBytes: number;
  /** Offset of the entry. */
  offset: number;
  /** The sizes were not known where the entry begins, and follow behind it (§4.3.9). */
  areSizesBehind: boolean;
  /** Sizes and place take eight bytes each instead of four: Zip64 (§4.5.3). */
  isLarge: boolean;
};

/** A number too large for four or two bytes stands elsewhere, and this in its place (§4.4.1.4). */
const elsewhere = { four: 0xffffffff, two: 0xffff };
/** The version that knows AES (§4.4.3.2). */
const version = 51;
/** "See the AES field" (§4.4.5). */
const aesMethod = 99;
/** Bits of §4.4.4. */
const flags = { encrypted: 0x0001, sizesBehind: 0x0008, nameIsUtf8: 0x0800 };

type Width = 1 | 2 | 4 | 8;

/** Local file header (§4.3.7). */
export function localHeader(entry: Entry): Buffer {
  const { isLarge, areSizesBehind } = entry;
  const [sizeBytes, sealedBytes] = areSizesBehind ? [0, 0] : [entry.sizeBytes, entry.sealedBytes];
  const large = isLarge ? [field(0x0001, [8, sizeBytes], [8, sealedBytes])] : [];
  const name = Buffer.from(entry.name, 'utf8');
  const extra = Buffer.concat([...large, ...extraFields(entry)]);
  const sizes = isLarge ? [elsewhere.four, elsewhere.four] : [sealedBytes, sizeBytes];
  const head = [[4, 0x04034b50], ...about(entry), ...fourEach(sizes), [2, name.length], [2, extra.length]] as const;
  return Buffer.concat([littleEndian(head), name, extra]);
}

/** Data descriptor after an entry whose sizes were unknown before (§4.3.9). */
export function sizesBehind({ isLarge, sealedBytes, sizeBytes }: Entry): Buffer {
  const width = isLarge ? 8 : 4;
  return littleEndian([
    [4, 0x08074b50],
    [4, 0],
    [width, sealedBytes],
    [width, sizeBytes],
  ]);
}

/** Central directory header of an entry (§4.3.12). */
export function listedHeader(entry: Entry): Buffer {
  const { isLarge, sizeBytes, sealedBytes, offset } = entry;
  const large = isLarge ? [field(0x0001, [8, sizeBytes], [8, sealedBytes], [8, offset])] : [];
  const name = Buffer.from(entry.name, 'utf8');
  const extra = Buffer.concat([...large, ...extraFields(entry)]);
  const sizes = isLarge ? [elsewhere.four, elsewhere.four] : [sealedBytes, sizeBytes];
  const head = [[4, 0x02014b50], [2, version], ...about(entry), ...fourEach(sizes)] as const;
  // No comment, the first and only disk, and nothing of a file system but the name.
  const rest = [
    [2, name.length],
    [2, extra.length],
    [2, 0],
    [2, 0],
    [2, 0],
    [4, 0],
  ] as const;
  const place = [[4, isLarge ? elsewhere.four : offset]] as const;
  return Buffer.concat([littleEndian([...head, ...rest, ...place]), name, extra]);
}

export type List = { entries: number; offset: number; sizeBytes: number; isLarge: boolean };

/** The end of an archive, which says where the list is (§4.3.14 to §4.3.16). */
export function endOfArchive({ entries, offset, sizeBytes, isLarge }: List): Buffer {
  // Each number that fits stands here also where a large record says it again: 7-Zip compares them.
  const count = [2, Math.min(entries, elsewhere.two)] as const;
  const place = fourEach([sizeBytes, offset].map((number) => Math.min(number, elsewhere.four)));
  const end = littleEndian([[4, 0x06054b50], [2, 0], [2, 0], count, count, ...place, [2, 0]]);
  if (!isLarge) return end;
  const largeCounts = [
    [8, entries],
    [8, entries],
    [8, sizeBytes],
    [8, offset],
  ] as const;
  const large = [[4, 0x06064b50], [8, 44], [2, version], [2, version], [4, 0], [4, 0], ...largeCounts] as const;
  const locator = [
    [4, 0x07064b50],
    [4, 0],
    [8, offset + sizeBytes],
    [4, 1],
  ] as const;
  return Buffer.concat([littleEndian(large), littleEndian(locator), end]);
}

/** Common part of the local and the central header, up to the sizes. */
function about({ areSizesBehind, modifiedAt }: Entry) {
  const bits = flags.encrypted | flags.nameIsUtf8 | (areSizesBehind ? flags.sizesBehind : 0);
  const { time, date } = dosTime(modifiedAt);
  return [
    [2, version],
    [2, bits],
    [2, aesMethod],
    [2, time],
    [2, date],
    [4, 0],
  ] as const;
}

function extraFields({ method, modifiedAt }: Entry): Buffer[] {
  const ae2 = 2;
  const [vendorA, vendorE] = [0x41, 0x45];
  const aes256 = 3;
  // The time of the header has no zone; this one counts seconds in UTC (Info-ZIP's "extended timestamp").
  const time = field(0x5455, [1, 1], [4, Math.floor(modifiedAt.getTime() / 1_000)]);
  return [time, field(0x9901, [2, ae2], [1, vendorA], [1, vendorE], [1, aes256], [2, method])];
}

/** The time of MS-DOS (§4.4.6), in UTC and steps of two seconds. */
function dosTime(at: Date): { time: number; date: number } {
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return { time, date };
}

/** An extra field: its number, its length, its content (§4.5.1). */
function field(number: number, ...content: (readonly [Width, number])[]): Buffer {
  const bytes = littleEndian(content);
  return Buffer.concat([
    littleEndian([
      [2, number],
      [2, bytes.length],
    ]),
    bytes,
  ]);
}

function fourEach(numbers: readonly number[]) {
  return numbers.map((number) => [4, number] as const);
}

function littleEndian(fields: readonly (readonly [Width, number])[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [width]) => sum + width, 0));
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 8) bytes.writeBigUInt64LE(BigInt(value), at);
    else bytes.writeUIntLE(value, at, width);
    at += width;
  }
  return bytes;
}
