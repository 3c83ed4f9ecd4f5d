import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSmtpMailer, MailServiceError } from './platform/mail/smtp-mailer.ts';
import { type Environment, readSettings, SettingsError } from './settings.ts';
import { secretFields } from './settings-fields.ts';

const scratch = mkdtempSync(join(tmpdir(), 'everkept-secrets-'));
afterAll(() => rmSync(scratch, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(scratch, name);
  writeFileSync(path, content);
  return path;
}

function problemsOf(environment: Environment): readonly string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

test('every secret can lie in a file, whose last line may end as editors end it', () => {
  const settings = readSettings({
    DATABASE_URL_FILE: file('database', 'postgresql://ours:hunter2@db.example/everkept\n'),
    METRICS_TOKEN_FILE: file('token', 'a-token-of-some-length\r\n'),
    S3_BUCKET: 'files',
    S3_REGION: 'eu-west-2',
    S3_ACCESS_KEY_ID_FILE: file('id', 'AKIA'),
    S3_SECRET_ACCESS_KEY_FILE: file('secret', ' of the store '),
  });
  expect(settings.databaseUrl).toBe('postgresql://ours:hunter2@db.example/everkept');
  expect(settings.metricsToken).toBe('a-token-of-some-length');
  expect(settings.s3).toMatchObject({ accessKeyId: 'AKIA', secretAccessKey: 'of the store' });
  expect(settings.warnings).toEqual([]);
  expect(secretFields.size).toBeGreaterThan(10);
});

test('a secret that is set twice, whose file is not there or is empty, or is wrong, is one sentence without a value', () => {
  const smtp = file('smtp', 'imap://ours:hunter2@mail.example');
  expect(
    problemsOf({
      METRICS_TOKEN: 'a-token-of-some-length',
      METRICS_TOKEN_FILE: file('other', 'another-token-of-ours'),
      DATABASE_URL_FILE: '/nowhere/hunter2',
      BOUNCE_MAILBOX_FILE: file('empty', '\n'),
      SMTP_URL_FILE: smtp,
      MAIL_FROM: 'hello@vault.example',
    }),
  ).toEqual([
    'SMTP_URL must look like smtps://user:password@host:465.',
    'METRICS_TOKEN and METRICS_TOKEN_FILE are both set: keep one, so that there is no doubt which is used.',
    'DATABASE_URL_FILE names a file that cannot be read.',
    'BOUNCE_MAILBOX_FILE names a file that is empty.',
  ]);
});

test('a setting that looks or begins like one of ours, and is none, is named with the one that may be meant', () => {
  const { warnings } = readSettings({
    DATABSE_URL: 'postgresql://ours@db.example/everkept',
    STRIPE_SECRT_KEY: 'sk_x',
    SMTP_URI: 'smtp://mail.example',
    S3_PATH_STYLE: '1',
    METRICS_TOKEN_FLE: '/x',
    TICK_SECOND: '5',
    PAYPAL_WEBHOOK: '',
  });
  expect(warnings).toEqual([
    'DATABSE_URL is not a setting of Everkept, and has no effect. Did you mean DATABASE_URL?',
    'STRIPE_SECRT_KEY is not a setting of Everkept, and has no effect. Did you mean STRIPE_SECRET_KEY?',
    'SMTP_URI is not a setting of Everkept, and has no effect. Did you mean SMTP_URL?',
    'S3_PATH_STYLE is not a setting of Everkept, and has no effect. Remove it, or look for its name in .env.example.',
    'METRICS_TOKEN_FLE is not a setting of Everkept, and has no effect. Did you mean METRICS_TOKEN_FILE?',
    'TICK_SECOND is not a setting of Everkept, and has no effect. Did you mean TICK_SECONDS?',
  ]);
});

test('names unknown settings beside wrong ones, so that one start names all mistakes', () => {
  const start = () => readSettings({ SMPT_URL: 'x', ADMIN_EMIAL: 'y', PORT: 'abc', TICK_SECONDS: 'soon' });
  expect(start).toThrow(
    new SettingsError([
      'PORT must be a whole number from 1 to 65535.',
      'TICK_SECONDS must be a whole number from 1 to 3600.',
      'SMPT_URL is not a setting of Everkept, and has no effect. Did you mean SMTP_URL?',
      'ADMIN_EMIAL is not a setting of Everkept, and has no effect. Did you mean ADMIN_EMAIL?',
    ]),
  );
});

test('variables of the machine, the shell or the platform cause no warning', () => {
  const others = [
    'PATH',
    'HOME',
    'HOSTNAME',
    'LOGNAME',
    'LOG_FORMAT',
    'TEST_WORKER_ID',
    'NODE_ENV',
    'MAIL',
    'DATA_HOME',
  ];
  expect(readSettings(Object.fromEntries(others.map((name) => [name, 'x']))).warnings).toEqual([]);
});

test('object storage without keys is entered by the role of the machine', () => {
  const { s3 } = readSettings({ S3_BUCKET: 'files', S3_REGION: 'eu-west-2' });
  expect(s3).toMatchObject({ bucket: 'files', accessKeyId: undefined, secretAccessKey: undefined });
  expect(problemsOf({ S3_BUCKET: 'files', S3_REGION: 'eu-west-2', S3_SECRET_ACCESS_KEY: 'x' })).toEqual([
    'Object storage is half configured: S3_SECRET_ACCESS_KEY is set and S3_ACCESS_KEY_ID is not. Set both, or neither if the machine has a role with access.',
  ]);
});

test('a mail provider can be named, with a user and a password that may hold anything', () => {
  const named = {
    SMTP_SERVICE: 'Postmark',
    SMTP_USER: 'a@b',
    SMTP_PASSWORD: 'p:/@?#',
    MAIL_FROM: 'hello@vault.example',
  };
  const { mail } = readSettings(named);
  expect(mail.smtpUrl).toBe('smtp-service://a%40b:p%3A%2F%40%3F%23@Postmark');
  const mailer = createSmtpMailer({ url: mail.smtpUrl ?? '', from: mail.from });
  expect(mailer.kind).toBe('smtp');
  expect(problemsOf({ ...named, SMTP_URL: 'smtps://mail.example' })).toEqual([
    'SMTP_SERVICE and SMTP_URL are both set: keep one, so that there is no doubt where mail goes.',
  ]);
  expect(problemsOf({ SMTP_SERVICE: 'Postmark', MAIL_FROM: 'hello@vault.example' })).toEqual([
    'Mail through a provider is half configured: set SMTP_USER and SMTP_PASSWORD as well, or none of its settings.',
  ]);
  const unknown = { url: 'smtp-service://a:b@Nobody', from: 'hello@vault.example' };
  expect(() => createSmtpMailer(unknown)).toThrow(MailServiceError);
});
