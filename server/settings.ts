import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspect, parseEnv } from 'node:util';
import { productName, supportEmail } from '#shared/product.ts';
import { isLoopback } from './platform/loopback.ts';
import { parseMailAddress } from './platform/mail/addresses.ts';
import { type FieldName, type Fields, fieldNames, fieldSchemas } from './settings-fields.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

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

const defaultPort = 3000;
const defaultClamavPort = 3310;

/** Reads `.env` in the working directory, if there is one, and the environment, which comes first. */
export function loadSettings(): Settings {
  return readSettings({ ...readEnvFile('.env'), ...process.env });
}

/**
 * Turns the environment into settings that are frozen and complete. An empty value counts as none.
 * Throws a SettingsError that names every mistake at once.
 */
export function readSettings(environment: Environment) {
  const { fields, problems } = readFields(environment);
  const port = fields.PORT ?? defaultPort;
  const baseUrl = fields.BASE_URL ?? `http://localhost:${port}`;
  const isLocal = isLoopback(new URL(baseUrl).hostname);
  const mailFrom = fields.MAIL_FROM ?? `${productName} <${supportEmail}>`;
  problems.push(...halfConfigured(environment));
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
  if (problems.length > 0) throw new SettingsError(problems);

  return freeze({
    http: {
      host: fields.HOST ?? '127.0.0.1',
      port,
      /** An origin, without a slash at the end. */
      baseUrl,
      /** Whether only this machine can open `baseUrl`. */
      isLocal,
      /** For Fastify: the proxies whose `X-Forwarded-For` is believed, or false for none. */
      trustProxy: fields.TRUST_PROXY ?? (false as const),
      secureCookies: baseUrl.startsWith('https:'),
    },
    dataDir: resolve(fields.DATA_DIR ?? 'data'),
    /** Who was deleted: a file that no backup may hold, and that comes before any of them. */
    deletionLedger: resolve(fields.DELETION_LEDGER ?? join(fields.DATA_DIR ?? 'data', 'deletions.ledger')),
    databaseUrl: fields.DATABASE_URL,
    /** With both absent the key lies in `dataDir`. */
    masterKey: { masterKey: fields.MASTER_KEY, masterKeyFile: fields.MASTER_KEY_FILE },
    adminEmail: fields.ADMIN_EMAIL,
    mail: { smtpUrl: fields.SMTP_URL, from: mailFrom },
    /** Where mails come back to, and the mailbox in which they arrive; without one, `everkept bounce` takes them. */
    bounces: {
      address: fields.BOUNCE_ADDRESS ?? parseMailAddress(mailFrom).address,
      mailboxUrl: fields.BOUNCE_MAILBOX,
    },
    ...readProviders(fields),
    role: fields.ROLE ?? ('all' as const),
    tickSeconds: fields.TICK_SECONDS ?? 60,
    releaseGraceDays: fields.RELEASE_GRACE_DAYS ?? 7,
    testClock: fields.TEST_CLOCK ?? false,
    /** Whether plans can be bought in the practice checkout, for no money, where no provider is set. */
    sandboxCheckout: fields.SANDBOX_CHECKOUT ?? isLocal,
    logLevel: fields.LOG_LEVEL ?? ('info' as const),
    metricsToken: fields.METRICS_TOKEN,
    /** What works but should not stay so; to be said loudly at every start. */
    warnings: warningsFor(fields, baseUrl, isLocal),
  });
}

