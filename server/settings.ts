import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { productName, supportEmail } from '#shared/product.ts';
import { keptDaysMax } from './features/backup/nightly-backup.rules.ts';
import { isLoopback } from './platform/loopback.ts';
import { parseMailAddress } from './platform/mail/addresses.ts';
import { smtpServiceScheme } from './platform/mail/mailer.ts';
import { type Environment, readEnvFile, readValue, strangers, withSecretFiles } from './settings-environment.ts';
import { type Fields, fieldNames, fieldSchemas } from './settings-fields.ts';
import { clashingNames, halfConfigured, readBackups, readProviders } from './settings-providers.ts';

export type { Environment } from './settings-environment.ts';

/** Everything wrong with the settings, each a sentence for the operator. No sentence repeats a value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

export type Settings = ReturnType<typeof readSettings>;

const sitePort = 3000;
/** Beside a site on the same machine. */
const workerPort = 3001;

/** Reads `.env` in the working directory, if there is one, and the environment, which comes first. */
export function loadSettings(): Settings {
  return readSettings({ ...envFile('.env'), ...process.env });
}

/**
 * Turns the environment into settings that are frozen and complete. An empty value counts as none.
 * Throws a SettingsError that names every mistake in one list, unknown names too.
 */
export function readSettings(given: Environment) {
  const { environment, problems: unread } = withSecretFiles(given);
  const { fields, problems } = readFields(environment);
  const port = fields.PORT ?? (fields.ROLE === 'worker' ? workerPort : sitePort);
  const baseUrl = fields.BASE_URL ?? `http://localhost:${fields.PORT ?? sitePort}`;
  const isLocal = isLoopback(new URL(baseUrl).hostname);
  const mailFrom = fields.MAIL_FROM ?? `${productName} <${supportEmail}>`;
  problems.push(...unread, ...halfConfigured(environment), ...clashingNames(fields));
  if (fields.TEST_CLOCK && !isLocal) {
    problems.push(
      'TEST_CLOCK=1 moves the clock by hand, and is only for a BASE_URL on this machine, such as http://localhost:3000.',
    );
  }
  if (baseUrl.startsWith('https:') && fields.TRUST_PROXY === undefined) {
    problems.push(
      'BASE_URL begins with https://, which Everkept does not speak itself: set TRUST_PROXY to the addresses of the proxy in front, such as 127.0.0.1, so that limits see who is there.',
    );
  }
  const unknown = strangers(given);
  if (problems.length > 0) throw new SettingsError([...problems, ...unknown]);

  return freeze({
    http: {
      host: fields.HOST ?? '127.0.0.1',
      port,
      /** An origin, without a slash at the end. */
      baseUrl,
      /** True if only this machine can open `baseUrl`. */
      isLocal,
      /** For Fastify: the proxies whose `X-Forwarded-For` is believed, or false for none. */
      trustProxy: fields.TRUST_PROXY ?? (false as const),
      secureCookies: baseUrl.startsWith('https:'),
    },
    dataDir: resolve(fields.DATA_DIR ?? 'data'),
    /** Path of the deletion ledger: no backup may contain it, and a restore applies it first. */
    deletionLedger: resolve(fields.DELETION_LEDGER ?? join(fields.DATA_DIR ?? 'data', 'deletions.ledger')),
    databaseUrl: fields.DATABASE_URL,
    database: readDatabase(fields),
    /** With both absent the key lies in `dataDir`. */
    masterKey: { masterKey: fields.MASTER_KEY, masterKeyFile: fields.MASTER_KEY_FILE },
    adminEmail: fields.ADMIN_EMAIL,
    mail: {
      smtpUrl: smtpUrlOf(fields),
      from: mailFrom,
      wholeMs: (fields.MAIL_TIMEOUT ?? 120) * 1_000,
      rate: fields.SMTP_RATE,
    },
    /** Bounce address, and the mailbox in which bounces arrive. Without a mailbox, `everkept bounce` reads them. */
    bounces: {
      address: fields.BOUNCE_ADDRESS ?? parseMailAddress(mailFrom).address,
      mailboxUrl: fields.BOUNCE_MAILBOX,
    },
    ...readProviders(fields),
    backups: readBackups(fields),
    role: fields.ROLE ?? ('all' as const),
    tickSeconds: fields.TICK_SECONDS ?? 60,
    releaseGraceDays: fields.RELEASE_GRACE_DAYS ?? 7,
    testClock: fields.TEST_CLOCK ?? false,
    /** True if no provider is set and plans can be bought in the practice checkout, without money. */
    sandboxCheckout: fields.SANDBOX_CHECKOUT ?? isLocal,
    logLevel: fields.LOG_LEVEL ?? ('info' as const),
    metricsToken: fields.METRICS_TOKEN,
    /** Address of the trace collector (OTLP over HTTP). Undefined if nothing is traced. */
    traceEndpoint: fields.OTEL_EXPORTER_OTLP_ENDPOINT,
    /** Time for which an ending site still answers, so that a load balancer can choose another one first. */
    drainMs: (fields.DRAIN_SECONDS ?? (fields.TRUST_PROXY === undefined ? 0 : 10)) * 1_000,
    /** Warnings about settings that work but should not stay. Every start logs them. */
    warnings: [...unknown, ...warningsFor(fields, baseUrl, isLocal)],
  });
}

