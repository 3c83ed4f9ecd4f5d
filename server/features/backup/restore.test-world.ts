import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createReleaseWorld, type ReleaseWorld } from '#server/features/release/release.test-world.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createBlankDatabase } from '#tests/support/database.ts';
import { makeBackup } from './backup.service.ts';
import { fileSink } from './backup-writer.ts';
import { restoreBackup } from './restore.service.ts';

export const backupTime = '2026-11-14T09:00:00.000Z';

/** A folder for the backups of one file of tests, and what writes them there. */
export async function createBackups() {
  const folder = await mkdtemp(join(tmpdir(), 'everkept-drill-'));
  return {
    remove: () => rm(folder, { recursive: true }),
    async backUp({ pool, masterKeys }: ReleaseWorld): Promise<string> {
      const path = join(folder, `${crypto.randomUUID()}.backup`);
      const now = () => new Date(backupTime);
      await makeBackup({ pool, store: createMemoryStore(), masterKeys, now }, { to: fileSink(path), masterKey: null });
      return path;
    },
  };
}

/** Restores this backup into an empty installation until the test ends. Its worker has not run yet. */
export async function restoreWorld({ masterKeys }: ReleaseWorld, from: string): Promise<ReleaseWorld> {
  const database = await createBlankDatabase();
  const { connection } = database;
  const keepMasterKeys = () => Promise.reject(new Error('There is a key here already.'));
  const place = { connection, store: createMemoryStore(), masterKeys, keepMasterKeys, deleted: new Set<string>() };
  await restoreBackup(place, { path: from });
  const world = await createReleaseWorld({ database, masterKey: masterKeys.current.key });
  onTestFinished(() => world.close());
  return world;
}
