import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { providerSlug } from '#shared/rules/identity-providers.ts';
import { parseBackupKeep } from './features/backup/nightly-backup.rules.ts';
import { parseMasterKeys } from './platform/crypto/master-key-text.ts';
import { isLoopback } from './platform/loopback.ts';
import { parseMailAddress } from './platform/mail/addresses.ts';
import { parseMailRate } from './platform/mail/mail-pace.ts';
import { isBounceMailbox } from './platform/mail/mailbox-address.ts';

/** The first provider that people sign in with has no number; up to nine can be named. */
export const oidcPrefixes = [
  'OIDC',
  'OIDC_2',
  'OIDC_3',
  'OIDC_4',
  'OIDC_5',
  'OIDC_6',
  'OIDC_7',
  'OIDC_8',
  'OIDC_9',
] as const;
type OidcPrefix = (typeof oidcPrefixes)[number];

const oidcSchemas = {
  ISSUER: webAddress().refine(isPrivate, 'must begin with https:// unless it is on this machine.'),
  CLIENT_ID: z.string(),
  CLIENT_SECRET: z.string(),
  NAME: z
    .string()
    .regex(
      /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .&’'-]{0,39}$/u,
      'must be a name of up to 40 letters, digits, spaces and . & ’ -, beginning with a letter or digit.',
    )
    .refine(
      (name) => providerSlug(name) !== '',
      'must have a letter from a to z or a digit, for the address of its callback.',
    ),
};

