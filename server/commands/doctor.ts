import { pino } from 'pino';
import { loggerOptions } from '#server/http/logging.ts';
import { openServer } from '#server/installation.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { loadSettings, type Settings, SettingsError } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';
import { lookAtAddress } from './doctor-address.ts';
import { type DatabaseLook, lookAtDatabase } from './doctor-database.ts';
import { lookAtDoors } from './doctor-doors.ts';
import { bad, type Finding, tried } from './doctor-findings.ts';
import { lookAtMachine } from './doctor-machine.ts';

export const doctorCommand: Command = {
  usage: ['doctor [--json]'],
  summary:
    'Looks at settings, disk, rights, keys, database, clock, worker, mail and storage, goes to the site by its public ' +
    'address, and says how to mend what is not well. Changes nothing. Ends with 1 where something does not work.',
  async run(_words, { json }) {
    const findings = await examine();
    const ills = findings.filter(({ state }) => state === 'bad').length;
    if (json) console.log(JSON.stringify({ ok: ills === 0, findings }));
    else for (const finding of findings) console.log(lineOf(finding));
    if (ills > 0) throw new CommandError(ills === 1 ? 'One thing does not work.' : `${ills} things do not work.`);
  },
};

async function examine(): Promise<Finding[]> {
  let settings: Settings;
  try {
    settings = loadSettings();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems.map((problem) => bad('settings', problem, 'Correct it in .env or in the environment.'));
  }
  const machine = await lookAtMachine(settings);
  const { findings, keys } = await lookAtServer(settings);
  const doors = await lookAtDoors(settings);
  return [...machine, ...findings, ...doors, ...(await lookAtAddress(settings, keys?.derive))];
}

async function lookAtServer(settings: Settings): Promise<DatabaseLook> {
  const mend = 'Read the log of the embedded database in DATA_DIR/postgres, or set DATABASE_URL.';
  let keys: ServiceKeys | undefined;
  const findings = await tried('database', mend, async () => {
    const server = await openServer(settings, pino(loggerOptions({ level: 'silent' })));
    try {
      const look = await lookAtDatabase(settings, server.connection);
      keys = look.keys;
      return look.findings;
    } finally {
      await server.stop();
    }
  });
  return { findings, keys };
}

const marks = { well: 'well', poor: 'POOR', bad: 'BAD ' } as const;

function lineOf({ what, state, found, mend }: Finding): string {
  const line = `${marks[state]}  ${what}: ${found}`;
  return mend === undefined ? line : `${line}\n        ${mend}`;
}
