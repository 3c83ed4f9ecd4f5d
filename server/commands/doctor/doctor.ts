import { pino } from 'pino';
import { bad, type Finding } from '#server/features/service-health/findings.rules.ts';
import { openServer } from '#server/ground.ts';
import { loggerOptions } from '#server/http/logging.ts';
import { loadSettings, type Settings, SettingsError } from '#server/settings.ts';
import { type Command, CommandError } from '../command.ts';
import { lookAtAddress } from './address.ts';
import { type DatabaseLook, lookAtDatabase } from './database.ts';
import { lookAtDoors } from './doors.ts';
import { lookAtEndings } from './endings.ts';
import { tried } from './findings.ts';
import { lookAtMachine } from './machine.ts';

export const doctorCommand: Command = {
  usage: ['doctor [--json]'],
  summary:
    'Checks settings, disk, permissions, keys, database, clock, worker, mail and storage, and opens the site at its public ' +
    'address. Warns before domain, certificate or mail credentials end, and if the master key has no copy. Says how to fix each problem. Changes nothing. Exits with 1 if something does not work.',
  async run(_words, { json }) {
    const findings: Finding[] = [];
    // Each finding is printed at once, since the next one may take some time.
    for await (const found of examine()) {
      findings.push(...found);
      if (!json) for (const finding of found) console.log(lineOf(finding));
    }
    const ills = findings.filter(({ state }) => state === 'bad').length;
    if (json) console.log(JSON.stringify({ ok: ills === 0, findings }));
    if (ills > 0) throw new CommandError(ills === 1 ? 'One thing does not work.' : `${ills} things do not work.`);
  },
};

async function* examine(): AsyncGenerator<Finding[]> {
  let settings: Settings;
  try {
    settings = loadSettings();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    yield error.problems.map((problem) => bad('settings', problem, 'Correct it in .env or in the environment.'));
    return;
  }
  yield await lookAtMachine(settings);
  const { findings, keys, stored } = await lookAtServer(settings);
  yield findings;
  yield await lookAtEndings(settings, stored);
  yield* lookAtDoors(settings);
  yield await lookAtAddress(settings, keys?.derive);
}

async function lookAtServer(settings: Settings): Promise<DatabaseLook> {
  const mend = 'Read the log of the embedded database in DATA_DIR/postgres, or set DATABASE_URL.';
  let look: Omit<DatabaseLook, 'findings'> = {};
  const findings = await tried(
    'database',
    mend,
    async () => {
      const server = await openServer(settings, pino(loggerOptions({ level: 'silent' })));
      try {
        const { findings: found, ...rest } = await lookAtDatabase(settings, server.connection);
        look = rest;
        return found;
      } finally {
        await server.stop();
      }
    },
    null,
  );
  return { findings, ...look };
}

const marks = { well: 'well', poor: 'POOR', bad: 'BAD ' } as const;

function lineOf({ what, state, found, mend }: Finding): string {
  const line = `${marks[state]}  ${what}: ${found}`;
  return mend === undefined ? line : `${line}\n        ${mend}`;
}
