/**
 * Makes the one initial migration again from the tables. Before the first release there is no data to migrate. With
 * the first release this file goes, and each change of a table becomes a migration (`npm run db:generate`).
 */
import { spawnSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const folder = 'migrations';
const file = join(folder, '0000_initial.sql');

/** Trigram search in names and addresses. It is part of PostgreSQL; the owner of a database may add it. */
const extension = 'CREATE EXTENSION IF NOT EXISTS "pg_trgm";';
const breakpoint = '--> statement-breakpoint';

await rm(folder, { recursive: true, force: true });
const generate = ['generate', '--config', 'build/drizzle.config.ts', '--name', 'initial'];
const { status } = spawnSync(join('node_modules', '.bin', 'drizzle-kit'), generate, { stdio: 'inherit' });
if (status !== 0) process.exit(1);

const tables = await readFile(file, 'utf8');
const besideTables = await readFile('server/platform/db/beside-tables.sql', 'utf8');
await writeFile(file, [extension, tables.trimEnd(), besideTables].join(`\n${breakpoint}\n`));
