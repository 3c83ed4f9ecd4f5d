import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { path7za } from '7zip-bin';

const execute = promisify(execFile);

/** Without a locale of UTF-8 the program writes names of other scripts as question marks. */
function run(program: string, args: readonly string[], options: { maxBuffer?: number } = {}) {
  return execute(program, args, { ...options, env: { ...process.env, LC_ALL: 'C.UTF-8' } });
}

export type Extracted = { files: Map<string, Buffer>; listing: string };

/** Opens an archive with the real 7-Zip, as a person would at home. Fails if 7-Zip complains. */
export function extractWithSevenZip(archive: Buffer, password: string): Promise<Extracted> {
  return withSevenZip(archive, async ({ program, path, folder }) => {
    const { stdout: listing } = await run(program, ['l', '-slt', path, `-p${password}`]);
    const out = join(folder, 'out');
    await run(program, ['x', path, `-p${password}`, `-o${out}`, '-y']);
    const files = new Map<string, Buffer>();
    for (const name of await readdir(out)) files.set(name, await readFile(join(out, name)));
    return { files, listing };
  });
}

/** Listing of an archive by the real 7-Zip, of any length. */
export function listWithSevenZip(archive: Buffer): Promise<string> {
  const listingBytesMax = 100_000_000;
  return withSevenZip(archive, async ({ program, path }) => {
    return (await run(program, ['l', path], { maxBuffer: listingBytesMax })).stdout;
  });
}

type Place = { program: string; path: string; folder: string };

async function withSevenZip<Result>(archive: Buffer, work: (place: Place) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'everkept-7zip-'));
  try {
    // Packages come without the right to run them where install scripts are off.
    const program = join(folder, '7za');
    await copyFile(path7za, program);
    await chmod(program, 0o755);
    const path = join(folder, 'archive.zip');
    await writeFile(path, archive);
    return await work({ program, path, folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
