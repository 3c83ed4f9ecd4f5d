import { resolve } from 'node:path';
import { pino } from 'pino';
import { restoreBackup } from '#server/features/backup/restore.service.ts';
import type { Freezes } from '#server/features/release/release-freeze.service.ts';
import { loggerOptions } from '#server/http/logging.ts';
import { openInstallation, openServer } from '#server/installation.ts';
import { findMasterKeys, placeMasterKeys } from '#server/platform/crypto/master-key.ts';
import { openFileStore } from '#server/platform/files/file-store.ts';
import { createFileLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { loadSettings, type Settings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';
import { restoredLines } from './restored.ts';

/** Opening it lets everybody go again who was deleted since. Gives what stands still now. */
async function openOnce(settings: Settings): Promise<Freezes> {
  const installation = await openInstallation(settings);
  try {
    return await installation.services.releases.freezes();
  } finally {
    await installation.close();
  }
}

export const restoreCommand: Command = {
  usage: ['restore FILE [--json]'],
  wordsMax: 1,
  summary: 'Brings a backup into an empty place, all of it or nothing, and up to this release. Stop the service first.',
  async run([file], { json }) {
    if (!file) throw new CommandError('Say where from: restore FILE.', 2);
    const settings = loadSettings();
    const masterKeys = await findMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey });
    const server = await openServer(settings, pino(loggerOptions({ level: settings.logLevel })));
    const store = await openFileStore(settings);
    try {
      const restored = await restoreBackup(
        {
          connection: server.connection,
          store,
          masterKeys,
          keepMasterKeys: (text) => placeMasterKeys(settings.dataDir, text),
          deleted: await createFileLedger({ path: settings.deletionLedger }).names(),
        },
        { path: resolve(file), identityFile: settings.backups.identityFile },
      );
      const freezes = await openOnce(settings);
      const { rows, files, createdAt, missingFiles } = restored;
      const lines = [
        `${rows} rows and ${files} files are back, as they were on ${createdAt}. Everybody signs in again.`,
        'All releases are stopped: owners may have come back since, and nobody here knows it. Reminders to them go on.',
        ...(freezes.restored ? restoredLines(freezes.restored) : []),
      ];
      console.log(json ? JSON.stringify({ ...restored, stopped: freezes.restored }) : lines.join('\n'));
      if (missingFiles.length > 0 && !json) {
        console.error(`${missingFiles.length} files were missing already when the backup was made.`);
      }
    } finally {
      await store.close();
      await server.stop();
    }
  },
};
