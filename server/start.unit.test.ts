import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const start = fileURLToPath(new URL('./start.mjs', import.meta.url));

function runAs(version: string, ...words: string[]): Promise<{ status: unknown; said: string }> {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, start, ...words];
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ status: error ? error.code : 0, said: stdout + stderr });
    });
  });
}

test.each(['20.19.0', '22.12.0', '25.0.0'])(
  'Node %s gets one sentence that names the needed version',
  async (version) => {
    const { status, said } = await runAs(version, 'serve');
    expect(status).toBe(1);
    expect(said).toMatch(/^Everkept needs Node\.js 24, and this is .* as on macOS and Windows\.\n$/);
    expect(said).toContain(version);
  },
);

test('the guard holds nothing that an old Node could not read', () => {
  const text = readFileSync(start, 'utf8');
  // A named import that does not exist there is a syntax error before the first line runs.
  expect(text).not.toMatch(/import\s*\{[^}]*\}\s*from 'node:module'/);
  expect(text.match(/^import .*\.ts'/gm)).toBe(null);
});
