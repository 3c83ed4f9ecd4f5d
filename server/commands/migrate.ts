import { openGround } from '#server/ground.ts';
import { loadSettings } from '#server/settings.ts';
import type { Command } from './command.ts';

export const migrateCommand: Command = {
  usage: ['migrate [--json]'],
  summary: 'Brings the database to the current version.',
  async run(_words, { json }) {
    const ground = await openGround(loadSettings(), { tables: 'migrated' });
    await ground.close();
    console.log(json ? JSON.stringify({ isCurrent: true }) : 'The database is at the current version.');
  },
};