/** One rule for each name. A message completes the sentence "NAME …" and never repeats the value. */
export const fieldSchemas = {
  HOST: z.string().regex(/^[\w.:-]+$/, 'must be a host name or an IP address, such as 127.0.0.1.'),
  PORT: wholeNumber(1, 65_535),
  BASE_URL: z
    .string()
    .transform(checked(toOrigin, 'must be a whole address without a path, such as https://vault.example.')),
  DATA_DIR: z.string(),
  DELETION_LEDGER: z.string(),
  DATABASE_URL: z.string().refine(isPostgresUrl, 'must look like postgresql://user:password@host:5432/database.'),
  DATABASE_POOL_SIZE: wholeNumber(4, 1_000),
  DATABASE_POOLER: z.enum(['none', 'session', 'transaction'], 'must be none, session or transaction.'),
  DATABASE_STATEMENT_TIMEOUT: wholeNumber(1, 3_600),
  DATABASE_LOCK_TIMEOUT: wholeNumber(1, 3_600),
  DATABASE_IDLE_TIMEOUT: wholeNumber(1, 3_600),
  STORE_TIMEOUT: wholeNumber(1, 600),
  MAIL_TIMEOUT: wholeNumber(10, 240),
  PROVIDER_TIMEOUT: wholeNumber(1, 60),
  DRAIN_SECONDS: wholeNumber(0, 300),
  MASTER_KEY: z.string().superRefine(explainMasterKey),
  MASTER_KEY_FILE: z.string().superRefine(explainMasterKeyFile),
  ADMIN_EMAIL: z
    .string()
    .transform(checked((text) => parseMailAddress(text).address.toLowerCase(), 'must be one email address.')),
  ENDS_DOMAIN: day(),
  ENDS_MAIL: day(),
  SMTP_URL: z.string().refine(hasScheme('smtp:', 'smtps:'), 'must look like smtps://user:password@host:465.'),
  SMTP_SERVICE: z
    .string()
    .regex(/^[\w .-]{2,40}$/, 'must be the name of a provider, such as Postmark or SES-EU-WEST-1.'),
  SMTP_USER: z.string(),
  SMTP_PASSWORD: z.string(),
  SMTP_RATE: z.string().transform(checked(parseMailRate, 'must be mails a second, an hour, or both: 10/s,5000/h.')),
  MAIL_FROM: z
    .string()
    .refine(accepts(parseMailAddress), 'must be an email address, or a name and one: Everkept <hello@example.org>.'),
  BOUNCE_MAILBOX: z
    .string()
    .refine(isBounceMailbox, 'must look like imaps://user:password@host/folder. Without a folder, it is the inbox.'),
  BOUNCE_ADDRESS: z.string().transform(checked((text) => parseMailAddress(text).address, 'must be one email address.')),
  TWILIO_ACCOUNT_SID: z.string().startsWith('AC', 'must begin with AC, as Twilio’s console shows it.'),
  TWILIO_AUTH_TOKEN: z.string(),
  TWILIO_FROM: z
    .string()
    .regex(
      /^(\+[1-9]\d{6,14}|[A-Za-z0-9 ]{1,11})$/,
      'must be a number such as +447700900123 or a sender name of up to 11 letters.',
    ),
  TWILIO_API_BASE: webAddress(),
  STRIPE_SECRET_KEY: z.string().regex(/^[sr]k_/, 'must be a secret or restricted key, which begins with sk_ or rk_.'),
  STRIPE_WEBHOOK_SECRET: z.string().startsWith('whsec_', 'must begin with whsec_, as Stripe’s dashboard shows it.'),
  STRIPE_API_BASE: webAddress(),
  PAYPAL_CLIENT_ID: z.string(),
  PAYPAL_CLIENT_SECRET: z.string(),
  PAYPAL_WEBHOOK_ID: z.string(),
  PAYPAL_API_BASE: webAddress(),
  GOOGLE_CLIENT_ID: z.string(),
  GOOGLE_CLIENT_SECRET: z.string(),
  GOOGLE_ISSUER: webAddress().refine(isPrivate, 'must begin with https:// unless it is on this machine.'),
  ...ofEachProvider(oidcSchemas),
  WEBHOOK_URL: webAddress(),
  WEBHOOK_SECRET: z.string().regex(/^[\x21-\x7e]{16,256}$/, 'must have at least 16 characters and no space.'),
  BACKUP_TO: z.string().refine(isBackupPlace, 'must be a folder, such as /backups, or s3://bucket/prefix.'),
  BACKUP_KEEP: z.string().transform(checked(parseBackupKeep, 'must be days, or days and months: 14d, or 14d,12m.')),
  BACKUP_RECIPIENT: z
    .string()
    .regex(
      /^age1[0-9a-z]{50,3000}$/,
      'must be a public key of age, which begins with age1, as age-keygen -y shows it.',
    ),
  BACKUP_IDENTITY_FILE: z.string(),
  S3_BUCKET: z.string(),
  S3_ENDPOINT: webAddress(),
  S3_REGION: z.string(),
  S3_ACCESS_KEY_ID: z.string(),
  S3_SECRET_ACCESS_KEY: z.string(),
  CLAMAV_HOST: z.string(),
  CLAMAV_PORT: wholeNumber(1, 65_535),
  ROLE: z.enum(['all', 'web', 'worker'], 'must be all, web or worker.'),
  TICK_SECONDS: wholeNumber(1, 3600),
  RELEASE_GRACE_DAYS: wholeNumber(0, 30),
  TRUST_PROXY: z
    .string()
    .transform(
      checked(
        toAddresses,
        'must list the addresses of your reverse proxies, such as 127.0.0.1 or 10.0.0.0/8, separated by commas. Trusting every address would let visitors pretend to be anyone.',
      ),
    ),
  SANDBOX_CHECKOUT: z.enum(['0', '1'], 'must be 1 or 0.').transform((text) => text === '1'),
  TEST_CLOCK: z.enum(['0', '1'], 'must be 1 or 0.').transform((text) => text === '1'),
  LOG_LEVEL: z.enum(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'must be fatal, error, warn, info, debug, trace or silent.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .transform(checked(toOrigin, 'must be the address of a collector without a path, such as http://127.0.0.1:4318.')),
  METRICS_TOKEN: z.string().regex(/^[\x21-\x7e]{16,256}$/, 'must have at least 16 characters and no space.'),
} satisfies Record<string, z.ZodType<unknown, string>>;

export type FieldName = keyof typeof fieldSchemas;
export type Fields = { [Name in FieldName]?: z.output<(typeof fieldSchemas)[Name]> | undefined };

export const fieldNames = Object.keys(fieldSchemas) as FieldName[];

/** Each may lie in a file, which is named by the setting with _FILE behind its name. */
export const secretFields: ReadonlySet<string> = new Set<FieldName>([
  'DATABASE_URL',
  'MASTER_KEY',
  'SMTP_URL',
  'SMTP_PASSWORD',
  'BOUNCE_MAILBOX',
  'TWILIO_AUTH_TOKEN',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'PAYPAL_CLIENT_SECRET',
  'GOOGLE_CLIENT_SECRET',
  ...oidcPrefixes.map((prefix) => `${prefix}_CLIENT_SECRET` as const),
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'METRICS_TOKEN',
  'WEBHOOK_SECRET',
]);

type OfEachProvider<Schemas> = {
  [Key in `${OidcPrefix}_${keyof Schemas & string}`]: Key extends `${OidcPrefix}_${infer Name extends keyof Schemas & string}`
    ? Schemas[Name]
    : never;
};

/** Repeats the rules for each prefix. */
function ofEachProvider<Schemas extends Record<string, z.ZodType<string, string>>>(schemas: Schemas) {
  const entries = oidcPrefixes.flatMap((prefix) =>
    Object.entries(schemas).map(([name, schema]) => [`${prefix}_${name}`, schema] as const),
  );
  return Object.fromEntries(entries) as OfEachProvider<Schemas>;
}

function wholeNumber(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}.`;
  return z
    .string()
    .regex(/^\d{1,6}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message);
}

function day() {
  return z.iso.date('must be a day that exists, such as 2027-03-31.');
}

function webAddress() {
  return z.string().refine(hasScheme('http:', 'https:'), 'must be an address that begins with https:// or http://.');
}

/** A folder, or an object storage; not one that is spelled like neither. */
function isBackupPlace(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return true;
  const url = URL.parse(text);
  return url?.protocol === 's3:' && url.hostname !== '' && url.username === '';
}

/** True if the connection is protected against readers on the network. */
function isPrivate(text: string): boolean {
  const url = URL.parse(text);
  return url === null || url.protocol !== 'http:' || isLoopback(url.hostname);
}

function hasScheme(...schemes: string[]): (text: string) => boolean {
  return (text) => {
    const url = URL.parse(text);
    return url !== null && schemes.includes(url.protocol) && url.hostname !== '';
  };
}

// `postgresql://user@/name?host=/run/postgresql` names a socket; the driver reads it, and the URL standard does not.
function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace('@/', '@socket/').replace(':///', '://socket/'));
}

