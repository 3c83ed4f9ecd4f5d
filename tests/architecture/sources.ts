import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** The folders that hold code. */
export const roots = ['build', 'server', 'shared', 'tests', 'web'];

export type Source = {
  /** From the repository, with slashes. */
  path: string;
  text: string;
};

/** Every file of ours in TypeScript. */
export function readSources(): Source[] {
  return roots.flatMap((root) =>
    readdirSync(join(repository, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
      .map((name) => `${root}/${name.replaceAll('\\', '/')}`)
      .map((path) => ({ path, text: readFileSync(join(repository, path), 'utf8') })),
  );
}

/** Folders of ours, from the repository. */
export function readFolders(): string[] {
  return roots.flatMap((root) =>
    readdirSync(join(repository, root), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name),
  );
}
