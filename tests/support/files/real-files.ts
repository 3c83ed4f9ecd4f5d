import { readFileSync } from 'node:fs';
import { strToU8, zipSync } from 'fflate';
import { samples } from '#tests/support/forms.ts';

/** Files as phones, scanners and word processors write them. `README.md` says how the stored ones were made. */

const stored = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));

/** The head of a container (ISO/IEC 14496-12 §4.3) with these brands, and some bytes. */
export function containerOf(brand: string, ...compatible: string[]): Buffer {
  const brands = Buffer.from([brand, '\0\0\0\0', ...compatible].join(''), 'latin1');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(8 + brands.length);
  return Buffer.concat([length, Buffer.from('ftyp'), brands, Buffer.alloc(500, 5)]);
}

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const wordTypes = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

type Package = { main?: string; more?: Record<string, string>; isLast?: boolean };

/** A Word document whose content types name the main part, first or last in the archive. */
export function officePackage({ main = 'word/document.xml', more = {}, isLast = false }: Package = {}): Buffer {
  const override = `<Override PartName="/${main}" ContentType="${wordTypes}.document.main+xml"/>`;
  const types = { '[Content_Types].xml': strToU8(`${xml}<Types>${override}</Types>`) };
  const parts = Object.fromEntries(
    Object.entries({
      '_rels/.rels': `${xml}<Relationships/>`,
      [main]: `${xml}<w:document>The key is under the blue pot.</w:document>`,
      ...more,
    }).map(([name, text]) => [name, strToU8(text)]),
  );
  return Buffer.from(zipSync(isLast ? { ...parts, ...types } : { ...types, ...parts }));
}

/** An OpenDocument text, as LibreOffice writes it. */
export function openDocument(
  kind = 'text',
  more: Record<string, string> = {},
  manifest = '<manifest:manifest/>',
): Buffer {
  const rest = { 'content.xml': '<office:document-content/>', ...more, 'META-INF/manifest.xml': manifest };
  return Buffer.from(
    zipSync({
      mimetype: [strToU8(`application/vnd.oasis.opendocument.${kind}`), { level: 0 }],
      ...Object.fromEntries(Object.entries(rest).map(([name, text]) => [name, strToU8(text)])),
    }),
  );
}

/** Rich text with this in it, as WordPad and old versions of Word write it. */
export function richText(more = ''): Buffer {
  return Buffer.from(`{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Arial;}}\\f0 The key is under the blue pot.${more}\\par}`);
}

/** Job language of printers (PJL) before a page description. */
const printerLines = '\x1b%-12345X@PJL JOB\r\n@PJL ENTER LANGUAGE=PDF\r\n';

export const realFiles = {
  heic: stored('photograph.heic'),
  webp: stored('picture.webp'),
  avif: stored('picture.avif'),
  tif: stored('picture.tif'),
  lockedWord: stored('locked.docx'),
  workbook: stored('workbook.xls'),
  printedPdf: Buffer.concat([Buffer.from(printerLines), samples.pdf]),
  pdfAfterLineBreaks: Buffer.concat([Buffer.from('\r\n\r\n'), samples.pdf]),
  pdfAfterOtherBytes: Buffer.concat([Buffer.from([0, 1, 2, 200, 0]), samples.pdf]),
  samsungVoice: containerOf('3gp4', 'isom', '3gp4'),
  wideText: Buffer.from('The key is under the blue pot.\r\n', 'utf16le'),
  dosText: Buffer.from('The key is under the blue pot.\r\n\x1a'),
};
