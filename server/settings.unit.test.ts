import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect, parseEnv } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { type Environment, readSettings, SettingsError } from './settings.ts';
import { fieldNames } from './settings-fields.ts';
import { takenSlugs } from './settings-providers.ts';

const scratch = mkdtempSync(join(tmpdir(), 'everkept-settings-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const goodKey = Buffer.from('Qm9fcaKx1kTtzM1bHjvJ0a2nY7P3w8rUeLdGiVsX5oE=', 'base64').toString('base64');

function problemsOf(environment: Environment): readonly string[] {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('with nothing set', () => {
  test('everything has the value the handbook promises', () => {
    expect(readSettings({})).toMatchObject({
      http: {
        host: '127.0.0.1',
        port: 3000,
        baseUrl: 'http://localhost:3000',
        trustProxy: false,
        secureCookies: false,
      },
      dataDir: resolve('data'),
      databaseUrl: undefined,
      masterKey: { masterKey: undefined, masterKeyFile: undefined },
      mail: { smtpUrl: undefined },
      sms: undefined,
      stripe: undefined,
      paypal: undefined,
      identityProviders: [],
      s3: undefined,
      clamav: undefined,
      role: 'all',
      tickSeconds: 60,
      releaseGraceDays: 7,
      testClock: false,
      logLevel: 'info',
      warnings: [],
    });
  });

  test('the address follows the port', () => {
    expect(readSettings({ PORT: '8080' }).http.baseUrl).toBe('http://localhost:8080');
  });

  test('an empty or blank value counts as none, as compose files write it', () => {
    expect(readSettings({ PORT: '', SMTP_URL: '  ', TWILIO_ACCOUNT_SID: '' })).toEqual(readSettings({}));
  });
});

describe('mistakes', () => {
  test('are all named at once', () => {
    const problems = problemsOf({ PORT: 'eighty', ROLE: 'king', STRIPE_SECRET_KEY: 'sk_test_1', LOG_LEVEL: 'loud' });
    expect(problems).toEqual([
      'PORT must be a whole number from 1 to 65535.',
      'ROLE must be all, web or worker.',
      'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent.',
      'Stripe is half configured: set STRIPE_WEBHOOK_SECRET as well, or none of its settings.',
    ]);
  });

  test.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', '1e3'],
    ['HOST', 'two words'],
    ['BASE_URL', 'vault.example'],
    ['BASE_URL', 'ftp://vault.example'],
    ['BASE_URL', 'https://vault.example/app'],
    ['BASE_URL', 'https://user:pass@vault.example'],
    ['DATABASE_URL', 'mysql://localhost/everkept'],
    ['DATABASE_URL', 'postgresql://host:port/everkept'],
    ['ADMIN_EMAIL', 'nobody'],
    ['ADMIN_EMAIL', 'a@b.example, c@d.example'],
    ['MAIL_FROM', 'Everkept'],
    ['TICK_SECONDS', '0'],
    ['TICK_SECONDS', '-1'],
    ['RELEASE_GRACE_DAYS', '31'],
    ['RELEASE_GRACE_DAYS', 'seven'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '1'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '::/0'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.1,'],
    ['TEST_CLOCK', 'yes'],
    ['METRICS_TOKEN', 'short'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318/v1/traces'],
    ['ENDS_DOMAIN', '31/03/2027'],
    ['ENDS_DOMAIN', '2027-3-31'],
    ['ENDS_DOMAIN', '2027-02-29'],
    ['ENDS_DOMAIN', '2027-13-01'],
    ['ENDS_MAIL', '2027-04-31'],
    ['ENDS_MAIL', '2027-03-31T00:00:00Z'],
    ['ENDS_MAIL', 'never'],
  ])('%s does not take "%s"', (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} must .*\\.$`));
  });

  test('a day that has passed is none: a restart must not fail because a domain ended', () => {
    const { ends } = readSettings({ ENDS_DOMAIN: '2020-02-29', ENDS_MAIL: '2031-12-31' });
    expect(ends).toEqual({ domain: '2020-02-29', mail: '2031-12-31' });
  });

  test('an https address without the proxy that speaks it is refused in one sentence', () => {
    for (const BASE_URL of ['https://vault.example', 'https://localhost:8443']) {
      expect(problemsOf({ BASE_URL })).toEqual([expect.stringMatching(/^BASE_URL .*: set TRUST_PROXY .*\.$/)]);
      expect(readSettings({ BASE_URL, TRUST_PROXY: '127.0.0.1' }).http.trustProxy).toEqual(['127.0.0.1']);
    }
  });

  test('a provider of identities is asked over https, but for one on this machine', () => {
    const issuerOf = (issuer: string) => ({ GOOGLE_CLIENT_ID: 'a', GOOGLE_CLIENT_SECRET: 'b', GOOGLE_ISSUER: issuer });
    for (const issuer of ['http://accounts.example', 'http://192.0.2.1:8080', 'http://localhost.example']) {
      const mistake = 'GOOGLE_ISSUER must begin with https:// unless it is on this machine.';
      expect(problemsOf(issuerOf(issuer))).toEqual([mistake]);
    }
    for (const issuer of [
      'https://accounts.example',
      'http://localhost:4000',
      'http://127.0.0.1:4000',
      'http://[::1]:4000',
    ]) {
      expect(readSettings(issuerOf(issuer)).identityProviders[0]?.issuer).toBe(issuer);
    }
  });

  test('never repeat a value, whatever is wrong with it', () => {
    const value = 'Kx1-secret-value-7';
    const wrong = Object.fromEntries(fieldNames.map((name) => [name, value]));
    const problems = problemsOf(wrong);
    expect(problems.length).toBeGreaterThan(15);
    expect(problems.join('\n')).not.toContain(value);
  });
});

describe('the mailbox in which mails come back', () => {
  const mail = { SMTP_URL: 'smtp://localhost:25', MAIL_FROM: 'Everkept <hello@vault.example>' };

  test('belongs to the sender, unless another address is named', () => {
    expect(readSettings(mail).bounces).toEqual({ address: 'hello@vault.example', mailboxUrl: undefined });
    expect(readSettings({ ...mail, BOUNCE_ADDRESS: 'back@vault.example' }).bounces.address).toBe('back@vault.example');
  });

  test.each([
    'imaps://a:b@mail.example',
    'imaps://a%40b:c@mail.example:9930/Returned',
    'imap://a:b@localhost:10143',
    'imap://a:b@mail.internal/?allowInsecure=1',
  ])('may be %s', (BOUNCE_MAILBOX) => {
    expect(readSettings({ ...mail, BOUNCE_MAILBOX }).bounces.mailboxUrl).toBe(BOUNCE_MAILBOX);
  });

  test.each([
    'imap://a:b@mail.example',
    'imaps://mail.example',
    'imaps://a@mail.example',
    'pop3://a:b@mail.example',
    'a mailbox',
  ])('is not read in the clear, nor without a name and a password: %s', (BOUNCE_MAILBOX) => {
    expect(problemsOf({ ...mail, BOUNCE_MAILBOX })).toEqual([
      expect.stringMatching(/^BOUNCE_MAILBOX must look like imaps/),
    ]);
  });

  test('is of no use where no mail leaves', () => {
    const [problem] = problemsOf({ BOUNCE_MAILBOX: 'imaps://a:b@mail.example' });
    expect(problem).toMatch(/^BOUNCE_MAILBOX is set and SMTP_URL is not/);
  });
});

describe('the names of OpenID providers', () => {
  const oidc = (prefix: string, name: string) => ({
    [`${prefix}_NAME`]: name,
    [`${prefix}_ISSUER`]: 'https://login.example',
    [`${prefix}_CLIENT_ID`]: 'a',
    [`${prefix}_CLIENT_SECRET`]: 'b',
  });

  test.each([
    ['Our Login', 'our-login'],
    ["St. Anne's", 'st-anne-s'],
    ['Génie 2', 'genie-2'],
    ['Google', 'google'],
  ])('stand in addresses as a word each: %s', (name, slug) => {
    expect(readSettings(oidc('OIDC', name)).identityProviders).toMatchObject([{ name, slug }]);
  });

  test.each([
    [
      oidc('OIDC', 'User'),
      'OIDC_NAME gives the address /api/auth/user/callback, which is taken by an address of ours.',
    ],
    [oidc('OIDC_2', 'providers'), '/api/auth/providers/callback, which is taken by an address of ours.'],
    [
      { ...oidc('OIDC', 'Our Login'), ...oidc('OIDC_4', 'our login') },
      'OIDC_4_NAME gives the address /api/auth/our-login/callback, which is taken by OIDC_NAME.',
    ],
    [
      { GOOGLE_CLIENT_ID: 'a', GOOGLE_CLIENT_SECRET: 'b', ...oidc('OIDC', 'google') },
      'which is taken by GOOGLE_CLIENT_ID.',
    ],
  ])('are refused where they share an address: %o', (environment, expected) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining(expected)]);
  });

  test.each(['Ωμέγα', '-dash', 'a\nb', '<b>bold</b>', 'x'.repeat(41)])(
    'are refused if they can be neither read nor written: %s',
    (name) => {
      expect(problemsOf(oidc('OIDC', name))).toEqual([expect.stringMatching(/^OIDC_NAME must /)]);
    },
  );

  test('leave out no word that leads elsewhere under the same address', () => {
    const folder = fileURLToPath(new URL('../shared/contract', import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const text = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
    const words = [...text.matchAll(/path: '\/api\/auth\/([^/:']+)/g)].map((match) => match[1] ?? '');
    expect([...new Set(words)].toSorted()).toEqual(takenSlugs.toSorted());
  });
});

describe('a provider that is half configured', () => {
  test.each([
    [{ TWILIO_ACCOUNT_SID: 'AC1' }, 'TWILIO_AUTH_TOKEN and TWILIO_FROM'],
    [{ TWILIO_API_BASE: 'http://localhost:1' }, 'TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM'],
    [{ STRIPE_WEBHOOK_SECRET: 'whsec_1' }, 'STRIPE_SECRET_KEY'],
    [{ PAYPAL_CLIENT_ID: 'a', PAYPAL_CLIENT_SECRET: 'b' }, 'PAYPAL_WEBHOOK_ID'],
    [{ GOOGLE_CLIENT_ID: 'a' }, 'GOOGLE_CLIENT_SECRET'],
    [{ OIDC_ISSUER: 'https://login.example' }, 'OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_NAME'],
    [{ OIDC_9_NAME: 'a', OIDC_9_ISSUER: 'https://a.example', OIDC_9_CLIENT_ID: 'b' }, 'OIDC_9_CLIENT_SECRET'],
    [{ S3_BUCKET: 'a', S3_REGION: 'eu-west-2', S3_ACCESS_KEY_ID: 'b' }, 'S3_SECRET_ACCESS_KEY'],
    [{ CLAMAV_PORT: '3310' }, 'CLAMAV_HOST'],
    [{ SMTP_URL: 'smtp://localhost:25' }, 'MAIL_FROM'],
    [{ S3_BUCKET: 'a', S3_ACCESS_KEY_ID: 'b', S3_SECRET_ACCESS_KEY: 'c' }, 'S3_REGION'],
  ] satisfies [Environment, string][])('stops the start and names the missing settings: %o', (environment, missing) => {
    const problems = problemsOf(environment);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('half configured');
    expect(problems[0]).toContain(missing);
  });

  test('is not reported beside a value that is set but wrong', () => {
    expect(problemsOf({ STRIPE_SECRET_KEY: 'pk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' })).toEqual([
      'STRIPE_SECRET_KEY must be a secret or restricted key, which begins with sk_ or rk_.',
    ]);
  });
});

describe('the clock of tests', () => {
  test.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000', 'http://vault.localhost'])(
    'may be moved on %s',
    (BASE_URL) => {
      expect(readSettings({ BASE_URL, TEST_CLOCK: '1' }).testClock).toBe(true);
    },
  );

  test.each([
    'http://vault.example',
    'http://127.0.0.1.vault.example',
    'http://localhost.example',
    'http://192.168.1.2',
  ])('may not be moved on %s', (BASE_URL) => {
    expect(problemsOf({ BASE_URL, TEST_CLOCK: '1' })).toEqual([expect.stringMatching(/^TEST_CLOCK=1 /)]);
    expect(problemsOf({ BASE_URL, TEST_CLOCK: '0' })).toEqual([]);
  });
});

describe('the master key', () => {
  test('is accepted with 32 random bytes, from the environment or from a file', () => {
    const file = join(scratch, 'good.key');
    writeFileSync(file, `${randomBytes(32).toString('base64')}\n`);
    expect(readSettings({ MASTER_KEY: goodKey }).masterKey.masterKey).toBe(goodKey);
    expect(readSettings({ MASTER_KEY_FILE: file }).masterKey.masterKeyFile).toBe(file);
  });

  test.each([
    ['zeros', Buffer.alloc(32).toString('base64')],
    ['a rising row', Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64')],
    ['words', Buffer.from('change-me-change-me-change-me-32').toString('base64')],
    ['too short a key', randomBytes(16).toString('base64')],
    ['no base64', 'not a key at all'],
  ])('made of %s is refused, in the environment and in a file', (_name, key) => {
    const file = join(scratch, 'bad.key');
    writeFileSync(file, key);
    expect(problemsOf({ MASTER_KEY: key })).toEqual([expect.stringMatching(/^MASTER_KEY (does not hold|holds) /)]);
    expect(problemsOf({ MASTER_KEY_FILE: file })).toEqual([expect.stringMatching(/^MASTER_KEY_FILE is not usable\. /)]);
  });

  test('in a file that is not there, or in two places, stops the start', () => {
    expect(problemsOf({ MASTER_KEY_FILE: join(scratch, 'absent') })).toEqual([
      'MASTER_KEY_FILE names a file that cannot be read.',
    ]);
    const file = join(scratch, 'twice.key');
    writeFileSync(file, goodKey);
    expect(problemsOf({ MASTER_KEY: goodKey, MASTER_KEY_FILE: file })).toEqual([expect.stringContaining('both set')]);
  });
});

describe('a full configuration', () => {
  const full = {
    HOST: '0.0.0.0',
    PORT: '8443',
    BASE_URL: 'https://vault.example/',
    DATA_DIR: '/srv/everkept',
    DATABASE_URL: 'postgresql://everkept:db-hunter2@db.internal:5432/everkept',
    MASTER_KEY: goodKey,
    ADMIN_EMAIL: 'Admin@Vault.example',
    SMTP_URL: 'smtps://mailer:smtp-hunter2@mail.example:465',
    MAIL_FROM: 'Everkept <hello@vault.example>',
    BOUNCE_MAILBOX: 'imaps://bounces:imap-hunter2@mail.example/Returned',
    BOUNCE_ADDRESS: 'bounces@vault.example',
    TWILIO_ACCOUNT_SID: 'AC123',
    TWILIO_AUTH_TOKEN: 'twilio-hunter2',
    TWILIO_FROM: '+447700900123',
    STRIPE_SECRET_KEY: 'sk_live_hunter2',
    STRIPE_WEBHOOK_SECRET: 'whsec_hunter2',
    PAYPAL_CLIENT_ID: 'pp',
    PAYPAL_CLIENT_SECRET: 'paypal-hunter2',
    PAYPAL_WEBHOOK_ID: 'WH-1',
    GOOGLE_CLIENT_ID: 'gg',
    GOOGLE_CLIENT_SECRET: 'google-hunter2',
    OIDC_3_NAME: 'Our Login',
    OIDC_3_ISSUER: 'https://login.example',
    OIDC_3_CLIENT_ID: 'oo',
    OIDC_3_CLIENT_SECRET: 'oidc-hunter2',
    S3_BUCKET: 'files',
    S3_ENDPOINT: 'https://s3.internal',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 's3-hunter2',
    CLAMAV_HOST: 'clamav',
    ROLE: 'web',
    TICK_SECONDS: '5',
    RELEASE_GRACE_DAYS: '0',
    TRUST_PROXY: 'loopback, 10.0.0.0/8, fd00::/8',
    LOG_LEVEL: 'warn',
    METRICS_TOKEN: 'metrics-hunter2-metrics',
  };

  test('is read as it was meant', () => {
    expect(readSettings(full)).toMatchObject({
      http: {
        baseUrl: 'https://vault.example',
        secureCookies: true,
        trustProxy: ['loopback', '10.0.0.0/8', 'fd00::/8'],
      },
      adminEmail: 'admin@vault.example',
      sms: { accountSid: 'AC123', authToken: 'twilio-hunter2', from: '+447700900123', apiBase: undefined },
      identityProviders: [
        { slug: 'google', name: 'Google', issuer: 'https://accounts.google.com', proofPrompt: 'select_account' },
        { slug: 'our-login', name: 'Our Login', issuer: 'https://login.example', clientSecret: 'oidc-hunter2' },
      ],
      s3: { region: 'us-east-1', endpoint: 'https://s3.internal' },
      clamav: { host: 'clamav', port: 3310 },
      releaseGraceDays: 0,
      warnings: [],
    });
  });

  test('shows no secret when it is printed whole or in part', () => {
    const settings = readSettings(full);
    const nested = [
      settings,
      settings.mail,
      settings.sms,
      settings.stripe,
      settings.paypal,
      settings.identityProviders,
      settings.identityProviders[1],
      settings.s3,
      settings.masterKey,
    ];
    for (const part of nested) {
      expect(inspect(part, { depth: 9 }) + JSON.stringify(part)).not.toMatch(/hunter2|Qm9fcaKx/);
    }
    expect(JSON.stringify(settings)).toContain('https://vault.example');
  });

  test('cannot be changed afterwards', () => {
    const settings = readSettings(full);
    expect(Object.isFrozen(settings)).toBe(true);
    expect(Object.isFrozen(settings.http)).toBe(true);
    expect(Object.isFrozen(settings.http.trustProxy)).toBe(true);
  });

  test('warns about a public site without mail, encryption, an operator address or a mailbox for answers', () => {
    expect(readSettings({ BASE_URL: 'https://vault.example', TRUST_PROXY: 'loopback' }).warnings).toEqual([
      expect.stringContaining('SMTP_URL'),
    ]);
    const { SMTP_URL, MAIL_FROM, TRUST_PROXY } = full;
    const ADMIN_EMAIL = 'operator@vault.example';
    expect(readSettings({ BASE_URL: 'http://vault.example', SMTP_URL, MAIL_FROM, ADMIN_EMAIL }).warnings).toEqual([
      expect.stringContaining('unencrypted'),
    ]);
    expect(readSettings({ BASE_URL: 'https://vault.example', SMTP_URL, MAIL_FROM, TRUST_PROXY }).warnings).toEqual([
      expect.stringContaining('ADMIN_EMAIL'),
    ]);
    for (const address of ['no-reply@vault.example', 'Everkept <DoNotReply@vault.example>']) {
      const { warnings } = readSettings({
        BASE_URL: 'https://vault.example',
        TRUST_PROXY,
        SMTP_URL,
        MAIL_FROM: address,
        ADMIN_EMAIL,
      });
      expect(warnings).toEqual([expect.stringContaining('is not read')]);
    }
  });
});

test('plans are had for no money on this machine, and elsewhere only where that is asked for by name', () => {
  const there = { BASE_URL: 'http://vault.example' };
  const isOn = (environment: object) => readSettings({ ...environment }).sandboxCheckout;
  expect([{}, there, { ...there, SANDBOX_CHECKOUT: '1' }, { SANDBOX_CHECKOUT: '0' }].map(isOn)).toEqual([
    true,
    false,
    true,
    false,
  ]);
  const warned = readSettings({ ...there, SANDBOX_CHECKOUT: '1' }).warnings;
  expect(warned).toContainEqual(expect.stringContaining('every plan to anyone without payment'));
});

test('a database on a socket can be named', () => {
  for (const url of [
    'postgresql://everkept@/everkept?host=/run/postgresql',
    'postgres:///everkept',
    'postgres://db/x',
  ]) {
    expect(readSettings({ DATABASE_URL: url }).databaseUrl).toBe(url);
  }
});

test('.env.example names every setting once, starts nothing when copied, and shows no value that is refused', () => {
  const text = readFileSync(fileURLToPath(new URL('../.env.example', import.meta.url)), 'utf8');
  expect(readSettings(parseEnv(text))).toEqual(readSettings({}));

  const named = [...text.matchAll(/^# ?([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1]);
  // Settings of the second to the ninth provider: the names of the first one, with a number.
  const expected = fieldNames.filter((name) => !/^OIDC_[3-9]_/.test(name));
  expect(named.toSorted()).toEqual(expected.toSorted());

  const samples = parseEnv(text.replaceAll(/^# ?(?=[A-Z][A-Z0-9_]+=.)/gm, ''));
  expect(Object.keys(samples).length).toBeGreaterThan(12);
  const reasons = problemsOf({ ...samples, MASTER_KEY_FILE: '', SMTP_SERVICE: '' });
  expect(reasons.filter((reason) => !reason.includes('half configured'))).toEqual([]);
});
