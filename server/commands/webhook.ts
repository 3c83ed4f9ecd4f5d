import { webhookSecretOf } from '#server/app.ts';
import { openGround } from '#server/ground.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { loadSettings } from '#server/settings.ts';
import type { Command } from './command.ts';

export const webhookCommand: Command = {
  usage: ['webhook [--json]'],
  summary: 'Prints the secret by which your own notifier checks that an event at WEBHOOK_URL came from here.',
  async run(_words, { json }) {
    const settings = loadSettings();
    const { db, close } = await openGround(settings);
    try {
      const keys = await createServiceKeys(
        db,
        await loadMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey }),
      );
      const secret = webhookSecretOf(settings.webhook, keys);
      console.log(json ? JSON.stringify({ secret }) : secret);
    } finally {
      await close();
    }
  },
};
