import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inputsFingerprint } from './fingerprint.ts';

const root = path.resolve(import.meta.dirname, '..');
const fingerprintFile = 'fingerprint.txt';

/** Directory of the built web. */
export const webDistDir = path.join(root, 'dist', 'web');

type Log = (message: string) => void;

/** Reason why there is no web to serve, with the operator's next step. */
export class WebBuildError extends Error {
  override readonly name = 'WebBuildError';
  /** The message is all the operator needs; a stack would only bury it. */
  readonly isForOperator = true;
}

/**
 * Builds the web where it is missing or older than its sources, and leaves it alone where it is not.
 *
 * @returns the folder to serve.
 */
export async function ensureWebBuild({ log }: { log: Log }): Promise<string> {
  if (await needsBuild()) {
    await requireRoom(path.dirname(webDistDir));
    await buildApart(log);
  }
  return webDistDir;
}

const refusals: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** @throws WebBuildError where nothing can be written to this folder. */
async function requireRoom(folder: string): Promise<void> {
  const probe = path.join(folder, `.room-${process.pid}`);
  try {
    await mkdir(folder).catch(ignoreKnown);
    await mkdir(probe);
    await rm(probe, { recursive: true, force: true });
  } catch (error) {
    if (!refusals.has((error as NodeJS.ErrnoException).code)) throw error;
    throw new WebBuildError(
      `The web pages are not built yet, and nothing can be written to ${folder}. Run “npm run build” once as somebody who may, or give this user the right to write there.`,
    );
  }
}

/** In a process of its own: the tools stay in memory, which would be as much again as the whole service needs. */
async function buildApart(log: Log): Promise<void> {
  const child = spawn(process.execPath, [import.meta.filename], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let failure = '';
  child.stderr.on('data', (chunk: Buffer) => (failure += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n')) if (line !== '') log(line);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new WebBuildError(`The web pages could not be built.\n${failure.trim()}`);
}

/**
 * True if the built web is missing, or was made from other sources than those that lie here. An image has it without
 * them.
 */
export async function needsBuild(): Promise<boolean> {
  const built = await readFile(path.join(webDistDir, fingerprintFile), 'utf8').catch(() => '');
  if (built !== '' && !existsSync(path.join(root, 'web'))) return false;
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
    const packages = await bundleClient({ root, outDir });
    await writePages({ root, outDir, packages });
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

function ignoreKnown(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

if (import.meta.main) await buildWeb({ log: (message) => console.log(message) });
