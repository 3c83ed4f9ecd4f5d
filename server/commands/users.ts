import { once } from 'node:events';
import type { App } from '#server/app.ts';
import {
  type ListedAccount,
  listAllAccounts,
  verifyByOperator,
} from '#server/features/administered-accounts/accounts-admin.ts';
import { identitiesForOperator, removeIdentityByOperator } from '#server/features/ways-in/ways-in.ts';
import { openInstallation } from '#server/installation.ts';
import { loadSettings } from '#server/settings.ts';
import { addressIn } from '#shared/rules/addresses/written-address.ts';
import { type Command, CommandError } from './command.ts';

export const usersCommand: Command = {
  usage: [
    'users list [--json]',
    'users verify EMAIL [--json]',
    'users identities EMAIL [--json]',
    'users remove-identity EMAIL PROVIDER [--json]',
  ],
  wordsMax: 3,
  summary:
    'Lists every account, one a line. Marks an address as verified, as if its owner had followed the link. Lists the providers that open an account, or removes one and signs every device out.',
  async run(words, { json }) {
    const [verb = '', typed = '', provider = ''] = words;
    if (wordsOf.get(verb) !== words.length) throw new CommandError(unknownWords, 2);
    const email = addressIn(typed);
    const installation = await openInstallation(loadSettings());
    try {
      if (verb === 'list')
        for await (const account of listAllAccounts(installation)) await print(lineOf(account, json));
      else if (verb === 'verify') console.log(await verify(installation, email, json));
      else if (verb === 'identities') for (const line of await identities(installation, email, json)) await print(line);
      else console.log(await removeIdentity(installation, { email, provider }, json));
    } finally {
      await installation.close();
    }
  },
};

/** Number of words of each form. */
const wordsOf: ReadonlyMap<string, number> = new Map([
  ['list', 1],
  ['verify', 2],
  ['identities', 2],
  ['remove-identity', 3],
]);

const unknownWords =
  'Use users list, users verify EMAIL, users identities EMAIL, or users remove-identity EMAIL PROVIDER.';

async function identities(app: App, email: string, json: boolean): Promise<string[]> {
  const linked = await identitiesForOperator(app, email);
  if (linked === null) throw noAccount(email);
  if (json) return linked.map((identity) => JSON.stringify(identity));
  if (linked.length === 0) return [`No provider opens the account of ${email}.`];
  return linked.map(({ provider, name, email: there, linkedAt, lastUsedAt }) =>
    [provider, name, there ?? 'no address', `linked ${dayOf(linkedAt)}`, lastUsed(lastUsedAt)].join('  '),
  );
}

async function removeIdentity(
  app: App,
  { email, provider }: { email: string; provider: string },
  json: boolean,
): Promise<string> {
  const outcome = await removeIdentityByOperator(app, { email, provider });
  if (outcome === 'unknown') throw noAccount(email);
  if (outcome === 'not-linked') {
    throw new CommandError(`No provider ${provider} opens the account of ${email}. See users identities ${email}.`);
  }
  if (json) return JSON.stringify({ email, provider, outcome });
  return `${provider} no longer opens the account of ${email}. Every device was signed out, and the owner is emailed.`;
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

function lastUsed(at: Date | null): string {
  return at === null ? 'never used' : `used ${dayOf(at)}`;
}

function noAccount(email: string): CommandError {
  return new CommandError(`There is no account with the address ${email}.`);
}

async function verify(app: App, email: string, json: boolean): Promise<string> {
  const outcome = await verifyByOperator(app, email);
  if (outcome === 'unknown') throw noAccount(email);
  if (json) return JSON.stringify({ email, outcome });
  return outcome === 'verified' ? `${email} is verified now.` : `${email} was verified already.`;
}

function lineOf(account: ListedAccount, json: boolean): string {
  if (json) return JSON.stringify(account);
  const { email, plan, role, emailVerified, createdAt, lastCheckinAt } = account;
  const days = [createdAt, lastCheckinAt].map(dayOf);
  return [email, plan, role, emailVerified ? 'verified' : 'unverified', `since ${days[0]}`, `seen ${days[1]}`].join(
    '  ',
  );
}

/** A million accounts through a slow pipe must not pile up in memory. */
async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}
