import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const runFile = promisify(execFile);

/** Paths of the browser on Debian and its relatives; `CHROMIUM_PATH` may name another. */
const candidates = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

const installTimeoutMs = 600_000;

/**
 * Path of a Chromium for the browser tests. Installs Debian's where there is none and we may.
 *
 * @throws with the one line that says what to install.
 */
export async function findBrowser(): Promise<string> {
  const found = candidates.find((path) => path && existsSync(path));
  if (found) return found;
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (!mayInstall) {
    throw new Error(
      'The browser tests need Chromium: install it (on Debian: apt-get install chromium) or set CHROMIUM_PATH.',
    );
  }
  console.log('Installing Chromium from Debian for the browser tests.');
  await runFile('apt-get', ['update'], { timeout: installTimeoutMs });
  await runFile('apt-get', ['install', '-y', 'chromium'], { timeout: installTimeoutMs, maxBuffer: 1 << 26 });
  return '/usr/bin/chromium';
}
