import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readSettings } from '#server/settings.ts';
import { testSettings } from '#tests/support/installation/test-settings.ts';
import { type Found, sheetOf } from './sheet.ts';

const found: Found = {
  today: '2026-11-30',
  machine: 'vault-1',
  folder: '/opt/everkept',
  hasEnvFile: false,
  keyVersion: 2,
  keyCopy: { day: '2026-03-01', version: 2 },
};
const masterKey = randomBytes(32).toString('base64');
const full = {
  BASE_URL: 'https://vault.example',
  TRUST_PROXY: '127.0.0.1',
  DATA_DIR: '/srv/everkept',
  DATABASE_URL: 'postgresql://dbuser:hunter2-db@db.internal:5433/vault?sslmode=verify-full',
  MASTER_KEY: `2:${masterKey}`,
  ADMIN_EMAIL: 'admin@vault.example',
  SMTP_URL: 'smtps://mailer:hunter2-smtp@mail.example:465',
  MAIL_FROM: 'Everkept <hello@vault.example>',
  BOUNCE_MAILBOX: 'imaps://bounces:hunter2-imap@imap.example/Returned',
  TWILIO_ACCOUNT_SID: 'AChunter2',
  TWILIO_AUTH_TOKEN: 'hunter2-twilio',
  TWILIO_FROM: '+447700900123',
  STRIPE_SECRET_KEY: 'sk_live_hunter2',
  STRIPE_WEBHOOK_SECRET: 'whsec_hunter2',
  PAYPAL_CLIENT_ID: 'hunter2-paypal-id',
  PAYPAL_CLIENT_SECRET: 'hunter2-paypal',
  PAYPAL_WEBHOOK_ID: 'hunter2-webhook',
  GOOGLE_CLIENT_ID: 'hunter2-google-id',
  GOOGLE_CLIENT_SECRET: 'hunter2-google',
  OIDC_NAME: 'Our Login',
  OIDC_ISSUER: 'https://login.example',
  OIDC_CLIENT_ID: 'hunter2-oidc-id',
  OIDC_CLIENT_SECRET: 'hunter2-oidc',
  S3_BUCKET: 'letters',
  S3_ENDPOINT: 'https://key:hunter2-endpoint@store.example/path',
  S3_ACCESS_KEY_ID: 'hunter2-access',
  S3_SECRET_ACCESS_KEY: 'hunter2-s3',
  CLAMAV_HOST: 'scan.internal',
  METRICS_TOKEN: 'hunter2-metrics-token',
  BACKUP_TO: '/backups',
  BACKUP_KEEP: '14d,12m',
  BACKUP_RECIPIENT: `age1${'q'.repeat(58)}`,
  ENDS_DOMAIN: '2027-01-14',
};
const textOf = (environment: Record<string, string>, facts = found) =>
  sheetOf(readSettings(environment), facts)
    .flatMap(({ title, lines }) => [title, ...lines])
    .join('\n');

describe('the sheet for a stand-in', () => {
  test('names every place, and repeats no secret', () => {
    const text = textOf(full);
    expect(text).not.toMatch(/hunter2|dbuser|mailer:|sslmode/);
    expect(text).not.toContain(masterKey);
    for (const place of [
      'Printed on 30 November 2026',
      'Site: https://vault.example',
      'Machine: vault-1, which listens at 127.0.0.1:3000 (ROLE=all). Proxy in front: 127.0.0.1',
      'Settings: the environment of the service',
      'Database: PostgreSQL at db.internal:5433, database vault',
      'Files: bucket letters at https://store.example',
      'List of deleted accounts: /srv/everkept/deletions.ledger',
      'Mail server: mail.example:465',
      'Sender of mail: Everkept <hello@vault.example>',
      'Mail that comes back: hello@vault.example, read at imap.example',
      'Texts: Twilio, from +447700900123',
      'Payments: Stripe, PayPal',
      'Sign-in: Google, Our Login',
      'Virus scanner: ClamAV at scan.internal:3310',
      'In use: master key 2, in the setting MASTER_KEY',
      'A copy of master key 2 was confirmed on 1 March 2026.',
      'Made every night to /backups, each kept for 14 days, and the first of each month for 12 months',
      `They are sealed to the public key age1${'q'.repeat(58)}`,
      'Domain: 14 January 2027.',
      'The operator, who gets the warnings: admin@vault.example',
      'which you read now: hello@vault.example',
    ]) {
      expect(text).toContain(place);
    }
  });

  test('fits an installation without any setting, and leaves a blank for facts that are not here', () => {
    const text = textOf({ DATA_DIR: '/data' }, { ...found, hasEnvFile: true, keyCopy: null });
    for (const place of [
      'Settings: /opt/everkept/.env',
      'Database: its own, in /data/postgres',
      'Files: /data/files',
      'In use: master key 2, in the file /data/master.key',
      'No copy of the master key was confirmed.',
      'Mail server: none, so mail is only shown at /outbox',
      'None is made automatically: BACKUP_TO is not set.',
    ]) {
      expect(text).toContain(place);
    }
    expect(text).toMatch(/Domain: _+\. Its registrar: _+/);
    expect(text).not.toMatch(/undefined|null|NaN/);
  });

  test('is printed without the database too', () => {
    expect(textOf({}, { ...found, keyCopy: 'unknown' })).toContain('The database could not be read');
    expect(textOf({}, { ...found, keyVersion: null, keyCopy: null })).toContain('There is none yet.');
  });

  test('names a mail provider without its password', () => {
    const environment = { SMTP_SERVICE: 'SES-EU-WEST-1', SMTP_USER: 'hunter2', SMTP_PASSWORD: 'hunter2' };
    const sections = sheetOf(testSettings(environment), found);
    const text = JSON.stringify(sections);
    expect(text).toContain('Mail server: SES-EU-WEST-1');
    expect(text).not.toContain('hunter2');
  });
});
