import { join } from 'node:path';
import pg from 'pg';
import { findKeyCopy, type KeyCopy } from '#server/features/service-health/endings.rules.ts';
import { connectionTo } from '#server/platform/db/connection.ts';
import { parseMailAddress } from '#server/platform/mail/addresses.ts';
import type { Settings } from '#server/settings.ts';
import { productName, productSlug } from '#shared/product.ts';
import { dayWords } from '#shared/rules/london-day.ts';

export type Section = { title: string; lines: string[] };

/** Facts of the sheet that are not in the settings. */
export type Found = {
  /** `2026-11-30` */
  today: string;
  /** Name of the machine that prints the sheet. */
  machine: string;
  /** Folder of the program. */
  folder: string;
  hasEnvFile: boolean;
  /** Version of the key in use. Null before the first start, and `unknown` if the key could not be read. */
  keyVersion: number | null | 'unknown';
  /** `unknown` if the database could not be read. */
  keyCopy: KeyCopy | null | 'unknown';
};

const blank = '______________________________';

/** The sheet for a stand-in. Addresses are printed without user and password, and no value of a secret setting is printed. */
export function sheetOf(settings: Settings, found: Found): Section[] {
  return [
    aboutSheet(found),
    places(settings, found),
    services(settings),
    masterKey(settings, found),
    backups(settings),
    endings(settings),
    commands(),
    people(settings),
  ];
}

function aboutSheet({ today }: Found): Section {
  return {
    title: `${productName}: sheet for a stand-in`,
    lines: [
      `Printed on ${dayWords(today)} by ${productSlug} handover. Print it again after each change.`,
      'It holds no password and no key. Fill in the blanks by hand, and keep it with the person who stands in.',
      '',
      `People keep their last letters in ${productName}. If one of them dies or stays silent, it asks their contacts,`,
      'and then sends the letters. You have time: while it does not run, nothing is sent, nothing is lost, and no one’s',
      'time to answer passes.',
      'Do not delete anything, and do not make a new master key.',
    ],
  };
}

function places({ http, dataDir, databaseUrl, deletionLedger, role, s3 }: Settings, found: Found): Section {
  const proxies = http.trustProxy === false ? 'none' : http.trustProxy.join(', ');
  return {
    title: 'Where it runs',
    lines: [
      `Site: ${http.baseUrl}`,
      `Machine: ${found.machine}, which listens at ${http.host}:${http.port} (ROLE=${role}). Proxy in front: ${proxies}`,
      `Program: ${found.folder}`,
      `Settings: ${found.hasEnvFile ? join(found.folder, '.env') : 'the environment of the service'}`,
      `Data: ${dataDir}`,
      `Database: ${databaseUrl === undefined ? `its own, in ${join(dataDir, 'postgres')}` : databaseOf(databaseUrl)}`,
      `Files: ${s3 ? bucketOf(s3) : join(dataDir, 'files')}`,
      `List of deleted accounts: ${deletionLedger}`,
      `The machine is rented from, and signed in to with: ${blank}`,
    ],
  };
}

function databaseOf(databaseUrl: string): string {
  // The driver reads what the URL standard does not. Nothing is opened here.
  const { host, port, database = '' } = new pg.Client(connectionTo(databaseUrl));
  return `PostgreSQL at ${host}:${port}, database ${database}`;
}

function bucketOf({ bucket, endpoint, region }: NonNullable<Settings['s3']>): string {
  return `bucket ${bucket} at ${endpoint === undefined ? `Amazon, ${region}` : new URL(endpoint).origin}`;
}

function services({ mail, bounces, sms, stripe, paypal, identityProviders, clamav }: Settings): Section {
  const payments = [...(stripe ? ['Stripe'] : []), ...(paypal ? ['PayPal'] : [])];
  const lines = [
    `Mail server: ${mail.smtpUrl === undefined ? 'none, so mail is only shown at /outbox' : hostOf(mail.smtpUrl)}`,
    `Sender of mail: ${mail.from}`,
    `Mail that comes back: ${bounces.mailboxUrl === undefined ? bounces.address : `${bounces.address}, read at ${hostOf(bounces.mailboxUrl)}`}`,
    ...(sms ? [`Texts: Twilio, from ${sms.from}`] : []),
    ...(payments.length > 0 ? [`Payments: ${payments.join(', ')}`] : []),
    ...(identityProviders.length > 0 ? [`Sign-in: ${identityProviders.map(({ name }) => name).join(', ')}`] : []),
    ...(clamav ? [`Virus scanner: ClamAV at ${clamav.host}:${clamav.port}`] : []),
  ];
  return { title: 'Services outside', lines: [...lines, `The accounts with them are in: ${blank}`] };
}

