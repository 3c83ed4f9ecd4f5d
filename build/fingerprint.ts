import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Sources of the built web. */
const inputs = ['web', 'shared', 'build', 'vite.config.ts', 'package-lock.json'];
const ignored = /\.test\.tsx?$/;

/** A hash over the names and contents of everything the web is built from. */
export async function inputsFingerprint(root: string): Promise<string> {
  const files = (await Promise.all(inputs.map((input) => filesBelow(root, input)))).flat().sort();
  const hash = createHash('sha256');
  const contents = await Promise.all(files.map((file) => readFile(path.join(root, file))));
  for (const [index, content] of contents.entries()) {
    hash.update(`${files[index]}\0${content.length}\0`);
    hash.update(content);
  }
  return hash.digest('hex');
}

async function filesBelow(root: string, input: string): Promise<string[]> {
  // A single file has no entries to read.
  if (path.extname(input)) return [input];
  const entries = await readdir(path.join(root, input), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !ignored.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
}
