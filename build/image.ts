/**
 * Reduces this folder to the files that the service needs, for an image. Removes development packages, packages of
 * the built pages, the second Node.js, and package files that Node.js can't run.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '..');

/** Packages that are built into the pages, and packages that build them. */
export const packagesOfPages: ReadonlySet<string> = new Set([
  '@hookform/resolvers',
  '@simplewebauthn/browser',
  '@tanstack/react-query',
  '@vitejs/plugin-react',
  'heic-to',
  'react',
  'react-dom',
  'react-hook-form',
  'uqr',
  'vite',
  'wouter',
]);
const otherNode = /^(?:node-linux-|@everkept\/node$)/;
/** Types and the way back to sources. Node.js takes no types away below node_modules, so none of these can run. */
const neverRun = /\.(?:map|[cm]?tsx?)$/;

/** Font files that no PDF needs: other weights, another format, and stylesheets. */
const unusedFont = /[\\/]@fontsource[\\/].*(?:(?<!-400-normal)\.woff|\.woff2|\.s?css)$/;

/** True if the image does without a file of a package. */
export function isLeftOut(file: string): boolean {
  return neverRun.test(file) || unusedFont.test(file);
}

type Manifest = Record<'dependencies' | 'optionalDependencies', Record<string, string>>;

/** Manifest with the remaining packages. */
export function manifestOfImage<Given extends Manifest>(manifest: Given): Given {
  const without = (packages: Record<string, string>, isLeft: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(packages).filter(([name]) => isLeft(name)));
  return {
    ...manifest,
    devDependencies: {},
    dependencies: without(manifest.dependencies, (name) => !packagesOfPages.has(name)),
    optionalDependencies: without(manifest.optionalDependencies, (name) => !otherNode.test(name)),
  };
}

async function leaveWhatRuns(): Promise<void> {
  const file = path.join(root, 'package.json');
  await writeFile(file, JSON.stringify(manifestOfImage(JSON.parse(await readFile(file, 'utf8'))), null, 2));
  await promisify(execFile)('npm', ['prune', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: root,
  });
  const packages = path.join(root, 'node_modules');
  const entries = await readdir(packages, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && isLeftOut(file)) await rm(file);
  }
}

if (import.meta.main) await leaveWhatRuns();
