import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadMasterKeys, placeMasterKeys } from './master-key.ts';
import { MasterKeyError } from './master-key-text.ts';

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'everkept-master-key-'));
});

afterEach(async () => {
  await rm(dataDir, { recursive: true });
});

const good = randomBytes(32);

test('the first start makes a key that only its owner can read, and later starts find the same one', async () => {
  const first = await loadMasterKeys({ dataDir });
  const second = await loadMasterKeys({ dataDir });

  expect(first.current.key).toHaveLength(32);
  expect(second.current).toEqual(first.current);
  expect((await stat(join(dataDir, 'master.key'))).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['master.key']);
});

test('a data directory that is not there yet is made, closed to others', async () => {
  const inner = join(dataDir, 'new', 'data');
  await loadMasterKeys({ dataDir: inner });
  expect((await stat(inner)).mode & 0o777).toBe(0o700);
});

test('twenty first starts at once end with one key', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => loadMasterKeys({ dataDir })));
  expect(new Set(all.map(({ current }) => current.key.toString('hex'))).size).toBe(1);
  expect(await readdir(dataDir)).toEqual(['master.key']);
});

test('four processes that start at once end with one key', async () => {
  const module = fileURLToPath(new URL('./master-key.ts', import.meta.url));
  const program = `
    const { loadMasterKeys } = await import(${JSON.stringify(module)});
    const { current } = await loadMasterKeys({ dataDir: ${JSON.stringify(dataDir)} });
    process.stdout.write(current.key.toString('hex'));`;
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);

  const keys = await Promise.all([run(), run(), run(), run()]);
  expect(new Set(keys.map(({ stdout }) => stdout)).size).toBe(1);
  expect(keys[0]?.stdout).toMatch(/^[0-9a-f]{64}$/);
});

test('a key that was left half-written beside its name is not taken for the key', async () => {
  await writeFile(join(dataDir, 'master.key.0123.new'), '1:ab');
  const { current } = await loadMasterKeys({ dataDir });
  expect(current.key).toHaveLength(32);
});

test.each(['hex', 'base64', 'base64url'] as const)('a key in %s is read from the environment', async (encoding) => {
  const { current } = await loadMasterKeys({ dataDir, masterKey: good.toString(encoding) });
  expect(current).toEqual({ version: 1, key: good });
  expect(await readdir(dataDir)).toEqual([]);
});

test('a file may hold several keys; the highest number is in use and the others are still found', async () => {
  const newer = randomBytes(32);
  const path = join(dataDir, 'keys');
  await writeFile(path, `2:${newer.toString('base64')}\n1:${good.toString('base64')}\n`);

  const keys = await loadMasterKeys({ dataDir, masterKeyFile: path });
  expect(keys.current).toEqual({ version: 2, key: newer });
  expect(keys.find(1)).toEqual(good);
  expect(keys.find(3)).toBeUndefined();
});

test('a named file that is missing is not made', async () => {
  const masterKeyFile = join(dataDir, 'elsewhere');
  await expect(loadMasterKeys({ dataDir, masterKeyFile })).rejects.toThrow(MasterKeyError);
  expect(await readdir(dataDir)).toEqual([]);
});

const rising = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const refused: [string, string][] = [
  ['nothing', '\n'],
  ['31 bytes', randomBytes(31).toString('base64')],
  ['33 bytes', randomBytes(33).toString('base64')],
  ['16 bytes in hexadecimal', randomBytes(16).toString('hex')],
  ['a password', 'correct horse battery staple'],
  ['zeros', Buffer.alloc(32).toString('base64')],
  ['one byte over and over', Buffer.alloc(32, 0xa5).toString('hex')],
  ['two bytes in turn', Buffer.alloc(32, 'ab').toString('base64')],
  ['a rising row', rising.toString('base64')],
  ['a falling row', Buffer.from(rising.toReversed()).toString('base64')],
  ['words', Buffer.from('change-me-please-0123456789ABCDEF').subarray(0, 32).toString('base64')],
  ['two keys of one version', `${good.toString('hex')},1:${randomBytes(32).toString('hex')}`],
];

test.each(refused)('%s is refused as a master key, without showing it', async (_, masterKey) => {
  const loading = loadMasterKeys({ dataDir, masterKey });
  await expect(loading).rejects.toThrow(MasterKeyError);
  const said = await loading.then(
    () => '',
    (error: Error) => error.message,
  );
  expect(said).toContain('MASTER_KEY');
  if (masterKey.trim()) expect(said).not.toContain(masterKey);
});

test('a damaged file is refused and left as it is', async () => {
  const path = join(dataDir, 'master.key');
  await writeFile(path, '1:short\n');
  await expect(loadMasterKeys({ dataDir })).rejects.toThrow(MasterKeyError);
  expect(await readFile(path, 'utf8')).toBe('1:short\n');
});

test('keys of a backup are placed, and taken away again unless they are others by now', async () => {
  const path = join(dataDir, 'master.key');
  const text = `1:${good.toString('base64')}\n`;
  const takeBack = await placeMasterKeys(dataDir, text);
  expect(await readFile(path, 'utf8')).toBe(text);
  await takeBack();
  expect(await readdir(dataDir)).toEqual([]);

  await writeFile(path, '1:somebody else\n');
  await takeBack();
  expect(await readFile(path, 'utf8')).toBe('1:somebody else\n');
});

test('a hundred random keys are not taken for samples', async () => {
  const keys = Array.from({ length: 100 }, (_, index) => `${index + 1}:${randomBytes(32).toString('base64')}`);
  const { current } = await loadMasterKeys({ dataDir, masterKey: keys.join(',') });
  expect(current.version).toBe(100);
});