function toOrigin(text: string): string {
  const url = new URL(text);
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  if (!isBare || !['http:', 'https:'].includes(url.protocol)) throw new TypeError('Not a bare web address.');
  return url.origin;
}

const proxyNames = ['loopback', 'linklocal', 'uniquelocal'];

function toAddresses(text: string): string[] {
  const addresses = text.split(',').map((part) => part.trim());
  const isAddress = (part: string) => {
    const [address = '', bits, ...rest] = part.split('/');
    const version = isIP(address);
    if (version === 0 || rest.length > 0) return proxyNames.includes(part);
    // A network of 0 bits is everybody.
    return (
      bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= (version === 4 ? 32 : 128))
    );
  };
  if (!addresses.every(isAddress)) throw new TypeError('Not a list of addresses.');
  return addresses;
}

function explainMasterKey(text: string, context: z.RefinementCtx): void {
  try {
    parseMasterKeys(text, 'MASTER_KEY');
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message.replace(/^MASTER_KEY /, '') : String(error));
  }
}

function explainMasterKeyFile(path: string, context: z.RefinementCtx): void {
  try {
    parseMasterKeys(readFileSync(path, 'utf8'), 'The file');
  } catch (error) {
    const isUnread = error instanceof Error && 'syscall' in error;
    context.addIssue(
      isUnread
        ? 'names a file that cannot be read.'
        : `is not usable. ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function accepts(parse: (text: string) => unknown): (text: string) => boolean {
  return (text) => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  };
}

function checked<T>(parse: (text: string) => T, message: string): (text: string, context: z.RefinementCtx) => T {
  return (text, context) => {
    try {
      return parse(text);
    } catch {
      context.addIssue(message);
      return z.NEVER;
    }
  };
}
