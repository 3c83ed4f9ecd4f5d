import type { Installation } from '#server/installation.ts';
import { openInstallation } from '#server/installation.ts';
import { addMasterKey, keepsOwnMasterKeys, removeOldMasterKeys } from '#server/platform/crypto/master-key.ts';
import { loadSettings, type Settings } from '#server/settings.ts';
import { type Command, CommandError, type CommandOptions } from './command.ts';

const removeOld = 'remove-old';

export const rotateKeysCommand: Command = {
  usage: ['rotate-keys [--json]', 'rotate-keys --remove-old [--json]'],
  summary:
    'Wraps the key of every vault with a new master key, while the service runs; after an interruption it goes on. ' +
    '--remove-old takes master keys that wrap nothing any more out of DATA_DIR. Backups from before still need them.',
  flags: [removeOld],
  async run(_words, options) {
    const settings = loadSettings();
    const installation = await openInstallation(settings);
    try {
      if (options.flags.has(removeOld)) await forget(installation, settings, options);
      else await rotate(installation, settings, options);
    } finally {
      await installation.close();
    }
  },
};

async function rotate({ services }: Installation, settings: Settings, { json }: CommandOptions): Promise<void> {
  const { keyRotation } = services;
  const toVersion = (await keyRotation.isUnfinished()) ? undefined : await addKey(settings);
  const { version, rewrapped, unopened } = await keyRotation.rotate({
    toVersion,
    onProgress: (count) => process.stderr.isTTY && process.stderr.write(`\r${count} keys`),
  });
  const words = `${rewrapped} keys are wrapped with master key ${version} now.`;
  console.log(json ? JSON.stringify({ version, rewrapped, unopened }) : words);
  if (unopened.length > 0) {
    throw new CommandError(`No master key opens the vaults of these owners: ${unopened.join(', ')}. They were left.`);
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

async function forget({ services }: Installation, settings: Settings, { json }: CommandOptions): Promise<void> {
  if (!keepsOwnMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey })) {
    throw new CommandError('Take the old keys out of MASTER_KEY_FILE or MASTER_KEY yourself: they are only read here.');
  }
  if (await services.keyRotation.isUnfinished()) {
    throw new CommandError('Some vaults still need an older master key. Run rotate-keys to its end first.');
  }
  await removeOldMasterKeys(settings);
  console.log(
    json
      ? JSON.stringify({ isRemoved: true })
      : 'Only the newest master key is left. Backups from before the rotation open with the older ones alone.',
  );
}
