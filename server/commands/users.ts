import { once } from 'node:events';
import { openInstallation } from '#server/installation.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';

export const usersCommand: Command = {
  usage: ['users list [--json]', 'users verify EMAIL [--json]'],
  wordsMax: 2,
  summary: 'Lists every account, one a line, or takes an address for verified, as if its owner had followed the link.',
  async run([verb, email], { json }) {
    const isKnown = verb === 'list' ? email === undefined : verb === 'verify' && email !== undefined;
    if (!isKnown) throw new CommandError('Say users list, or users verify EMAIL.', 2);
    const installation = await openInstallation(loadSettings());
    const { accountsAdmin } = installation.services;
    try {
      if (verb === 'list') for await (const account of accountsAdmin.list()) await print(lineOf(account, json));
      else console.log(await verify(accountsAdmin, email ?? '', json));
    } finally {
      await installation.close();
    }
  },
};

type Desk = Awaited<ReturnType<typeof openInstallation>>['services']['accountsAdmin'];
type Listed = Desk extends { list(): AsyncIterable<infer Account> } ? Account : never;

async function verify(desk: Desk, typed: string, json: boolean): Promise<string> {
  const email = typed.trim().toLowerCase();
  const outcome = await desk.verify(email);
  if (outcome === 'unknown') throw new CommandError(`There is no account with the address ${email}.`);
  if (json) return JSON.stringify({ email, outcome });
  return outcome === 'verified' ? `${email} is verified now.` : `${email} was verified already.`;
}

function lineOf(account: Listed, json: boolean): string {
  if (json) return JSON.stringify(account);
  const { email, plan, role, emailVerified, createdAt, lastCheckinAt } = account;
  const days = [createdAt, lastCheckinAt].map((at) => at.toISOString().slice(0, 10));
  return [email, plan, role, emailVerified ? 'verified' : 'unverified', `since ${days[0]}`, `seen ${days[1]}`].join(
    '  ',
  );
}

/** A million accounts through a slow pipe must not pile up in memory. */
async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}
