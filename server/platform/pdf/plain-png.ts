import type PDFDocument from 'pdfkit';

type Chunk = { type: string; data: Buffer };
export type PlainPng = {
  width: number;
  height: number;
  bits: number;
  colours: number;
  palette: Buffer;
  pixels: Buffer;
};

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
/** Length and type before the data of a chunk, and its checksum after the data (PNG, third edition, §5.3). */
const beforeDataBytes = 8;
const chunkBytesMin = 12;
const headBytes = 13;
const paletteBytesMax = 768;
/** Encoders write IDAT chunks of 4 kB and more. */
const chunksMax = 20_000;
/** Grey, colours, and colours from a table (§11.2.1). The others have an alpha channel. */
const greyscale = 0;
const trueColour = 2;
const indexed = 3;
const plainBits = [1, 2, 4, 8];

/**
 * Reads a PNG whose pixels a PDF can hold as they are (ISO 32000-1 §7.4.4.4): opaque, not interlaced, at most 8 bits. Null for
 * any other file. The chunks must end where the file ends, and IDAT chunks must follow each other.
 */
export function readPlainPng(bytes: Buffer): PlainPng | null {
  const chunks = chunksOf(bytes);
  const [head] = chunks ?? [];
  if (!chunks || head?.type !== 'IHDR' || head.data.length !== headBytes) return null;
  const [bits = 0, colours = -1, , , interlace] = head.data.subarray(8, headBytes);
  if (!plainBits.includes(bits) || ![greyscale, trueColour, indexed].includes(colours) || interlace !== 0) return null;
  if (chunks.some(({ type }) => type === 'tRNS')) return null;
  const palette = chunks.find(({ type }) => type === 'PLTE')?.data ?? Buffer.alloc(0);
  const isPalette = palette.length > 0 && palette.length <= paletteBytesMax && palette.length % 3 === 0;
  if (colours === indexed && !isPalette) return null;
  const pixels = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const [width, height] = [head.data.readUInt32BE(0), head.data.readUInt32BE(4)];
  return { width, height, bits, colours, palette, pixels };
}

/** Chunks of a whole PNG; null unless they fill the file from the signature to IEND. */
function chunksOf(bytes: Buffer): Chunk[] | null {
  if (!bytes.subarray(0, signature.length).equals(signature)) return null;
  const chunks: Chunk[] = [];
  let hasPixels = false;
  let at = signature.length;
  while (at + chunkBytesMin <= bytes.length && chunks.length < chunksMax) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + beforeDataBytes);
    const end = at + chunkBytesMin + length;
    if (end > bytes.length) return null;
    if (type === 'IEND') return end === bytes.length && hasPixels ? chunks : null;
    if (type === 'IDAT' && hasPixels && chunks.at(-1)?.type !== 'IDAT') return null;
    hasPixels ||= type === 'IDAT';
    chunks.push({ type, data: bytes.subarray(at + beforeDataBytes, at + beforeDataBytes + length) });
    at = end;
  }
  return null;
}

/** A picture in the shape that pdfkit embeds. pdfkit's own reader of PNG trusts the lengths in the file. */
export function embeddable({ width, height, bits, colours, palette, pixels }: PlainPng, label: string) {
  return {
    ...{ width, height, label, orientation: 1 },
    obj: null as ReturnType<Document['ref']> | null,
    embed(document: Document) {
      const perPixel = colours === trueColour ? 3 : 1;
      const params = document.ref({ Predictor: 15, Colors: perPixel, BitsPerComponent: bits, Columns: width });
      params.end();
      const size = { BitsPerComponent: bits, Width: width, Height: height };
      const object = { Type: 'XObject', Subtype: 'Image', ...size, Filter: 'FlateDecode', DecodeParms: params };
      this.obj = document.ref({ ...object, ColorSpace: colourSpace(document) });
      this.obj.end(pixels);
    },
  };

  function colourSpace(document: Document) {
    if (colours !== indexed) return colours === trueColour ? 'DeviceRGB' : 'DeviceGray';
    const table = document.ref({});
    table.end(palette);
    return ['Indexed', 'DeviceRGB', palette.length / 3 - 1, table];
  }
}

type Document = typeof PDFDocument.prototype;
