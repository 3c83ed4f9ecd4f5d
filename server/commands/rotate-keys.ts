import type { App } from '#server/app.ts';
import { isRotationUnfinished, rotateKeys } from '#server/features/accounts/key-rotation.ts';
import { openInstallation } from '#server/installation.ts';
import { addMasterKey, keepsOwnMasterKeys, removeOldMasterKeys } from '#server/platform/crypto/master-key.ts';
import { loadSettings, type Settings } from '#server/settings.ts';
import { type Command, CommandError, type CommandOptions } from './command.ts';

const removeOld = 'remove-old';

export const rotateKeysCommand: Command = {
  usage: ['rotate-keys [--json]', 'rotate-keys --remove-old [--json]'],
  summary:
    'Wraps the key of every vault with a new master key, while the service runs. Continues after an interruption. ' +
    '--remove-old removes master keys that no vault needs from DATA_DIR. Older backups still need them.',
  flags: [removeOld],
  async run(_words, options) {
    const settings = loadSettings();
    const app = await openInstallation(settings);
    try {
      if (options.flags.has(removeOld)) await forget(app, settings, options);
      else await rotate(app, settings, options);
    } finally {
      await app.close();
    }
  },
};

async function rotate(app: App, settings: Settings, { json }: CommandOptions): Promise<void> {
  const toVersion = (await isRotationUnfinished(app)) ? undefined : await addKey(settings);
  const { version, rewrapped, unopened } = await rotateKeys(app, {
    toVersion,
    onProgress: (count) => process.stderr.isTTY && process.stderr.write(`\r${count} keys`),
  });
  const words = `${rewrapped} keys are wrapped with master key ${version} now. Keep a copy of it, then run everkept key copied.`;
  console.log(json ? JSON.stringify({ version, rewrapped, unopened }) : words);
  if (unopened.length > 0) {
    throw new CommandError(
      `No master key opens the vaults of these owners: ${unopened.join(', ')}. They were not changed.`,
    );
  }
}

async function addKey(settings: Settings): Promise<number> {
  if (keepsOwnMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey })) return addMasterKey(settings);
  throw new CommandError(
    'Everything is wrapped with the newest master key already. To rotate, add a line with a higher number to ' +
      'MASTER_KEY_FILE on every machine (or after a comma to MASTER_KEY, and restart every process), such as ' +
      '"2:" and the output of "openssl rand -base64 32". Leave the old one where it is. Then run this again.',
  );
}

async function forget(app: App, settings: Settings, { json }: CommandOptions): Promise<void> {
  if (!keepsOwnMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey })) {
    throw new CommandError(
      'Remove the old keys from MASTER_KEY_FILE or MASTER_KEY yourself: this command only reads them.',
    );
  }
  if (await isRotationUnfinished(app)) {
    throw new CommandError('Some vaults still need an older master key. Run rotate-keys to its end first.');
  }
  await removeOldMasterKeys(settings);
  console.log(
    json
      ? JSON.stringify({ isRemoved: true })
      : 'Only the newest master key is left. Backups from before the rotation open only with the older keys.',
  );
}
