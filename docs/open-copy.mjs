// Opens a copy of a vault without its page (docs/copy-format.md): every file, and all text as vault.json.
//   PASSPHRASE='…' node open-copy.mjs COPY.html FOLDER
//   PASSPHRASE='…' node open-copy.mjs COPY-0123456789abcdef.sealed FOLDER
import { createDecipheriv, pbkdf2Sync } from 'node:crypto';
import { appendFileSync, closeSync, createReadStream, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

const [copy, folder] = process.argv.slice(2);
const ignored = /[\s\p{P}\p{Sk}\p{Cc}\p{Cf}]/gu;
const once = process.env.PASSPHRASE.replace(ignored, '').normalize('NFKC').toUpperCase().toLowerCase();
const passphrase = once.replace(ignored, '').normalize('NFKC');
const base64 = (text) => Buffer.from(text, 'base64');
const keyOf = (salt, iterations) => pbkdf2Sync(passphrase, salt, iterations, 32, 'sha256');

function nonceOf(item, piece, isLast) {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(item, 0);
  nonce.writeUInt32BE(piece, 7);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

function openPiece(key, name, nonce, sealed) {
  const cipher = createDecipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(`everkept copy 1 ${name}`));
  cipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
}

async function openPage() {
  let key;
  let open = null;
  for await (const line of createInterface({ input: createReadStream(copy), crlfDelay: Number.POSITIVE_INFINITY })) {
    const seal = /^<script id="seal" type="application\/json">(.*)<\/script>$/.exec(line);
    if (seal) {
      const { salt, iterations, check } = JSON.parse(seal[1]);
      key = keyOf(base64(salt), iterations);
      openPiece(key, 'check', nonceOf(0, 0, true), base64(check));
    }
    const block = /^<script type="text\/plain" data-name="([^"]*)" data-nonce="([^"]*)">(.*)<\/script>$/.exec(line);
    if (!block) continue;
    const [, name, nonce, sealed] = block;
    if (open?.name !== name) {
      if (open) throw new Error(`${open.name} is incomplete.`);
      open = { name, item: base64(nonce).readUInt32BE(0), pieces: 0 };
      writeFileSync(join(folder, basename(name)), '');
    }
    const isLast = base64(nonce)[11] === 1;
    if (!nonceOf(open.item, open.pieces, isLast).equals(base64(nonce))) throw new Error(`${name} is damaged.`);
    appendFileSync(join(folder, basename(name)), openPiece(key, name, base64(nonce), base64(sealed)));
    open = isLast ? null : { ...open, pieces: open.pieces + 1 };
  }
  if (open) throw new Error(`${open.name} is incomplete.`);
}

function openFurther(name) {
  const file = openSync(copy);
  const head = Buffer.alloc(24);
  readSync(file, head);
  const key = keyOf(head.subarray(8), 600_000);
  const place = join(folder, name);
  writeFileSync(place, '');
  const [now, next] = [Buffer.alloc(1_048_592), Buffer.alloc(1_048_592)];
  let length = readSync(file, now);
  for (let piece = 0; length > 0; piece += 1) {
    const nextLength = readSync(file, next);
    const sealed = now.subarray(0, length);
    appendFileSync(place, openPiece(key, name, nonceOf(0, piece, nextLength === 0), sealed));
    now.set(next);
    length = nextLength;
  }
  closeSync(file);
}

mkdirSync(folder, { recursive: true });
const further = /([0-9a-f]{16})\.sealed$/.exec(copy);
if (further) openFurther(further[1]);
else await openPage();
