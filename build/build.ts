import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BundleInputs, freshBundle } from '#server/bundle.mjs';
import { inputsFingerprint } from './fingerprint.ts';

const root = path.resolve(import.meta.dirname, '..');
const fingerprintFile = 'fingerprint.txt';

/** Directory of the built web. */
export const webDistDir = path.join(root, 'dist', 'web');
const serverDistDir = path.join(root, 'dist', 'server');

type Part = 'web' | 'server';

type Log = (message: string) => void;

/** Reason why a part could not be built, with the operator's next step. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
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
    if (!(await hasRoom())) {
      throw new BuildError(
        `The web pages are not built yet, and nothing can be written to ${path.dirname(webDistDir)}. Run “npm run build” once as a user with the right to write there, or give this user that right.`,
      );
    }
    await buildApart('web', log);
  }
  return webDistDir;
}

/** Bundles the server if a source has changed since. Where nothing can be written, the server runs from its sources, at twice the memory. */
export async function ensureServerBundle({ log }: { log: Log }): Promise<void> {
  if (freshBundle() || !(await hasRoom())) return;
  try {
    await buildApart('server', log);
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    log(`${error.message}\nThe server runs from its sources.`);
  }
}

const refusals: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** True if a build can be written. */
async function hasRoom(): Promise<boolean> {
  const folder = path.dirname(webDistDir);
  const probe = path.join(folder, `.room-${process.pid}`);
  try {
    await mkdir(folder).catch(ignoreKnown);
    await mkdir(probe);
    await rm(probe, { recursive: true, force: true });
    return true;
  } catch (error) {
    if (!refusals.has((error as NodeJS.ErrnoException).code)) throw error;
    return false;
  }
}

/** In a process of its own: the tools stay in memory, which would be as much again as the whole service needs. */
async function buildApart(part: Part, log: Log): Promise<void> {
  const child = spawn(process.execPath, [import.meta.filename, part], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let failure = '';
  child.stderr.on('data', (chunk: Buffer) => (failure += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n')) if (line !== '') log(line);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new BuildError(`The ${part === 'web' ? 'web pages' : 'server'} could not be built.\n${failure.trim()}`);
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

async function buildWeb(log: Log): Promise<void> {
  const startedMs = performance.now();
  const fingerprint = await inputsFingerprint(root);
  await inFolderOfItsOwn(async (outDir) => {
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
  });
  log(`Built the web pages in ${secondsSince(startedMs)} s.`);
}

async function buildServer(log: Log): Promise<void> {
  const startedMs = performance.now();
  await inFolderOfItsOwn(async (outDir) => {
    const { bundleServer } = await import('./bundle-server.ts');
    log('Bundling the server…');
    await placeBundle(outDir, await bundleServer({ root, outDir }));
  });
  log(`Bundled the server in ${secondsSince(startedMs)} s.`);
}

/** Builds into a temporary folder, and removes what the build left there. */
async function inFolderOfItsOwn(build: (outDir: string) => Promise<void>): Promise<void> {
  const workDir = path.join(root, 'dist', `.building-${process.pid}`);
  try {
    await build(path.join(workDir, 'out'));
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** A running service may still load modules of the bundle that it was started from. */
const keptBundles = 3;

/** Puts a bundle beside those before, and names it as the newest. */
async function placeBundle(outDir: string, inputs: BundleInputs): Promise<void> {
  const folder = path.join(serverDistDir, inputs.fingerprint);
  await mkdir(serverDistDir, { recursive: true });
  if (!existsSync(folder)) await rename(outDir, folder);
  await writeFile(`${outDir}.json`, JSON.stringify(inputs));
  await rename(`${outDir}.json`, path.join(serverDistDir, 'inputs.json'));
  await removeOldBundles();
}

async function removeOldBundles(): Promise<void> {
  const entries = await readdir(serverDistDir, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(serverDistDir, name));
  const aged = await Promise.all(folders.map(async (folder) => ({ folder, madeMs: (await stat(folder)).mtimeMs })));
  const old = aged.toSorted((one, other) => other.madeMs - one.madeMs).slice(keptBundles);
  for (const { folder } of old) await rm(folder, { recursive: true, force: true });
}

function secondsSince(startedMs: number): string {
  return ((performance.now() - startedMs) / 1000).toFixed(1);
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

if (import.meta.main) {
  const part = process.argv[2];
  if (part !== 'server') await buildWeb(console.log);
  if (part !== 'web') await buildServer(console.log);
}