/** Host and port alone: the rest of such an address may hold a password. */
function hostOf(address: string): string {
  return decodeURIComponent(new URL(address).host);
}

function masterKey({ masterKey: source, dataDir }: Settings, { keyVersion, keyCopy }: Found): Section {
  const place = source.masterKey === undefined ? (source.masterKeyFile ?? join(dataDir, 'master.key')) : 'MASTER_KEY';
  return {
    title: 'The master key',
    lines: [
      'Without it no letter opens, also none of a backup. Never make a new one for old data.',
      ...keyLines(placeWords(place), { keyVersion, keyCopy }),
      `The copy is at: ${blank}`,
    ],
  };
}

function keyLines(place: string, { keyVersion, keyCopy }: Pick<Found, 'keyVersion' | 'keyCopy'>): string[] {
  if (keyVersion === null) return ['There is none yet.'];
  if (keyVersion === 'unknown') return [`It should be ${place}, but could not be read there.`];
  return [`In use: master key ${keyVersion}, ${place}`, copyWords(keyCopy, keyVersion)];
}

const placeWords = (place: string) => (place === 'MASTER_KEY' ? 'in the setting MASTER_KEY' : `in the file ${place}`);

function copyWords(copy: Found['keyCopy'], version: number): string {
  if (copy === 'unknown') return 'The database could not be read, so a confirmed copy is not known.';
  return findKeyCopy(copy, { version, isLocal: false }).found;
}

function backups({ backups: { to, keep, recipient, identityFile } }: Settings): Section {
  if (to === undefined) {
    const lines = ['None is made automatically: BACKUP_TO is not set.', `Backups made by hand are at: ${blank}`];
    return { title: 'Backups', lines };
  }
  const months = keep.months === 0 ? '' : `, and the first of each month for ${keep.months} months`;
  const sealed = recipient === undefined ? [] : [`They are sealed to the public key ${recipient}`];
  const opener = identityFile === undefined ? blank : identityFile;
  return {
    title: 'Backups',
    lines: [
      `Made every night to ${to}, each kept for ${keep.days} days${months}`,
      ...sealed,
      ...(recipient === undefined ? [] : [`The file with its private key is at: ${opener}`]),
      'No backup contains the master key.',
    ],
  };
}

function endings({ ends }: Settings): Section {
  return {
    title: 'What ends',
    lines: [
      `Domain: ${ends.domain === undefined ? blank : dayWords(ends.domain)}. Its registrar: ${blank}`,
      `Mail credentials: ${ends.mail === undefined ? blank : dayWords(ends.mail)}`,
      'Certificate: the proxy renews it. doctor says for how many days it is valid.',
      `Paid by, until: ${blank}`,
    ],
  };
}

/** Commands in the order in which a stand-in needs them. */
const commandWords = [
  ['doctor', 'says which parts work, and how to fix the others. Start with it'],
  ['release show', 'says if releases are stopped, and why'],
  ['release freeze --all', 'stops every release, if you are not sure that all is well'],
  ['release resume', 'continues them'],
  ['backup FILE', 'makes a backup now'],
  ['restore FILE --check', 'reads a backup, and writes nothing'],
  ['restore FILE', 'brings a backup into an empty place'],
  ['users list', 'lists the addresses of all owners'],
] as const;

function commands(): Section {
  const width = Math.max(...commandWords.map(([command]) => command.length));
  return {
    title: 'Commands',
    lines: [
      ...commandWords.map(([command, effect]) => `${productSlug} ${command.padEnd(width)}  ${effect}`),
      `In the folder of the program, each begins with: npm run ${productSlug} -- . To start everything: npm start, or the`,
      'service manager. docs/runbook.md has the steps for each kind of trouble.',
    ],
  };
}

function people({ adminEmail, mail }: Settings): Section {
  return {
    title: 'Whom to write to',
    lines: [
      `The operator, who gets the warnings: ${adminEmail ?? blank}`,
      `Mailbox to which people write for help, and which you read now: ${parseMailAddress(mail.from).address}`,
      `Another person who knows this installation: ${blank}`,
      'The owners, before you close it for good: each needs time to save their letters (page Export).',
    ],
  };
}
