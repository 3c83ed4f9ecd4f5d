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

/** Items by name: their number, pieces that were read and opened, if all did, and if the last one was there. */
const items = new Map();
const numberIn = (nonce) => (nonce.length === 12 ? nonce.readUInt32BE(0) : 0);

/** Adds a piece to the file of its item. One that does not open is left out, and the rest is read on. */
function addPiece(key, name, nonce, sealed) {
  const item = items.get(name) ?? { number: numberIn(nonce), pieces: 0, opened: 0, isWhole: true, isEnded: false };
  items.set(name, item);
  const isLast = nonce[11] === 1;
  if (item.isEnded || !nonceOf(item.number, item.pieces, isLast).equals(nonce)) item.isWhole = false;
  item.pieces += 1;
  item.isEnded ||= isLast;
  let content;
  try {
    content = openPiece(key, name, nonce, sealed);
  } catch {
    item.isWhole = false;
    return;
  }
  (item.opened === 0 ? writeFileSync : appendFileSync)(join(folder, basename(name)), content);
  item.opened += 1;
  item.number = numberIn(nonce);
}

function report(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

function reportDamage() {
  for (const [name, { opened, isWhole, isEnded }] of items) {
    if (!isWhole || !isEnded)
      report(`${name} is damaged. ${opened > 0 ? 'The parts of it that open were saved.' : 'Nothing of it opens.'}`);
  }
}

async function openPage() {
  let key = null;
  let isEnded = false;
  for await (const line of createInterface({ input: createReadStream(copy), crlfDelay: Number.POSITIVE_INFINITY })) {
    const seal = /^<script id="seal" type="application\/json">(.*)<\/script>$/.exec(line);
    if (seal) {
      const { salt, iterations, check } = JSON.parse(seal[1]);
      key = keyOf(base64(salt), iterations);
      try {
        openPiece(key, 'check', nonceOf(0, 0, true), base64(check));
      } catch {
        return report('This passphrase does not open this file.');
      }
    }
    const block = /^<script type="text\/plain" data-name="([^"]*)" data-nonce="([^"]*)">(.*)<\/script>$/.exec(line);
    if (block) addPiece(key, block[1], base64(block[2]), base64(block[3]));
    if (line.startsWith('<p id="end"')) isEnded = true;
  }
  reportDamage();
  if (!items.has('vault.json')) report('vault.json, with all text, is missing.');
  // Items count from 1, and the text is the last one.
  const count = items.get('vault.json')?.number ?? 0;
  if (count > items.size) report(`${count - items.size} of ${count} items are missing.`);
  if (!isEnded) report('The file is incomplete: its end is missing.');
}

function openFurther(name) {
  const file = openSync(copy);
  const head = Buffer.alloc(24);
  readSync(file, head);
  const key = keyOf(head.subarray(8), 600_000);
  const [now, next] = [Buffer.alloc(1_048_592), Buffer.alloc(1_048_592)];
  let length = readSync(file, now);
  for (let piece = 0; length > 0; piece += 1) {
    const nextLength = readSync(file, next);
    addPiece(key, name, nonceOf(0, piece, nextLength === 0), now.subarray(0, length));
    now.set(next);
    length = nextLength;
  }
  closeSync(file);
  if (items.size === 0) report(`${name} is empty.`);
  reportDamage();
}

mkdirSync(folder, { recursive: true });
const further = /([0-9a-f]{16})\.sealed$/.exec(copy);
if (further) openFurther(further[1]);
else await openPage();
