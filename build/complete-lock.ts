import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { completeLock, missingEntries, parseLock, withoutContestedNames } from './lock-file.ts';

/**
 * Run it after each change of packages. Adds entries to the lock file that npm left out for other systems, and
 * removes entries that break npm.
 */
const path = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = parseLock(await readFile(path, 'utf8'));
const missing = missingEntries(lock);

await writeFile(path, `${JSON.stringify(withoutContestedNames(completeLock(lock)), null, 2)}\n`);
console.log(`The lock file was short of ${missing.length} packages for other systems.`);
