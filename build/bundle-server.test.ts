import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundleServer } from './bundle-server.ts';

const manifest = (name: string) => JSON.stringify({ name, version: '1.0.0', main: 'index.js' });
const sources = {
  'package-lock.json': JSON.stringify({
    packages: { 'node_modules/kept': {}, 'node_modules/colours': { dev: true } },
  }),
  'package.json': JSON.stringify({ type: 'module' }),
  'server/cli.ts': `import { kept } from 'kept';\nconsole.log(kept);\n`,
  'node_modules/kept/package.json': manifest('kept'),
  // As the package “debug” asks for “supports-color”.
  'node_modules/kept/index.js': `try { require('colours'); } catch {}\nexports.kept = 'the kept package';\n`,
  'node_modules/colours/package.json': manifest('colours'),
  'node_modules/colours/index.js': `exports.colours = 'the package of development';\n`,
};

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'everkept-bundled-'));
  for (const [name, text] of Object.entries(sources)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
});
afterEach(() => rm(root, { recursive: true }));

describe('The bundle of the server', () => {
  it('leaves out a package that only development installs, so that it stays fresh in an image', async () => {
    const outDir = join(root, 'dist');
    const { files } = await bundleServer({ root, outDir });
    expect(files).toContain('node_modules/kept/package.json');
    expect(files).not.toContain('node_modules/colours/package.json');
    const parts = (await readdir(outDir)).filter((name) => name.endsWith('.mjs'));
    const code = (await Promise.all(parts.map((name) => readFile(join(outDir, name), 'utf8')))).join('\n');
    expect(code).toContain('the kept package');
    expect(code).not.toContain('the package of development');
  });
});
