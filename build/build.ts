import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inputsFingerprint } from './fingerprint.ts';

const root = path.resolve(import.meta.dirname, '..');
const fingerprintFile = 'fingerprint.txt';

/** Where the built web lies. */
export const webDistDir = path.join(root, 'dist', 'web');

type Log = (message: string) => void;

/**
 * Builds the web where it is missing or older than its sources, and leaves it alone where it is not.
 *
 * @returns the folder to serve.
 */
export async function ensureWebBuild({ log }: { log: Log }): Promise<string> {
  if (await needsBuild()) await buildWeb({ log });
  return webDistDir;
}

/** Whether the built web is missing, or was made from other sources than those that lie here. */
export async function needsBuild(): Promise<boolean> {
  const built = await readFile(path.join(webDistDir, fingerprintFile), 'utf8').catch(() => '');
  return built !== (await inputsFingerprint(root));
}

/** Builds into a folder of its own and puts it in place only when it is whole. */
export async function buildWeb({ log }: { log: Log }): Promise<void> {
  const startedMs = performance.now();
  const fingerprint = await inputsFingerprint(root);
  const workDir = path.join(root, 'dist', `.building-${process.pid}`);
  const outDir = path.join(workDir, 'web');
  try {
    // Loaded here, so that a start that has nothing to build does not pay for the tools.
    const { compressFiles } = await import('./compress.ts');
    const { bundleClient } = await import('./bundle.ts');
    const { writePages } = await import('./prerender.ts');
    log('Building the web pages…');
    await bundleClient({ root, outDir });
    await writePages({ root, outDir, workDir });
    await compressFiles(path.join(outDir, 'assets'));
    await writeFile(path.join(outDir, fingerprintFile), fingerprint);
    await replaceDirectory(outDir, webDistDir);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
  log(`Built the web pages in ${((performance.now() - startedMs) / 1000).toFixed(1)} s.`);
}

async function replaceDirectory(from: string, to: string): Promise<void> {
  const old = `${from}.old`;
  await mkdir(path.dirname(to), { recursive: true });
  await rename(to, old).catch(ignoreMissing);
  await rename(from, to);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

if (import.meta.main) await buildWeb({ log: (message) => console.log(message) });
