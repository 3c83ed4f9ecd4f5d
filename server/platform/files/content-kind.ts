import { kindOf } from './read-head.ts';

/** Number of first bytes of a file by which its kind is read. */
export const kindHeadBytes = 4_100;
/** First bytes among which a PDF may begin: readers accept what printers and mail programs write before it. */
const pdfWithinBytes = 1_024;

/** Kinds of content that an ending stands for. Cameras, phones and browsers name one container by several endings. */
const kindsByExtension: Record<string, readonly string[]> = {
  pdf: ['pdf'],
  doc: ['compound'],
  docx: ['zip'],
  rtf: ['rtf'],
  odt: ['odt'],
  jpg: ['jpg'],
  jpeg: ['jpg'],
  png: ['png', 'apng'],
  gif: ['gif'],
  webp: ['webp'],
  // Both endings belong to the same container (ISO/IEC 23008-12).
  heic: ['heic'],
  heif: ['heic'],
  avif: ['avif'],
  tif: ['tif'],
  tiff: ['tif'],
  mp4: ['mp4', 'm4v', 'mov', 'f4v', '3gp', '3g2', 'm4a', 'm4b'],
  mov: ['mov', 'mp4', 'm4v', '3gp', '3g2'],
  webm: ['webm'],
  mp3: ['mp3'],
  m4a: ['m4a', 'm4b', 'mp4', '3gp', '3g2', 'f4a'],
  ogg: ['opus', 'ogg', 'oga'],
  opus: ['opus'],
  wav: ['wav'],
};

/** Endings under which a kind of content can be kept, the usual one first. */
const endingsByKind: Record<string, readonly string[]> = {
  pdf: ['pdf'],
  compound: ['doc'],
  zip: ['docx'],
  rtf: ['rtf'],
  odt: ['odt'],
  jpg: ['jpg'],
  png: ['png'],
  apng: ['png'],
  gif: ['gif'],
  webp: ['webp'],
  heic: ['heic'],
  avif: ['avif'],
  tif: ['tif'],
  mp4: ['mp4', 'm4a'],
  m4v: ['mp4'],
  f4v: ['mp4'],
  mov: ['mov'],
  '3gp': ['mp4', 'm4a'],
  '3g2': ['mp4', 'm4a'],
  webm: ['webm'],
  mp3: ['mp3'],
  m4a: ['m4a', 'mp4'],
  m4b: ['m4a', 'mp4'],
  opus: ['opus'],
  ogg: ['ogg'],
  oga: ['ogg'],
  wav: ['wav'],
};

/** Codec names of video tracks in the head of a Matroska container, which voices share with videos. */
const videoTracks = ['V_VP8', 'V_VP9', 'V_AV1', 'V_MPEG'];

/** True if a file with this ending holds content of this kind. */
export function isKindOf(extension: string, kind: string | null): boolean {
  return kind !== null && (kindsByExtension[extension]?.includes(kind) ?? false);
}

/** Endings for content of this kind, the usual one first. Empty for content that is never taken. */
export function endingsOf(kind: string | null): readonly string[] {
  return kind === null ? [] : (endingsByKind[kind] ?? []);
}

/** True if a Matroska file shows a picture, so that it is no recording of a voice alone. */
export function hasVideoTrack(head: Buffer): boolean {
  return videoTracks.some((track) => head.includes(track));
}

const compoundMark = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const packageMark = Buffer.from('504b0304', 'hex');
const pdfMark = '%PDF-';
const richTextMark = '{\\rtf';

/**
 * Kind of a file by its first bytes: an ending, `compound` (Word until 2003, among others) or `zip` (Word today, among
 * others). Null if nothing tells it, as for plain text. @throws AppError `UNAVAILABLE`.
 */
export async function contentKindOf(head: Buffer, signal?: AbortSignal): Promise<string | null> {
  if (beginsWith(head, compoundMark)) return 'compound';
  if (beginsWith(head, packageMark)) return packageKindOf(head);
  const start = head.toString('latin1', 0, pdfWithinBytes).replace(/^\u00ef\u00bb\u00bf/, '');
  if (start.startsWith(richTextMark)) return 'rtf';
  if (start.startsWith(pdfMark)) return 'pdf';
  const kind = await kindOf(head, signal);
  if (kind === 'heic' && brandsOf(head).some((brand) => brand === 'avif' || brand === 'avis')) return 'avif';
  return kind === null && isPdfAfterOtherBytes(start) ? 'pdf' : kind;
}

/** True for a PDF with line breaks, printer commands or some other bytes before it. No web page and no script is before it. */
function isPdfAfterOtherBytes(start: string): boolean {
  const at = start.indexOf(pdfMark);
  return at > 0 && !/<|^#!|^MZ/.test(start.slice(0, at));
}

/** Brands that the head of a container names (ISO/IEC 14496-12 §4.3). */
function brandsOf(head: Buffer): string[] {
  const length = Math.min(head.readUInt32BE(0), head.length, 256);
  return Array.from({ length: Math.max(0, Math.floor((length - 8) / 4)) }, (_, index) =>
    head.toString('latin1', 8 + index * 4, 12 + index * 4),
  );
}

const openDocumentType = 'application/vnd.oasis.opendocument.';
const openDocumentKinds: Record<string, string> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' };
const firstNameAt = 30;

/** OpenDocument names its type in the first entry, which is not compressed (ODF 1.3, part 2, §3.3). */
function packageKindOf(head: Buffer): string {
  if (head.toString('latin1', firstNameAt, firstNameAt + 8) !== 'mimetype') return 'zip';
  const extraBytes = head.length >= firstNameAt ? head.readUInt16LE(28) : 0;
  const from = firstNameAt + 8 + extraBytes;
  const type = head.toString('latin1', from, from + 100);
  if (!type.startsWith(openDocumentType)) return 'zip';
  const [name = ''] = /^[a-z-]+/.exec(type.slice(openDocumentType.length)) ?? [];
  return openDocumentKinds[name] ?? 'zip';
}

function beginsWith(head: Buffer, mark: Buffer): boolean {
  return head.subarray(0, mark.length).equals(mark);
}
