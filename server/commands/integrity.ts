import { brokenPlaces } from '#server/features/integrity/integrity.ts';
import { checkAll } from '#server/features/integrity/integrity-check.ts';
import { openInstallation } from '#server/installation.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';

export const integrityCommand: Command = {
  usage: ['integrity [--json]'],
  summary:
    'Opens every sealed row and file, as the worker does once a week, and lists each place that was ' +
    'changed, cut, moved or lost. Shows no content. Exits with 1 if there is such a place.',
  async run(_words, { json }) {
    const installation = await openInstallation(loadSettings());
    try {
      const startedAt = await installation.clock.now();
      const figures = await checkAll(installation);
      const found = (await brokenPlaces(installation)).filter(({ lastSeenAt }) => lastSeenAt >= startedAt);
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
