import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { pino } from 'pino';
import { demoCast, playDemo } from '#server/demo/demo.ts';
import { demoPassword } from '#server/demo/demo-people.ts';
import { isInUse, lookAround } from '#server/features/backup/backup.repository.ts';
import { openServer } from '#server/ground.ts';
import { loggerOptions } from '#server/http/logging.ts';
import { openInstallation } from '#server/installation.ts';
import { reach } from '#server/platform/db/reach.ts';
import { loadSettings, type Settings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';

export const demoCommand: Command = {
  usage: ['demo [--json]'],
  summary:
    'Fills an empty installation with invented people in every state, for looking around. Stop the service first.',
  async run(_words, { json }) {
    const settings = loadSettings();
    if (settings.mail.smtpUrl !== undefined) {
      throw new CommandError(
        'SMTP_URL is set, and the people of the demonstration have no mailboxes. Run this command without SMTP_URL.',
      );
    }
    await refuseInhabited(settings);
    const installation = await openInstallation({ ...settings, testClock: true, logLevel: 'silent' });
    try {
      await playDemo(installation);
    } finally {
      await installation.close();
    }
    if (json) console.log(JSON.stringify({ password: demoPassword, people: demoCast.awake, silent: demoCast.silent }));
    else console.log(sentences());
  },
};

async function refuseInhabited(settings: Settings): Promise<void> {
  const server = await openServer(settings, pino(loggerOptions({ level: 'silent' })));
  const client = new pg.Client({ ...server.connection, application_name: 'everkept demo' });
  client.on('error', () => {});
  try {
    await reach(client);
    const db = drizzle({ client });
    const found = await lookAround(db);
    if (found === 'foreign') {
      throw new CommandError('This database holds tables of another program. A demonstration needs an empty one.');
    }
    if (found === 'used') {
      throw new CommandError(
        'This installation has been used already. A demonstration needs an empty one, such as another DATA_DIR.',
      );
    }
    if (await isInUse(db)) throw new CommandError('Everkept is running here. Stop it, run this, and start it again.');
  } finally {
    await client.end();
    await server.stop();
  }
}

function sentences(): string {
  const { awake, silent } = demoCast;
  const width = Math.max(...[...awake, ...silent].map(({ email }) => email.length));
  const lines = (people: typeof awake) => people.map(({ email, shows }) => `  ${email.padEnd(width)}  ${shows}`);
  return [
    `Everybody’s password is: ${demoPassword}`,
    'Sign in as:',
    ...lines(awake),
    'Signing in as one of these ends their silence: nothing more is sent, and their contacts are told that they are there.',
    'To watch them instead, open the emails about them at /outbox, such as the page that asks Ada about Silas:',
    ...lines(silent),
    'Start with npm start. The emails are at /outbox.',
  ].join('\n');
}
