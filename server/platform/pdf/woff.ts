import { inflateSync } from 'node:zlib';

/** Lengths of headers and table entries in WOFF 1.0 (§3 and §4) and OpenType, in bytes. */
const woff = { header: 44, entry: 20 };
const sfnt = { header: 12, entry: 16 };

/**
 * Returns the OpenType font in a WOFF file. fontkit reads WOFF too, but its own inflate fails on some tables of valid files.
 * @throws if a table is damaged.
 */
export function unpackWoff(file: Buffer): Buffer {
  const count = file.readUInt16BE(12);
  const entries = Array.from({ length: count }, (_, index) => tableAt(file, woff.header + index * woff.entry));
  const directory = Buffer.alloc(sfnt.header + count * sfnt.entry);
  file.copy(directory, 0, 4, 8);
  directory.writeUInt16BE(count, 4);
  const parts: Buffer[] = [directory];
  let offset = directory.length;
  for (const [index, { tag, checksum, data }] of entries.entries()) {
    const at = sfnt.header + index * sfnt.entry;
    directory.write(tag, at, 'latin1');
    directory.writeUInt32BE(checksum, at + 4);
    directory.writeUInt32BE(offset, at + 8);
    directory.writeUInt32BE(data.length, at + 12);
    const padding = Buffer.alloc((4 - (data.length % 4)) % 4);
    parts.push(data, padding);
    offset += data.length + padding.length;
  }
  return Buffer.concat(parts);
}

function tableAt(file: Buffer, at: number) {
  const [start, packedLength, length] = [4, 8, 12].map((field) => file.readUInt32BE(at + field)) as [
    number,
    number,
    number,
  ];
  const packed = file.subarray(start, start + packedLength);
  const data = packedLength < length ? inflateSync(packed, { maxOutputLength: length }) : packed;
  if (data.length !== length) throw new RangeError('A table of the font is shorter than its entry says.');
  return { tag: file.toString('latin1', at, at + 4), checksum: file.readUInt32BE(at + 16), data };
}
