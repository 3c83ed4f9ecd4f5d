// Plain JavaScript: a start that finds a fresh bundle takes the types away from no file.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const ownRoot = new URL('../', import.meta.url);

/**
 * A hash over the names and contents of files.
 *
 * @param {URL} root the folder that the names start from
 * @param {readonly string[]} files
 * @returns {string} SHA-256 in hexadecimal digits
 * @throws if one of the files can't be read
 */
export function fingerprintOf(root, files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(new URL(file, root));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * The address of the bundled server. Undefined if there is none, or if one of its sources or packages has changed since.
 *
 * @param {URL} root the folder of the installation
 * @returns {URL | undefined}
 */
export function freshBundle(root = ownRoot) {
  const folder = new URL('dist/server/', root);
  try {
    const { files, fingerprint } = JSON.parse(readFileSync(new URL('inputs.json', folder), 'utf8'));
    return fingerprintOf(root, files) === fingerprint ? new URL(`${fingerprint}/cli.mjs`, folder) : undefined;
  } catch {
    // No bundle, half of one, or a source that is gone: the sources themselves run.
    return undefined;
  }
}
