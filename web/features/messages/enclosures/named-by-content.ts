import { endingOf } from '#shared/rules/files.ts';

/** First bytes of a picture, which tell its kind. */
const headBytes = 64;
const heicBrands = ['heic', 'heix', 'hevc', 'hevx', 'mif1', 'msf1'];

type PictureKind = { endings: readonly [string, ...string[]]; type: string };
const kinds = {
  jpeg: { endings: ['jpg', 'jpeg'], type: 'image/jpeg' },
  png: { endings: ['png'], type: 'image/png' },
  gif: { endings: ['gif'], type: 'image/gif' },
  webp: { endings: ['webp'], type: 'image/webp' },
  heic: { endings: ['heic', 'heif'], type: 'image/heic' },
  avif: { endings: ['avif'], type: 'image/avif' },
} as const satisfies Record<string, PictureKind>;

/** Renames the picture to match its content: phones and programs name HEIC and other kinds `.jpg`. */
export async function namedByContent(file: File): Promise<File> {
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
  const kind = kindOf(head);
  if (!kind) return file;
  const isNamed = kind.endings.some((ending) => ending === endingOf(file.name));
  if (isNamed && file.type === kind.type) return file;
  const dot = file.name.lastIndexOf('.');
  const stem = dot > 0 ? file.name.slice(0, dot) : file.name;
  return new File([file], isNamed ? file.name : `${stem}.${kind.endings[0]}`, { type: kind.type });
}

function kindOf(head: Uint8Array): PictureKind | null {
  const text = String.fromCharCode(...head);
  if (text.startsWith('\xff\xd8\xff')) return kinds.jpeg;
  if (text.startsWith('\x89PNG')) return kinds.png;
  if (text.startsWith('GIF8')) return kinds.gif;
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return kinds.webp;
  if (!text.startsWith('ftyp', 4)) return null;
  // Its length, and brands of four letters each (ISO/IEC 14496-12 §4.3).
  const length = Math.min(new DataView(head.buffer).getUint32(0), head.length);
  const brands: string[] = text.slice(8, length).match(/.{4}/gs) ?? [];
  if (brands.includes('avif') || brands.includes('avis')) return kinds.avif;
  return heicBrands.includes(brands[0] ?? '') ? kinds.heic : null;
}
