import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Browser } from '@playwright/test';
import { ensureWebBuild } from './build.ts';

const root = path.resolve(import.meta.dirname, '..');
/** Path of the README's picture in the repository. */
export const readmePicture = 'docs/images/dashboard.png';
const port = '4979';
const url = `http://localhost:${port}`;
const pollMs = 200;
/** Empty values win over a developer's `.env`. */
const blank = { DATABASE_URL: '', SMTP_URL: '', SMTP_SERVICE: '', BASE_URL: '', ROLE: '' };
const size = { width: 1280, height: 900 } as const;

/** Files that draw the part of the dashboard that the picture shows. */
const drawnBy = [
  'web/content/vault-headings.ts',
  'web/pages/vault/dashboard.tsx',
  'web/pages/vault/dashboard-home.tsx',
  'web/components/layout/app-header.tsx',
  'web/components/ui/trial-note.tsx',
  'web/features/release/calendar-ticks.ts',
  'web/features/release/readiness.tsx',
  'web/features/release/status-sheet.tsx',
  'web/features/release/status-words.ts',
  'web/features/release/timeline-columns.rules.ts',
  'web/features/release/timeline-marks.ts',
  'web/features/release/timeline.css',
  'web/features/release/timeline.tsx',
  ...['base', 'buttons', 'cards', 'dashboard', 'header', 'ruler', 'timeline', 'tokens'].map(
    (name) => `web/styles/${name}.css`,
  ),
];

/** Digest of the files that draw the picture, without their comments and line breaks. */
export async function readmePictureDigest(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of drawnBy) {
    const source = await readFile(path.join(root, file), 'utf8');
    hash.update(source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').replace(/\s+/g, ' '));
  }
  return hash.digest('hex');
}

/** Photographs the dashboard of a person of the demonstration, in an installation of its own. Takes minutes on a slow machine. */
export async function drawReadmePicture(browser: Browser): Promise<Buffer> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'everkept-picture-'));
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    ...blank,
    DATA_DIR: dataDir,
    PORT: port,
    TEST_CLOCK: '1',
  };
  const demo = await promisify(execFile)(process.execPath, ['server/start.mjs', 'demo', '--json'], { cwd: root, env });
  const { password, people }: { password: string; people: { email: string }[] } = JSON.parse(demo.stdout);
  await ensureWebBuild({ log: console.log });
  const site = spawn(process.execPath, ['server/start.mjs', 'serve'], { cwd: root, env, stdio: 'ignore' });
  try {
    await ready(site);
    const page = await browser.newPage({ viewport: size, locale: 'en-GB', timezoneId: 'Europe/London' });
    await page.goto(`${url}/login`);
    await page.getByLabel('Email').fill(people[0]?.email ?? '');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor();
    // The notice of the sign-in would cover a part of it.
    await page.reload({ waitUntil: 'networkidle' });
    await page.evaluate('document.fonts.ready');
    const picture = await page.screenshot({ animations: 'disabled' });
    await page.close();
    return picture;
  } finally {
    site.kill('SIGTERM');
    if (site.exitCode === null) await once(site, 'exit');
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** @throws if the service ends while it starts. */
async function ready(site: ChildProcess): Promise<void> {
  while (site.exitCode === null) {
    const answered = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answered) return;
    await setTimeout(pollMs);
  }
  throw new Error(`The service for the README's picture ended while it started. Is port ${port} free?`);
}
