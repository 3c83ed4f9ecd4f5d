import { extensionOf, typeOfExtension } from '#shared/rules/files.ts';
import { type EnclosureKind, enclosureTypeOf, originalTypeOf } from '#shared/rules/letters/enclosures.ts';
import { sealedEnvelopeMark, sealedEnvelopeName, sealedSegmentBytes } from '#shared/rules/letters/sealed-envelope.ts';
import { fromBase64Url, toBase64Url } from './base64url.ts';

/** Something that lies in the envelope of a sealed letter. */
export type Packed = {
  /** A picture, the original of the picture before it, the voice, or the one other file. */
  kind: EnclosureKind | 'original' | 'file';
  file: File;
  caption: string;
  transcript: string;
  afterParagraph: number | null;
};

/** Header of each part, before the bytes of all. */
type Entry = Omit<Packed, 'file'> & { name: string; sizeBytes: number };

const tagBytes = 16;
const nonceBytes = 12;
const keyBytes = 32;
const lengthBytes = 4;
const purpose = new TextEncoder().encode('everkept envelope 1');
const mark = new TextEncoder().encode(sealedEnvelopeMark);

/**
 * Packs and seals the enclosures piece by piece, so that only one piece is in memory. The key is made for this file
 * only, and belongs inside the sealed text. Each piece is bound to its number and to being the last, so that none can
 * be moved, removed or added. This is the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár.
 */
export async function sealEnvelope(packed: readonly Packed[]): Promise<{ file: File; fileKey: string }> {
  const raw = crypto.getRandomValues(new Uint8Array(keyBytes));
  const key = await keyOf(raw, 'encrypt');
  const whole = new Blob([headOf(packed), ...packed.map(({ file }) => file)]);
  const pieces: BlobPart[] = [mark];
  for (let number = 0; number === 0 || number * sealedSegmentBytes < whole.size; number += 1) {
    const from = number * sealedSegmentBytes;
    const piece = await whole.slice(from, from + sealedSegmentBytes).arrayBuffer();
    const isLast = from + sealedSegmentBytes >= whole.size;
    pieces.push(new Blob([await crypto.subtle.encrypt(howOf(number, isLast), key, piece)]));
  }
  const name = sealedEnvelopeName(crypto.randomUUID().slice(0, 8));
  return { file: new File(pieces, name), fileKey: toBase64Url(raw) };
}

/**
 * Content of a sealed envelope. Each file gets the type of its extension only, because the service never checked
 * sealed content.
 *
 * @throws Error if it is incomplete, or not sealed under this key.
 */
export async function openEnvelope(sealed: Blob, fileKey: string): Promise<Packed[]> {
  const key = await keyOf(fromBase64Url(fileKey), 'decrypt');
  const begins = new Uint8Array(await sealed.slice(0, mark.length).arrayBuffer());
  if (!mark.every((byte, index) => begins[index] === byte)) throw new Error('This is no sealed envelope.');
  const body = sealed.slice(mark.length);
  const pieceBytes = sealedSegmentBytes + tagBytes;
  const opened: Blob[] = [];
  for (let number = 0; number === 0 || number * pieceBytes < body.size; number += 1) {
    const from = number * pieceBytes;
    const piece = await body.slice(from, from + pieceBytes).arrayBuffer();
    const isLast = from + pieceBytes >= body.size;
    opened.push(new Blob([await crypto.subtle.decrypt(howOf(number, isLast), key, piece)]));
  }
  return unpack(new Blob(opened));
}

/** The length of the list, and the list, as JSON. */
function headOf(packed: readonly Packed[]): Blob {
  const entries = packed.map(({ file: { name, size: sizeBytes }, ...words }): Entry => ({ ...words, name, sizeBytes }));
  const list = new TextEncoder().encode(JSON.stringify(entries));
  const length = new DataView(new ArrayBuffer(lengthBytes));
  length.setUint32(0, list.length);
  return new Blob([length.buffer, list]);
}

async function unpack(whole: Blob): Promise<Packed[]> {
  const length = new DataView(await whole.slice(0, lengthBytes).arrayBuffer()).getUint32(0);
  let at = lengthBytes + length;
  const list = new TextDecoder().decode(await whole.slice(lengthBytes, at).arrayBuffer());
  return (JSON.parse(list) as Entry[]).map(({ name, sizeBytes, ...words }) => {
    const file = new File([whole.slice(at, at + sizeBytes)], name, { type: typeOf(words.kind, name) });
    at += sizeBytes;
    return { ...words, file };
  });
}

/** Whatever its writer's browser called it: a page or a script must never open under our own address. */
function typeOf(kind: Packed['kind'], name: string): string {
  const type =
    kind === 'file'
      ? typeOfExtension(extensionOf(name))
      : kind === 'original'
        ? originalTypeOf(name)
        : enclosureTypeOf(name);
  return type ?? 'application/octet-stream';
}

function keyOf(raw: Uint8Array<ArrayBuffer>, use: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', raw, 'AES-GCM', false, [use]);
}

function howOf(number: number, isLast: boolean): AesGcmParams {
  const nonce = new DataView(new ArrayBuffer(nonceBytes));
  nonce.setUint32(nonceBytes - 5, number);
  nonce.setUint8(nonceBytes - 1, isLast ? 1 : 0);
  return { name: 'AES-GCM', iv: nonce.buffer, additionalData: purpose };
}
