import { findKeyCopy } from '#server/features/service-health/endings.rules.ts';
import { confirmKeyCopy } from '#server/features/service-health/key-copy.repository.ts';
import { openGround } from '#server/ground.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { findMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { loadSettings } from '#server/settings.ts';
import { londonDay } from '#shared/rules/london-day.ts';
import { type Command, CommandError } from './command.ts';

export const keyCommand: Command = {
  usage: ['key copied [--json]'],
  wordsMax: 1,
  summary:
    'Confirms that you keep a copy of the master key apart from this machine and from the backups. Until then, and after ' +
    'each new key, doctor and the daily mail ask for one.',
  async run([verb], { json }) {
    if (verb !== 'copied') throw new CommandError('Use key copied.', 2);
    const settings = loadSettings();
    const masterKeys = await findMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey });
    if (!masterKeys) throw new CommandError('There is no master key yet. The first start makes one.');
    const ground = await openGround(settings);
    try {
      // Fails for a key that does not open this database: a copy of it would be worth nothing.
      await createServiceKeys(ground.db, masterKeys);
      const { version } = masterKeys.current;
      const at = await createDatabaseClock(ground.db, settings).now();
      await confirmKeyCopy(ground.db, { at, version });
      const copy = { day: londonDay(at), version };
      console.log(json ? JSON.stringify(copy) : findKeyCopy(copy, { version, isLocal: settings.http.isLocal }).found);
    } finally {
      await ground.close();
    }
  },
};
