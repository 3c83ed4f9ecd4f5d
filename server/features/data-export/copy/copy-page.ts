import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { productName } from '#shared/product.ts';
import { type CopySeal, checkItem, copyPassphraseLettersMin } from '#shared/rules/exports/copy-format.ts';
import { letterSealIterations } from '#shared/rules/letter-seal.ts';
import { pageStyle } from '../export-page.ts';
import { dayOf } from '../export-words.ts';
import type { SealedPiece } from './copy-seal.ts';

/** Made by `npm run copy:reader` from `web/copy-page`, and kept here, because a copy carries it for decades. */
export const readerFile = new URL('./reader.js', import.meta.url);

/** Said at the top of the file, where a text editor shows it, after the charset. The page shows it too. */
export const howToOpen = `
A SEALED COPY OF A VAULT (${productName}), FORMAT VERSION 1

Open this file in a web browser and type its passphrase. It needs no network.
Without the passphrase nothing in it can be read, and no one can restore it.

If the page no longer works, any program can open the file. It has to do this:

 1. Passphrase: remove white space, punctuation (Unicode P), modifier symbols (Sk),
    control (Cc) and format (Cf) characters. Normalise to NFKC. Map to upper case, then
    to lower case. Remove those characters again. Normalise to NFKC. Encode as UTF-8.
 2. Key: PBKDF2 (RFC 8018) with HMAC-SHA-256 and ${letterSealIterations} iterations; 32 bytes.
    "salt" is in the element with id="seal". All bytes here are base64 (RFC 4648, section 4).
 3. Pieces: each script element of type text/plain is one piece. data-name is the name of
    its item, data-nonce its nonce of 12 bytes. The text is the ciphertext and 16 bytes of tag.
 4. Open each piece with AES-256-GCM (NIST SP 800-38D). The additional data is the text
    "everkept copy 1 " followed by the name of the item, in UTF-8.
 5. An item is its pieces, in order. Nonce: bytes 0 to 3 are the number of the item and
    bytes 7 to 10 the number of the piece from 0, both big-endian. Byte 11 is 1 for the last
    piece and 0 before. All other bytes are 0. If a piece is missing, the item is incomplete.
 6. "check" in id="seal" is the tag of an empty text named "${checkItem.name}", item 0, last piece 0.
    It fails for a wrong passphrase.
 7. The item vault.json holds all text, as JSON in UTF-8. Its "file" members name items.
 8. A "further" member names a file beside this one, whose name ends in it and ".sealed".
    It has the bytes "EKCOPY1" and a line feed, a salt of 16 bytes, then pieces of 1,048,592
    bytes, the last one shorter. Its key is from the same passphrase and that salt, its item
    number is 0, and its item name is that member.
 9. A letter with "encryptedContent" has a passphrase of its own. Fold it as in 1 and derive
    its key as in 2, with its own iterations and salt. Open "ciphertext" with "nonce" and the
    additional data "everkept letter 2". Bytes there are base64url (RFC 4648, section 5). The
    result is JSON. (Version 1: additional data "everkept letter 1"; the passphrase is NFKC,
    trimmed, with single spaces, in lower case; the result is the text itself.)
10. Its attachment has the bytes "EKSEAL1" and a line feed, then pieces of 1,048,592 bytes
    under the key "fileKey" of that JSON. Additional data: "everkept envelope 1". Nonces as
    in 5 with item 0. The result is 4 bytes of length, big-endian, a JSON list of that
    length, and the bytes of its files in that order ("sizeBytes").
`;

const style = `${pageStyle}
form{display:grid;gap:.75rem;justify-items:start;margin:1.5rem 0}label{font-size:1rem}.row{display:flex;gap:.5rem;align-items:center;min-height:2.75rem}
input[type=password],input[type=text]{box-sizing:border-box;width:100%;max-width:26rem;font:inherit;padding:.6rem .75rem;color:inherit;background:var(--sheet);border:1px solid var(--soft);border-radius:6px}
input[type=checkbox]{width:1.25rem;height:1.25rem;margin:0;accent-color:var(--link)}input[type=file]{max-width:100%;font-size:1rem}
button{font:inherit;font-size:1rem;min-height:2.75rem;padding:.5rem 1.1rem;color:var(--page);background:var(--link);border:0;border-radius:6px;cursor:pointer;overflow-wrap:anywhere;text-align:left}
button.plain{color:var(--link);background:none;border:1px solid var(--soft)}button:disabled{opacity:.6;cursor:default}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}[tabindex="-1"]:focus{outline:0}
.press{margin:.75rem 0}.list{margin-top:1rem}
figure{margin:1.5rem 0}img,video{display:block;max-width:100%;height:auto;border-radius:4px}audio{width:100%}figcaption{font-size:1rem;font-style:italic;color:var(--soft);margin-top:.4rem}
.said{color:inherit;font-weight:600;margin:0}.box{border:1px solid var(--line);border-radius:8px;padding:1rem 1.25rem;margin:1.5rem 0}
details{margin-top:4rem;color:var(--soft);font-size:1rem}pre{font-size:.75rem;line-height:1.5;white-space:pre-wrap}[hidden]{display:none!important}
@media print{form,button,details,.box,audio,video{display:none!important}}
`;

type Reader = { script: string; hashes: { script: string; style: string } };
let loaded: Promise<Reader> | undefined;

function loadReader(): Promise<Reader> {
  loaded ??= readFile(readerFile, 'utf8').then((script) => ({
    script,
    hashes: { script: hashOf(script), style: hashOf(style) },
  }));
  return loaded;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Everything before the sealed pieces. It tells the day of the copy, and nothing of the vault. */
export async function copyHead(seal: CopySeal, exportedAt: Date): Promise<string> {
  const { script, hashes } = await loadReader();
  const policy = `default-src 'none'; script-src ${hashes.script}; style-src ${hashes.style}; img-src blob:; media-src blob:; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<!--${howToOpen}-->
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>A sealed copy of a vault, ${dayOf(exportedAt)}</title>
<style>${style}</style>
</head>
<body>
<header><p>${productName}</p><h1 id="title">A sealed copy of a vault</h1><p>Made on ${dayOf(exportedAt)}</p></header>
<main>
<noscript><p>This page opens itself with a script, and scripts are switched off here. Switch them on for this file. Or open the file in a text editor: its first lines say how to open it with another program.</p></noscript>
<form id="form">
<p>Everything in this file is sealed with a passphrase. Type it here. Nothing is sent anywhere, and you don’t need the internet.</p>
<label for="passphrase">Passphrase</label>
<input id="passphrase" type="password" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="hint">
<p id="hint" class="facts">At least ${copyPassphraseLettersMin} letters or digits. Capital letters, spaces and punctuation make no difference.</p>
<label class="row"><input id="show" type="checkbox"> Show what I type</label>
<button id="open" disabled>Open</button>
<p id="said" class="said" role="status">Reading the file…</p>
</form>
<div id="vault" hidden></div>
</main>
<details><summary>How to open this file in another way</summary><pre id="how"></pre></details>
<script id="seal" type="application/json">${JSON.stringify(seal)}</script>
<script>${script}</script>
`;
}

/** A piece as a data block, which browsers neither run nor show. */
export function pieceElement(name: string, { nonce, sealed }: SealedPiece): string {
  const place = Buffer.from(nonce).toString('base64');
  return `<script type="text/plain" data-name="${name}" data-nonce="${place}">${sealed.toString('base64')}</script>\n`;
}

/** Shows the reader that the file is whole. */
export const copyEnd = '<p id="end" hidden></p>\n</body>\n</html>\n';
