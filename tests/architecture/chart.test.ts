import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { fieldNames, secretFields } from '#server/settings-fields.ts';
import { repository } from './sources.ts';

const read = (name: string) => readFile(join(repository, 'deploy/chart', name), 'utf8');
const pod = await read('templates/_pod.tpl');
const values = parse(await read('values.yaml')) as Values;
const isValid = new Ajv({ strictTypes: false }).compile(JSON.parse(await read('values.schema.json')));

type Values = { settings: Record<string, unknown>; secrets: object; web: object; [name: string]: unknown };

const given: Values = {
  ...values,
  settings: {
    BASE_URL: 'https://vault.example',
    ADMIN_EMAIL: 'admin@vault.example',
    MAIL_FROM: 'hello@vault.example',
    TRUST_PROXY: '10.0.0.0/8',
  },
  secrets: { settings: 'everkept-settings', masterKey: 'everkept-master-key' },
};

test('the chart accepts the required values, and more settings beside them', () => {
  expect(isValid(given), JSON.stringify(isValid.errors)).toBe(true);
  expect(isValid({ ...given, settings: { ...given.settings, S3_BUCKET: 'vault', DATABASE_POOL_SIZE: 12 } })).toBe(true);
});

test.each([
  ['nothing given', values],
  ['no address', { ...given, settings: { ...given.settings, BASE_URL: '' } }],
  ['an address without https', { ...given, settings: { ...given.settings, BASE_URL: 'http://vault.example' } }],
  ['no proxy', { ...given, settings: { ...given.settings, TRUST_PROXY: '' } }],
  ['no secret', { ...given, secrets: { ...given.secrets, masterKey: '' } }],
  ['no site', { ...given, web: { ...given.web, replicas: 0 } }],
  [
    'a database among what everybody may read',
    { ...given, settings: { ...given.settings, DATABASE_URL: 'postgresql://x' } },
  ],
  ['a role for all', { ...given, settings: { ...given.settings, ROLE: 'web' } }],
  ['a name that is none', { ...given, settings: { ...given.settings, baseUrl: 'https://vault.example' } }],
])('the chart refuses %s', (_, wrong) => {
  expect(isValid(wrong)).toBe(false);
});

test('no secret stands among what everybody may read', async () => {
  for (const name of secretFields) {
    expect(isValid({ ...given, settings: { ...given.settings, [name]: 'x' } }), name).toBe(false);
  }
});

test('the chart names only settings that there are', async () => {
  const named = [...pod.matchAll(/name: ([A-Z][A-Z_]+),/g)].map(([, name]) => name ?? '');
  const all = [...named, ...Object.keys(values.settings)];
  expect(all.length).toBeGreaterThan(5);
  expect(all.filter((name) => !(fieldNames as readonly string[]).includes(name))).toEqual([]);
});

test('the chart has the version of the service', async () => {
  const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as { version: string };
  expect(parse(await read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
});

test('pods run as the user of the image, at its port and folder, and have the time that a stop may take', async () => {
  const [dockerfile, main] = await Promise.all(
    ['Dockerfile', 'server/main.ts'].map((name) => readFile(join(repository, name), 'utf8')),
  );
  const valueIn = (text: string | undefined, pattern: RegExp) => pattern.exec(text ?? '')?.[1] ?? 'none';
  expect(valueIn(pod, /runAsUser: (\d+)/)).toBe(valueIn(dockerfile, /^USER (\d+):/m));
  expect(valueIn(pod, /containerPort: (\d+)/)).toBe(valueIn(dockerfile, /\bPORT=(\d+)/));
  expect(valueIn(pod, /name: data, mountPath: (\S+?) /)).toBe(valueIn(dockerfile, /\bDATA_DIR=(\S+)/));
  const stopMs = Number(valueIn(main, /^const stopTimeoutMs = ([\d_]+);$/m).replaceAll('_', ''));
  expect(Number(valueIn(pod, /terminationGracePeriodSeconds: (\d+)/)) * 1_000).toBeGreaterThan(stopMs + 10_000);
  for (const path of ['/livez', '/readyz']) expect(pod).toContain(`path: ${path},`);
});
