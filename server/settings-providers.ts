import { resolve } from 'node:path';
import { providerSlug } from '#shared/rules/identity-providers.ts';
import { keepDefault } from './features/backup/nightly-backup.rules.ts';
import type { IdentityProviderSettings } from './platform/identity/identity-provider.ts';
import type { Environment } from './settings-environment.ts';
import { readValue } from './settings-environment.ts';
import { type FieldName, type Fields, oidcPrefixes } from './settings-fields.ts';

const defaultClamavPort = 3310;

/** The doors outside. One that is not configured is undefined, and its stand-in does the work. */
export function readProviders(fields: Fields) {
  const { TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = fields;
  const { PAYPAL_CLIENT_ID, PAYPAL_CLIENT_SECRET, PAYPAL_WEBHOOK_ID } = fields;
  const { S3_BUCKET, CLAMAV_HOST } = fields;
  const timeoutMs = (fields.PROVIDER_TIMEOUT ?? 10) * 1_000;
  return {
    sms:
      TWILIO_ACCOUNT_SID && TWILIO_AUTH_TOKEN && TWILIO_FROM
        ? {
            accountSid: TWILIO_ACCOUNT_SID,
            authToken: TWILIO_AUTH_TOKEN,
            from: TWILIO_FROM,
            apiBase: fields.TWILIO_API_BASE,
            timeoutMs,
          }
        : undefined,
    stripe:
      STRIPE_SECRET_KEY && STRIPE_WEBHOOK_SECRET
        ? {
            secretKey: STRIPE_SECRET_KEY,
            webhookSecret: STRIPE_WEBHOOK_SECRET,
            apiBase: fields.STRIPE_API_BASE,
            timeoutMs,
          }
        : undefined,
    paypal:
      PAYPAL_CLIENT_ID && PAYPAL_CLIENT_SECRET && PAYPAL_WEBHOOK_ID
        ? {
            clientId: PAYPAL_CLIENT_ID,
            clientSecret: PAYPAL_CLIENT_SECRET,
            webhookId: PAYPAL_WEBHOOK_ID,
            apiBase: fields.PAYPAL_API_BASE,
            timeoutMs,
          }
        : undefined,
    identityProviders: readIdentityProviders(fields, timeoutMs),
    /** The operator's own notifier. Its secret is made if none is given. */
    webhook: { url: fields.WEBHOOK_URL, secret: fields.WEBHOOK_SECRET },
    s3: S3_BUCKET ? s3Of(fields, S3_BUCKET) : undefined,
    /** Days on which the domain and the mail credentials end. */
    ends: { domain: fields.ENDS_DOMAIN, mail: fields.ENDS_MAIL },
    clamav: CLAMAV_HOST ? { host: CLAMAV_HOST, port: fields.CLAMAV_PORT ?? defaultClamavPort } : undefined,
  };
}

function s3Of(fields: Fields, bucket: string) {
  return {
    bucket,
    endpoint: fields.S3_ENDPOINT,
    // A store of one's own has no regions, but signatures name one; this is what such stores expect.
    region: fields.S3_REGION ?? 'us-east-1',
    /** Both left out, the store is entered by the role of the machine. */
    accessKeyId: fields.S3_ACCESS_KEY_ID,
    secretAccessKey: fields.S3_SECRET_ACCESS_KEY,
    silenceMs: (fields.STORE_TIMEOUT ?? 10) * 1_000,
  };
}

/** Backups that are made by themselves: to a folder, or to a bucket of the store that S3_… names. */
export function readBackups(fields: Fields) {
  const { BACKUP_TO: to, BACKUP_KEEP: keep = keepDefault } = fields;
  const bucket = to?.startsWith('s3:') ? new URL(to).hostname : undefined;
  return {
    to: to === undefined || bucket !== undefined ? to : resolve(to),
    s3: bucket === undefined ? undefined : s3Of(fields, bucket),
    keep: { ...keep },
    recipient: fields.BACKUP_RECIPIENT,
    identityFile: fields.BACKUP_IDENTITY_FILE,
  };
}

type IdentityProviderFields = IdentityProviderSettings & { slug: string; name: string };

/** Identity providers for sign-in: Google, which has settings of its own, then each named OpenID provider. */
function readIdentityProviders(fields: Fields, timeoutMs: number): IdentityProviderFields[] {
  const { GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, GOOGLE_ISSUER = 'https://accounts.google.com' } = fields;
  const google =
    GOOGLE_CLIENT_ID && GOOGLE_CLIENT_SECRET
      ? { ...googleName, clientId: GOOGLE_CLIENT_ID, clientSecret: GOOGLE_CLIENT_SECRET, issuer: GOOGLE_ISSUER }
      : null;
  const others = oidcPrefixes.flatMap((prefix) => {
    const [name, issuer] = [fields[`${prefix}_NAME`], fields[`${prefix}_ISSUER`]];
    const [clientId, clientSecret] = [fields[`${prefix}_CLIENT_ID`], fields[`${prefix}_CLIENT_SECRET`]];
    if (!name || !issuer || !clientId || !clientSecret) return [];
    return [{ slug: providerSlug(name), name, issuer, clientId, clientSecret, timeoutMs }];
  });
  return [...(google ? [{ ...google, proofPrompt: 'select_account' as const, timeoutMs }] : []), ...others];
}

const googleName = { slug: 'google', name: 'Google' };
/** Words that lead elsewhere under `/api/auth/`. */
export const takenSlugs: readonly string[] = ['user', 'providers'];

/** Names that would share an address: with a page of ours, or with one another. */
export function clashingNames(fields: Fields): string[] {
  const isGoogleSet = fields.GOOGLE_CLIENT_ID !== undefined;
  const taken = new Map<string, string>(takenSlugs.map((slug) => [slug, 'an address of ours']));
  if (isGoogleSet) taken.set(googleName.slug, 'GOOGLE_CLIENT_ID');
  return oidcPrefixes.flatMap((prefix) => {
    const [setting, name] = [`${prefix}_NAME`, fields[`${prefix}_NAME`]];
    if (!name) return [];
    const slug = providerSlug(name);
    const by = taken.get(slug);
    if (by === undefined) taken.set(slug, setting);
    return by === undefined
      ? []
      : [`${setting} gives the address /api/auth/${slug}/callback, which is taken by ${by}. Choose another name.`];
  });
}

/** Groups of settings: if one name of a group is set, all names in `needs` must be set. */
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
  ...oidcPrefixes.map((prefix) => ({
    label: `Sign-in with the OpenID provider of ${prefix}_NAME`,
    needs: [`${prefix}_ISSUER`, `${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`, `${prefix}_NAME`] as const,
    optional: [],
  })),
  {
    label: 'Object storage',
    needs: ['S3_BUCKET'],
    optional: ['S3_ENDPOINT', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  },
  {
    label: 'Mail through a provider',
    needs: ['SMTP_SERVICE', 'SMTP_USER', 'SMTP_PASSWORD'],
    optional: [],
  },
  {
    label: 'Making backups by itself',
    needs: ['BACKUP_TO'],
    optional: ['BACKUP_KEEP', 'BACKUP_RECIPIENT'],
  },
  { label: 'Scanning with ClamAV', needs: ['CLAMAV_HOST'], optional: ['CLAMAV_PORT'] },
];

/** Checks the raw values, not the parsed ones, so that one mistake is reported once. */
export function halfConfigured(environment: Environment): string[] {
  const isKeptInStore = readValue(environment, 'BACKUP_TO')?.startsWith('s3:') === true;
  const isSet = (name: FieldName) =>
    readValue(environment, name) !== undefined || (name === 'S3_BUCKET' && isKeptInStore);
  const problems = groups.flatMap(({ label, needs, optional }) => {
    const missing = needs.filter((name) => !isSet(name));
    const isBegun = [...needs, ...optional].some(isSet);
    return isBegun && missing.length > 0
      ? [`${label} is half configured: set ${list(missing)} as well, or none of its settings.`]
      : [];
  });
  if (isSet('S3_ACCESS_KEY_ID') !== isSet('S3_SECRET_ACCESS_KEY')) {
    const [there, missing] = isSet('S3_ACCESS_KEY_ID')
      ? ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']
      : ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID'];
    problems.push(
      `Object storage is half configured: ${there} is set and ${missing} is not. Set both, or neither if the machine has a role with access.`,
    );
  }
  if (isSet('SMTP_SERVICE') && isSet('SMTP_URL')) {
    problems.push('SMTP_SERVICE and SMTP_URL are both set: keep one, so that there is no doubt where mail goes.');
  }
  if ((isSet('SMTP_URL') || isSet('SMTP_SERVICE')) && !isSet('MAIL_FROM')) {
    problems.push('Mail is half configured: set MAIL_FROM as well, the address that mail comes from.');
  }
  if (isSet('BOUNCE_MAILBOX') && !isSet('SMTP_URL') && !isSet('SMTP_SERVICE')) {
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

function list(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
