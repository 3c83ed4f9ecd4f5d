import { resolve } from 'node:path';
import { pino } from 'pino';
import { restoreBackup } from '#server/features/backup/restore.service.ts';
import { loggerOptions } from '#server/http/logging.ts';
import { openInstallation, openServer } from '#server/installation.ts';
import { findMasterKeys, placeMasterKeys } from '#server/platform/crypto/master-key.ts';
import { openFileStore } from '#server/platform/files/file-store.ts';
import { createFileLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';

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
        resolve(file),
      );
      // Opening it lets everybody go again who was deleted since.
      await (await openInstallation(settings)).close();
      const { rows, files, createdAt, missingFiles } = restored;
      const words = `${rows} rows and ${files} files are back, as they were on ${createdAt}. Everybody signs in again.`;
      console.log(json ? JSON.stringify(restored) : words);
      if (missingFiles.length > 0 && !json) {
        console.error(`${missingFiles.length} files were missing already when the backup was made.`);
      }
    } finally {
      await store.close();
      await server.stop();
    }
  },
};
