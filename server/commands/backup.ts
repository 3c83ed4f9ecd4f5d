import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeBackup } from '#server/features/backup/backup.service.ts';
import { type BackupSink, fileSink } from '#server/features/backup/backup-writer.ts';
import { openGround } from '#server/ground.ts';
import { findMasterKeys, readMasterKeyText } from '#server/platform/crypto/master-key.ts';
import { openFileStore } from '#server/platform/files/file-store.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';

const withKey = 'with-key';

/** Stays open, since the command prints its result after the backup. */
const standardOutput: BackupSink = (content) => pipeline(content, process.stdout, { end: false });

export const backupCommand: Command = {
  usage: ['backup FILE|- [--with-key] [--json]'],
  wordsMax: 1,
  summary:
    'Writes database and files into one file, or to standard output with -, while the service runs. Only the master key opens it. ' +
    '--with-key puts that key into the file: then anyone who has the file can read every letter.',
  flags: [withKey],
  async run([file], { json, flags }) {
    if (!file) throw new CommandError('Name the file to write: backup FILE.', 2);
    const settings = loadSettings();
    const path = file === '-' ? null : resolve(file);
    const keySource = { dataDir: settings.dataDir, ...settings.masterKey };
    const masterKey = flags.has(withKey) ? await readMasterKeyText(keySource) : null;
    // Before a new release touches it: of whichever release it is, it is copied as it stands.
    const ground = await openGround(settings, { tables: 'any' });
    const store = await openFileStore(settings);
    try {
      const masterKeys = await findMasterKeys(keySource);
      if (!masterKeys) throw new CommandError('There is no master key here, and a backup needs it for its seal.');
      const made = await makeBackup(
        { pool: ground.pool, store, masterKeys, now: () => new Date() },
        { to: path === null ? standardOutput : fileSink(path), masterKey },
      );
      const rows = Object.values(made.tables).reduce((sum, table) => sum + table.rows, 0);
      const { files, missingFiles } = made;
      const told = {
        path,
        rows,
        files: files.count,
        fileBytes: files.bytes,
        missingFiles,
        withKey: masterKey !== null,
      };
      // Standard output is the backup's own there.
      const tell = path === null ? console.error : console.log;
      tell(json ? JSON.stringify(told) : `${path ?? 'The backup'} holds ${rows} rows and ${files.count} files.`);
      if (missingFiles.length > 0 && !json) {
        console.error(`The file store lacks ${missingFiles.length} files that rows refer to. Run doctor for details.`);
      }
    } finally {
      await store.close();
      await ground.close();
    }
  },
};
