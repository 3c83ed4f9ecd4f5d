import path from 'node:path';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { evaluated } from './evaluated.ts';

const root = path.join(import.meta.dirname, '..');
const lightRoutes = path.join(root, 'web/lib/api/light-routes.ts');

async function bundled(name: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    root,
    plugins: [evaluated(lightRoutes, name)],
    build: { write: false, lib: { entry: lightRoutes, formats: ['es'] } },
  });
  const [output] = [result].flat();
  if (!output || !('output' in output)) throw new Error('Nothing was built.');
  return output.output.map((file) => ('code' in file ? file.code : '')).join('');
}

test('the value of a module is built in without its sources', async () => {
  const code = await bundled('light');
  expect(code).toContain('/api/message-delivery/:token');
  expect(code).not.toContain('zod');
  // The addresses of all routes of the contract, with their schemas, are ten times as much.
  expect(code.length).toBeLessThan(10_000);
});

test('a module that gives anything else is refused', async () => {
  await expect(bundled('heavy')).rejects.toThrow('exports more than heavy, or not that');
});