/** The doors outside. One that is not configured is undefined, and its stand-in does the work. */
function readProviders(fields: Fields) {
  const { TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = fields;
  const { PAYPAL_CLIENT_ID, PAYPAL_CLIENT_SECRET, PAYPAL_WEBHOOK_ID, GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET } = fields;
  const { S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, CLAMAV_HOST } = fields;
  return {
    sms:
      TWILIO_ACCOUNT_SID && TWILIO_AUTH_TOKEN && TWILIO_FROM
        ? {
            accountSid: TWILIO_ACCOUNT_SID,
            authToken: TWILIO_AUTH_TOKEN,
            from: TWILIO_FROM,
            apiBase: fields.TWILIO_API_BASE,
          }
        : undefined,
    stripe:
      STRIPE_SECRET_KEY && STRIPE_WEBHOOK_SECRET
        ? { secretKey: STRIPE_SECRET_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET, apiBase: fields.STRIPE_API_BASE }
        : undefined,
    paypal:
      PAYPAL_CLIENT_ID && PAYPAL_CLIENT_SECRET && PAYPAL_WEBHOOK_ID
        ? {
            clientId: PAYPAL_CLIENT_ID,
            clientSecret: PAYPAL_CLIENT_SECRET,
            webhookId: PAYPAL_WEBHOOK_ID,
            apiBase: fields.PAYPAL_API_BASE,
          }
        : undefined,
    google:
      GOOGLE_CLIENT_ID && GOOGLE_CLIENT_SECRET
        ? {
            clientId: GOOGLE_CLIENT_ID,
            clientSecret: GOOGLE_CLIENT_SECRET,
            issuer: fields.GOOGLE_ISSUER ?? 'https://accounts.google.com',
          }
        : undefined,
    s3:
      S3_BUCKET && S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY
        ? {
            bucket: S3_BUCKET,
            endpoint: fields.S3_ENDPOINT,
            // A store of one's own has no regions, but signatures name one; this is what such stores expect.
            region: fields.S3_REGION ?? 'us-east-1',
            accessKeyId: S3_ACCESS_KEY_ID,
            secretAccessKey: S3_SECRET_ACCESS_KEY,
          }
        : undefined,
    clamav: CLAMAV_HOST ? { host: CLAMAV_HOST, port: fields.CLAMAV_PORT ?? defaultClamavPort } : undefined,
  };
}

/** What belongs together: as soon as one name of a group is set, all under `needs` must be. */
const groups: readonly { label: string; needs: readonly FieldName[]; optional: readonly FieldName[] }[] = [
  {
    label: 'SMS through Twilio',
    needs: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'],
    optional: ['TWILIO_API_BASE'],
  },
  { label: 'Stripe', needs: ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'], optional: ['STRIPE_API_BASE'] },
  {
    label: 'PayPal',
    needs: ['PAYPAL_CLIENT_ID', 'PAYPAL_CLIENT_SECRET', 'PAYPAL_WEBHOOK_ID'],
    optional: ['PAYPAL_API_BASE'],
  },
  { label: 'Sign-in with Google', needs: ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'], optional: ['GOOGLE_ISSUER'] },
  {
    label: 'Object storage',
    needs: ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
    optional: ['S3_ENDPOINT', 'S3_REGION'],
  },
  { label: 'Scanning with ClamAV', needs: ['CLAMAV_HOST'], optional: ['CLAMAV_PORT'] },
];

/** Looks at what was written, not at what was understood: one mistake is reported once. */
function halfConfigured(environment: Environment): string[] {
  const isSet = (name: FieldName) => readValue(environment, name) !== undefined;
  const problems = groups.flatMap(({ label, needs, optional }) => {
    const missing = needs.filter((name) => !isSet(name));
    const isBegun = [...needs, ...optional].some(isSet);
    return isBegun && missing.length > 0
      ? [`${label} is half configured: set ${list(missing)} as well, or none of its settings.`]
      : [];
  });
  if (isSet('SMTP_URL') && !isSet('MAIL_FROM')) {
    problems.push('Mail is half configured: set MAIL_FROM as well, the address that mail comes from.');
  }
  if (isSet('BOUNCE_MAILBOX') && !isSet('SMTP_URL')) {
    problems.push('BOUNCE_MAILBOX is set and SMTP_URL is not: no mail leaves this machine, so none comes back.');
  }
  if (isSet('S3_BUCKET') && !isSet('S3_ENDPOINT') && !isSet('S3_REGION')) {
    problems.push('Object storage is half configured: set S3_REGION for Amazon, or S3_ENDPOINT for another store.');
  }
  if (isSet('MASTER_KEY') && isSet('MASTER_KEY_FILE')) {
    problems.push(
      'MASTER_KEY and MASTER_KEY_FILE are both set: keep one, so that there is no doubt which key is used.',
    );
  }
  return problems;
}

/** The usual names of a mailbox without a reader. */
const nobodyReads = /\b(no|do[-_.]?not)[-_.]?reply\b/i;

function warningsFor(fields: Fields, baseUrl: string, isLocal: boolean): string[] {
  if (isLocal) return [];
  const warnings: string[] = [];
  if (fields.SMTP_URL !== undefined && fields.ADMIN_EMAIL === undefined) {
    warnings.push(
      'ADMIN_EMAIL is not set: nobody is told when releases are stopped, and MAIL_FROM must be a mailbox that takes mail, since a mail to it shows whether a refusal is one closed mailbox or all of our mail.',
    );
  }
  if (fields.MAIL_FROM !== undefined && nobodyReads.test(fields.MAIL_FROM)) {
    warnings.push(
      'MAIL_FROM looks like a mailbox that nobody reads. Emails ask people to answer them where something is wrong, and pages name its address as where to get help.',
    );
  }
  if (fields.SMTP_URL === undefined) {
    warnings.push(
      `No mail leaves this machine: SMTP_URL is not set, and ${baseUrl} is not an address of this machine alone. Nobody gets a reminder or a letter until it is.`,
    );
  }
  if (fields.SANDBOX_CHECKOUT && fields.STRIPE_SECRET_KEY === undefined && fields.PAYPAL_CLIENT_ID === undefined) {
    warnings.push(
      'SANDBOX_CHECKOUT=1 lets anybody have every plan for no money. Take it away before people are to pay.',
    );
  }
  if (baseUrl.startsWith('http:')) {
    warnings.push(
      'BASE_URL begins with http://, so passwords and letters cross the network in the clear. Put a proxy with a certificate in front and use https://.',
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
    problems.push(`${name} ${result.error.issues[0]?.message ?? 'is not understood.'}`);
    return [];
  });
  // Each value comes from the schema of its own name, which the compiler cannot follow through a list.
  return { fields: Object.fromEntries(read) as Fields, problems };
}

function readValue(environment: Environment, name: FieldName): string | undefined {
  return environment[name]?.trim() || undefined;
}

function readEnvFile(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new SettingsError([`The file ${path} cannot be read. Give this user the right to read it, or remove it.`]);
  }
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

function list(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
