import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { licencesHtml, licencesMarkup, licensedPackage } from './licences.ts';

const root = path.resolve(import.meta.dirname, '..');
const packages = path.join(root, 'node_modules');

/** Packages that a page imports, and all that those need. */
async function browserPackages(): Promise<string[]> {
  const files = (await readdir(path.join(root, 'web'), { recursive: true })).filter(
    (file) => /\.tsx?$/.test(file) && !/\.(test|spec)\.|test-world/.test(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(path.join(root, 'web', file), 'utf8')));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/^(?:import|export) (?!type\b)[^;]*?from '((?:@[\w-]+\/)?[\w][\w.-]*)[^']*';/gm)].map(
      ([, name = '']) => name,
    ),
  );
  const found = new Set<string>();
  const waiting = named.filter((name) => !name.startsWith('node:'));
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const { dependencies = {} } = JSON.parse(await readFile(path.join(packages, name, 'package.json'), 'utf8'));
    waiting.push(...Object.keys(dependencies));
  }
  return [...found].sort();
}

test('every package that goes to the browser has a licence text, and the page names it as the lock file does', async () => {
  const names = await browserPackages();
  expect(names).toEqual(expect.arrayContaining(['heic-to', 'react', 'react-dom', 'wouter', 'zod']));
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
  const markup = await licencesMarkup(
    root,
    names.map((name) => path.join(packages, name)),
  );
  for (const name of names) {
    const { version } = lock.packages[`node_modules/${name}`];
    const licensed = await licensedPackage(path.join(packages, name));
    expect(licensed).toMatchObject({ name, version });
    expect(markup).toContain(`${name} ${version}`);
  }
});

test('a package without a licence text ends the build with its name', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'everkept-licence-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(
    path.join(folder, 'package.json'),
    JSON.stringify({ name: 'silent', version: '1.0.0', license: 'MIT' }),
  );
  await expect(licensedPackage(folder)).rejects.toThrow(
    'The package silent goes to the browser and has no licence text.',
  );
});

test('the decoder of pictures is named with its versions, its source, the LGPL and the GPL', async () => {
  const markup = await licencesMarkup(root, [path.join(packages, 'heic-to')]);
  expect(markup).toMatch(
    /<b>heic-to \d+\.\d+\.\d+<\/b>.*<b>libheif \d+\.\d+\.\d+<\/b>.*<b>libde265 \d+\.\d+\.\d+<\/b>/s,
  );
  expect(markup).toContain('GNU LESSER GENERAL PUBLIC LICENSE');
  expect(markup).toContain('GNU GENERAL PUBLIC LICENSE');
  for (const place of ['hoppergee/heic-to', 'strukturag/libheif', 'strukturag/libde265']) {
    expect(markup).toContain(`href="https://github.com/${place}/`);
  }
  expect(markup.match(/SIL OPEN FONT LICENSE/gi)?.length).toBeGreaterThanOrEqual(2);
});

test('the page loads no script, and escapes texts', async () => {
  const template = await readFile(path.join(root, 'web/index.html'), 'utf8');
  const html = licencesHtml({ template, head: '', markup: await licencesMarkup(root, []) });
  expect(html).not.toMatch(/<script[^>]+src=|modulepreload/);
  expect(html).toContain('<h1>Licences</h1>');
  expect(html).not.toContain('<https://');
});
