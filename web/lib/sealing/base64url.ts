/* base64 for addresses (RFC 4648 §5), without padding. */

/** Long values are taken in pieces: a function has a limit to how many arguments it takes. */
const pieceBytes = 8_192;

export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    text += String.fromCharCode(...bytes.subarray(at, at + pieceBytes));
  }
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Reads plain base64 (RFC 4648 §4) as well. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(letters.length);
  // A loop, because megabytes go through it in one call.
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}
