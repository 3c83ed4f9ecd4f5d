import { randomBytes } from 'node:crypto';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { officePackage, openDocument } from '#tests/support/files/real-files.ts';
import type { KindReader } from './content-readers.ts';
import { readOpenDocument, readWordPackage } from './package-readers.ts';

async function read(reader: KindReader, content: Buffer, pieceBytes: number): Promise<string | null> {
  for (let at = 0; at < content.length; at += pieceBytes) {
    const refusal = reader.take(content.subarray(at, at + pieceBytes));
    if (refusal) return refusal;
  }
  return reader.end();
}

describe('an archive in pieces', () => {
  const online = officePackage({ main: 'word/document2.xml', isLast: true });
  const locked = openDocument('text', {}, '<manifest:encryption-data/>');

  test.each([1, 7, 49, 1_000, 100_000])('a file with a tail of %i bytes is read like the whole', async (pieceBytes) => {
    expect(await read(readWordPackage(), online, pieceBytes)).toBeNull();
    expect(await read(readOpenDocument(), openDocument(), pieceBytes)).toBeNull();
    expect(await read(readOpenDocument(), locked, pieceBytes)).toContain('locked with a password');
  });

  test('is judged by the part that its table of contents names, not by others that look like it', async () => {
    const decoy = Buffer.concat(Array.from({ length: 10 }, () => Buffer.from('[Content_Types].xml')));
    const main = 'word/document2.xml';
    expect(await read(readWordPackage(), officePackage({ main, more: { 'a.bin': decoy.toString() } }), 500)).toBeNull();
    const other = { '[Content_Types].xml': strToU8('<Types/>'), 'a.bin': new Uint8Array(online) };
    const inner = Buffer.from(zipSync(other, { level: 0 }));
    expect(await read(readWordPackage(), inner, 500)).toContain('This is not a Word document');
  });

  test('is refused if the part that is read is too long, packed or unpacked', async () => {
    const start = officePackage({ main: 'word/document2.xml' });
    expect(await read(readWordPackage(), start, 500)).toBeNull();
    const types =
      '<Override PartName="/word/a.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>';
    const packed = (more: string) =>
      Buffer.from(zipSync({ '[Content_Types].xml': strToU8(types + more), 'word/a.xml': strToU8('x') }));
    expect(await read(readWordPackage(), packed(' '.repeat(1_000)), 500)).toBeNull();
    for (const more of [' '.repeat(2_000_000), randomBytes(80_000).toString('hex')]) {
      expect(await read(readWordPackage(), packed(more), 64_000)).toContain('This is not a Word document');
    }
  });
});
