import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

/**
 * A word that stands in nothing else. It has small letters alone: addresses are kept in them, and a row of digits would be
 * refused in a name as a telephone number.
 */
export function newCanary(): string {
  return `cnry${Array.from(randomBytes(12), (byte) => String.fromCharCode(97 + (byte % 26))).join('')}`;
}

/** Every file with its bytes. One that goes away while we look, as the database's do, is not missed. */
export async function filesBelow(directory: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile()) continue;
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    if (isThere) found.set(relative(directory, path), await readFile(path));
  }
  return found;
}

/** Forms of a text in a dump: plain, hexadecimal, and base64 at each of its three offsets. */
export function disguises(text: string): string[] {
  const hex = Buffer.from(text).toString('hex');
  const base64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).toString('base64url');
    return encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + text.length) * 8) / 6));
  });
  return [text, hex, ...base64];
}
