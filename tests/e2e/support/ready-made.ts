import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Installation, startInstallation } from './installation.ts';

/** The variable that tells the journeys of a run where the original is. */
const variable = 'EVERKEPT_READY_MADE';

/**
 * Once for a run: an Everkept as it is after a first start, with its database made and migrated, to be copied. A copy
 * takes a moment, and making one takes both processors for seconds.
 */
export default async function makeOriginal(): Promise<() => Promise<void>> {
  const site = await startInstallation();
  await site.end('SIGTERM');
  process.env[variable] = site.dataDir;
  return () => rm(site.dataDir, { recursive: true, force: true });
}

/** Starts a copy of the original: an Everkept of its own without accounts. */
export async function startCopy(extra: Record<string, string> = {}): Promise<Installation> {
  const original = process.env[variable];
  if (original === undefined) throw new Error('The set-up of the run has left no installation to copy.');
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-e2e-'));
  // Node's own copy changes the owner of files, and the database belongs to another account.
  await promisify(execFile)('cp', ['-a', `${original}/.`, dataDir]);
  return startInstallation({ ...extra, DATA_DIR: dataDir });
}
