import { resolve } from 'node:path';
import { pino } from 'pino';
import { practiseBackup } from '#server/features/backup/backup-practice.service.ts';
import type { BackupFile } from '#server/features/backup/backup-reader.ts';
import { unprovenFlag } from '#server/features/backup/backup-seal.ts';
import { restoreBackup } from '#server/features/backup/restore.service.ts';
import { applySays } from '#server/features/delivery/say/declining.ts';
import { type Freezes, listFreezes } from '#server/features/release/release-freeze.ts';
import { openServer } from '#server/ground.ts';
import { loggerOptions } from '#server/http/logging.ts';
import { openInstallation } from '#server/installation.ts';
import { findMasterKeys, type MasterKeys, placeMasterKeys } from '#server/platform/crypto/master-key.ts';
import { openFileStore } from '#server/platform/files/file-store.ts';
import { createFileLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { loadSettings, type Settings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';
import { restoredLines } from './restored.ts';

/**
 * Opens the installation, which deletes the accounts that were deleted after the backup, and brings back the words of
 * readers. Returns the present freezes.
 */
async function openOnce(settings: Settings): Promise<Freezes> {
  const installation = await openInstallation(settings);
  try {
    await applySays(installation);
    return await listFreezes(installation);
  } finally {
    await installation.close();
  }
}

type Practising = { masterKeys: MasterKeys | null; acceptsUnproven: boolean; json: boolean };

async function tellPractice(from: BackupFile, { masterKeys, acceptsUnproven, json }: Practising): Promise<void> {
  if (!masterKeys) throw new CommandError('There is no master key here, and no letter opens without it.');
  const { letters, opened, files } = await practiseBackup(from, masterKeys, { acceptsUnproven });
  const sentence = `It is whole, with ${files} files, and opened ${opened} letters of ${letters}.`;
  console.log(json ? JSON.stringify({ letters, opened, files }) : sentence);
  if (opened < letters) throw new CommandError(`${letters - opened} letters did not open with the keys here.`);
}

export const restoreCommand: Command = {
  usage: [`restore FILE [--check] [--${unprovenFlag}] [--json]`],
  wordsMax: 1,
  summary:
    'Restores a backup into an empty installation, all of it or nothing, and upgrades it to this release. Stop the service first. --check ' +
    'only reads it: it opens every letter and writes nothing. A backup without a matching seal of the master key is refused, ' +
    `unless --${unprovenFlag} accepts it.`,
  flags: ['check', unprovenFlag],
  async run([file], { json, flags }) {
    if (!file) throw new CommandError('Name the backup file: restore FILE.', 2);
    const settings = loadSettings();
    const masterKeys = await findMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey });
    const from = { path: resolve(file), identityFile: settings.backups.identityFile };
    const acceptsUnproven = flags.has(unprovenFlag);
    if (flags.has('check')) return tellPractice(from, { masterKeys, acceptsUnproven, json });
    const server = await openServer(settings, pino(loggerOptions({ level: settings.logLevel })));
    const store = await openFileStore(settings);
    try {
      const restored = await restoreBackup(
        {
          connection: server.connection,
          store,
          masterKeys,
          acceptsUnproven,
          keepMasterKeys: (text) => placeMasterKeys(settings.dataDir, text),
          deleted: await createFileLedger({ path: settings.deletionLedger }).names(),
        },
        from,
      );
      const freezes = await openOnce(settings);
      const { rows, files, createdAt, missingFiles } = restored;
      const lines = [
        `${rows} rows and ${files} files are back, as they were on ${createdAt}. Everybody signs in again.`,
        'All releases are stopped, since owners may have come back after the backup was made. Reminders to them go on.',
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
