import { openInstallation } from '#server/installation.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';

export const integrityCommand: Command = {
  usage: ['integrity [--json]'],
  summary:
    'Opens everything that is sealed, rows and files, as the worker does once a week, and names every place that was ' +
    'changed, cut, moved or lost. Ends with 1 where there is one. Nothing of what it opens is shown.',
  async run(_words, { json }) {
    const installation = await openInstallation(loadSettings());
    const { integrity, integrityCheck } = installation.services;
    try {
      const startedAt = await installation.clock.now();
      const figures = await integrityCheck.checkAll();
      const found = (await integrity.broken()).filter(({ lastSeenAt }) => lastSeenAt >= startedAt);
      const places = found.map(({ tableName, columnName, rowId }) => ({ table: tableName, column: columnName, rowId }));
      if (json) console.log(JSON.stringify({ ...figures, places }));
      else console.log(`${figures.values} values and ${figures.files} files were opened.`);
      if (figures.broken === 0) return;
      const list = places.map(({ table, column, rowId }) => `\n  ${table}.${column} of ${rowId}`).join('');
      throw new CommandError(`${figures.broken} no longer match their seal, or are missing:${list}`);
    } finally {
      await installation.close();
    }
  },
};
