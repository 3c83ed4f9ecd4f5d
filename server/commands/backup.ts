import { resolve } from 'node:path';
import { makeBackup } from '#server/features/backup/backup.service.ts';
import { openGround } from '#server/installation.ts';
import { readMasterKeyText } from '#server/platform/crypto/master-key.ts';
import { openFileStore } from '#server/platform/files/file-store.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';

const withKey = 'with-key';

export const backupCommand: Command = {
  usage: ['backup FILE [--with-key] [--json]'],
  wordsMax: 1,
  summary:
    'Writes database and files into one file, while the service runs. It opens with the master key only, which is not ' +
    'in it unless --with-key says so: then whoever has the file can read every letter.',
  flags: [withKey],
  async run([file], { json, flags }) {
    if (!file) throw new CommandError('Say where to: backup FILE.', 2);
    const settings = loadSettings();
    const path = resolve(file);
    const keySource = { dataDir: settings.dataDir, ...settings.masterKey };
    const masterKey = flags.has(withKey) ? await readMasterKeyText(keySource) : null;
    const ground = await openGround(settings);
    const store = await openFileStore(settings);
    try {
      const made = await makeBackup({ pool: ground.pool, store, now: () => new Date() }, { path, masterKey });
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
      console.log(json ? JSON.stringify(told) : `${path} holds ${rows} rows and ${files.count} files.`);
      if (missingFiles.length > 0 && !json) {
        console.error(`The store does not have ${missingFiles.length} files that rows refer to. doctor says more.`);
      }
    } finally {
      await store.close();
      await ground.close();
    }
  },
};