function readDatabase(fields: Fields) {
  return {
    /** Connections of one process at most. */
    poolSize: fields.DATABASE_POOL_SIZE ?? 20,
    /** Left out, it is found out. */
    pooler: fields.DATABASE_POOLER,
    limits: {
      statementMs: (fields.DATABASE_STATEMENT_TIMEOUT ?? 30) * 1_000,
      lockMs: (fields.DATABASE_LOCK_TIMEOUT ?? 10) * 1_000,
      idleMs: (fields.DATABASE_IDLE_TIMEOUT ?? 30) * 1_000,
    },
  };
}

/** A provider by name is an address too: of a kind that the mailer knows how to look up. */
function smtpUrlOf({ SMTP_URL, SMTP_SERVICE, SMTP_USER, SMTP_PASSWORD }: Fields): string | undefined {
  if (!SMTP_SERVICE || !SMTP_USER || !SMTP_PASSWORD) return SMTP_URL;
  const [user, password] = [encodeURIComponent(SMTP_USER), encodeURIComponent(SMTP_PASSWORD)];
  return `${smtpServiceScheme}//${user}:${password}@${encodeURIComponent(SMTP_SERVICE)}`;
}

function envFile(path: string): Environment {
  try {
    return readEnvFile(path);
  } catch (error) {
    throw new SettingsError([error instanceof Error ? error.message : String(error)]);
  }
}

/** Number of days that we promise to people who delete their account, for the end of their data in backups. */
const promisedDaysMax = 30;

/** The usual names of a mailbox without a reader. */
const nobodyReads = /\b(no|do[-_.]?not)[-_.]?reply\b/i;

function warningsFor(fields: Fields, baseUrl: string, isLocal: boolean): string[] {
  if (isLocal) return [];
  const warnings: string[] = [];
  if (smtpUrlOf(fields) !== undefined && fields.ADMIN_EMAIL === undefined) {
    warnings.push(
      'ADMIN_EMAIL is not set, so no one is emailed when releases stop. MAIL_FROM must then be a mailbox that accepts mail: a test mail to it shows if a server refuses one mailbox or all our mail.',
    );
  }
  if (fields.BACKUP_KEEP && keptDaysMax(fields.BACKUP_KEEP) > promisedDaysMax) {
    warnings.push(
      `BACKUP_KEEP keeps backups for longer than the ${promisedDaysMax} days after which we tell people that nothing is left of a deleted account.`,
    );
  }
  if (fields.MAIL_FROM !== undefined && nobodyReads.test(fields.MAIL_FROM)) {
    warnings.push(
      'MAIL_FROM looks like a mailbox that is not read. Emails ask people to reply if something is wrong, and pages give this address for help.',
    );
  }
  if (smtpUrlOf(fields) === undefined) {
    warnings.push(
      `No mail leaves this machine: SMTP_URL is not set, and ${baseUrl} is a public address. No one gets a reminder or a letter until SMTP_URL is set.`,
    );
  }
  if (fields.SANDBOX_CHECKOUT && fields.STRIPE_SECRET_KEY === undefined && fields.PAYPAL_CLIENT_ID === undefined) {
    warnings.push('SANDBOX_CHECKOUT=1 gives every plan to anyone without payment. Remove it before people are to pay.');
  }
  if (baseUrl.startsWith('http:')) {
    warnings.push(
      'BASE_URL begins with http://, so passwords and letters cross the network unencrypted. Put a proxy with a certificate in front and use https://.',
    );
  }
  return warnings;
}

function readFields(environment: Environment): { fields: Fields; problems: string[] } {
  const problems: string[] = [];
  const read = fieldNames.flatMap((name) => {
    const value = readValue(environment, name);
    if (value === undefined) return [];
    const result = fieldSchemas[name].safeParse(value);
    if (result.success) return [[name, result.data] as const];
    problems.push(`${name} ${result.error.issues[0]?.message ?? 'has a value that Everkept does not accept.'}`);
    return [];
  });
  // Each value comes from the schema of its own name, which the compiler cannot follow through a list.
  return { fields: Object.fromEntries(read) as Fields, problems };
}

const secretNames = /secret|token|password|key|url$/i;

/** Freezes all the way down, and keeps secrets out of whatever prints the whole: logs, errors, a debugger's console. */
function freeze<T extends object>(value: T): Readonly<T> {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freeze(part);
  const printable = () => (Array.isArray(value) ? [...value] : withoutSecrets(value));
  Object.defineProperty(value, 'toJSON', { value: printable });
  Object.defineProperty(value, inspect.custom, { value: printable });
  return Object.freeze(value);
}

function withoutSecrets(value: object): object {
  const entries = Object.entries(value).map(([name, part]) => {
    const isSecret =
      typeof part === 'string' && secretNames.test(name) && name !== 'baseUrl' && name !== 'masterKeyFile';
    return [name, isSecret ? '[secret]' : part];
  });
  return Object.fromEntries(entries);
}
