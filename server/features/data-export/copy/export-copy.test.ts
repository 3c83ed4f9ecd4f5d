import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFilesWorld, type FilesWorld } from '#server/features/documents/vault-files.test-world.ts';
import { exportFurtherHeader, exportSizeHeader } from '#shared/contract/export.ts';
import { inPageBytesMax } from '#shared/rules/exports/copy-format.ts';
import { samples, voices } from '#tests/support/forms.ts';
import { ask, auditOf, newFullOwner } from '../export.test-world.ts';

const run = promisify(execFile);
const passphrase = 'The lemon tree, at Nan’s';
const html = { format: 'html', passphrase };
const script = new URL('../../../../docs/open-copy.mjs', import.meta.url).pathname;

let world: FilesWorld;
let folder: string;
beforeAll(async () => {
  world = await createFilesWorld();
  folder = await mkdtemp(join(tmpdir(), 'everkept-copy-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await world.close();
});

/** Opens a copy, or a file beside one, with the documented script. */
async function openCopy(bytes: Buffer, typed = passphrase): Promise<Map<string, Buffer>> {
  const place = await mkdtemp(join(folder, 'one-'));
  await writeFile(join(place, 'copy.html'), bytes);
  await run(process.execPath, [script, join(place, 'copy.html'), join(place, 'open')], { env: { PASSPHRASE: typed } });
  const names = (await readdir(join(place, 'open'))).toSorted();
  const files = await Promise.all(names.map((file) => readFile(join(place, 'open', file))));
  return new Map(names.map((file, index) => [file, files[index] ?? Buffer.alloc(0)]));
}

test('a copy is one page, sealed, which the documented script opens to all there is in the vault', async () => {
  const owner = await newFullOwner(world);
  const answer = await ask(owner, { ...html, includeAuditLogs: true });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-disposition']).toMatch(/filename="everkept-export-\d{4}-\d\d-\d\d\.html"/);
  expect(answer.headers['content-type']).toBe('application/octet-stream');
  expect(answer.headers).not.toHaveProperty(exportFurtherHeader);
  expect(Number(answer.headers[exportSizeHeader])).toBeGreaterThan(1_000);
  expect(answer.body).not.toMatch(/the kettle|nell@family|The garden|Ada Shah|deed\.txt|Tom to sing/);
  expect(answer.body).toMatch(
    /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/,
  );
  expect(answer.body.slice(0, 200)).toContain('FORMAT VERSION 1');

  const files = await openCopy(answer.rawPayload);
  expect([...files.keys()]).toEqual([
    'document-001.txt',
    'letter-001-2.wav',
    'letter-001-3.png',
    'letter-001.pdf',
    'vault.json',
  ]);
  expect(files.get('letter-001.pdf')?.equals(samples.pdf)).toBe(true);
  expect(files.get('letter-001-2.wav')?.equals(voices.wav)).toBe(true);
  const data = JSON.parse(String(files.get('vault.json')));
  const plain = (await ask(owner, { format: 'json', includeDocuments: false, includeAuditLogs: true })).json();
  expect(Object.keys(data)).toEqual(Object.keys(plain));
  expect(data.messages[0]).toMatchObject({
    content: plain.messages[0].content,
    attachment: { file: 'letter-001.pdf' },
  });
  expect([data.version, data.contacts, data.checklists]).toEqual([3, plain.contacts, plain.checklists]);
  await expect(openCopy(answer.rawPayload, 'The lemon trees, at Nan’s')).rejects.toThrow();
});

test('the passphrase is in no log and no record, and every copy is made under a key of its own', async () => {
  const owner = await newFullOwner(world);
  const [first, second] = [await ask(owner, html), await ask(owner, { ...html, includeDocuments: false })];
  const saltOf = (body: string) => /"salt":"([^"]+)"/.exec(body)?.[1];
  expect(saltOf(first.body)).not.toBe(saltOf(second.body));
  expect(await auditOf(world, owner.userId, 'export.create')).toEqual([
    { format: 'html', includeDocuments: true, includeAuditLogs: false },
    { format: 'html', includeDocuments: false, includeAuditLogs: false },
  ]);
  expect(world.log.join('\n')).not.toContain('lemon');
  expect([...(await openCopy(second.rawPayload)).keys()]).toEqual(['vault.json']);
});

test('a file that is too large for the page is named in it as a file beside it', async () => {
  const owner = await newFullOwner(world, 'premium');
  // Only its stored size: the seal of a real one is tested with less than 90 MB of work.
  await world.database.db.execute(
    sql`update documents set file_size = ${inPageBytesMax + 1} where user_id = ${owner.userId}`,
  );

  const answer = await ask(owner, html);
  const further = String(answer.headers[exportFurtherHeader]);
  expect(further).toMatch(/^[0-9a-f]{16}$/);
  const data = JSON.parse(String((await openCopy(answer.rawPayload)).get('vault.json')));
  expect(data.documents[0].file).toMatchObject({ name: 'deed.txt', further });
  expect(data.documents[0].file).not.toHaveProperty('file');

  expect((await ask(owner, { ...html, further: '0'.repeat(16) })).statusCode).toBe(404);
});

test.each([
  [{ format: 'html' }, 'at least 12 letters or digits'],
  [{ format: 'html', passphrase: 'a b - c.d' }, 'at least 12 letters or digits'],
  [{ format: 'html', passphrase: 'a'.repeat(201) }, 'At most 200 characters'],
  [{ format: 'json', passphrase }, 'Only the page that opens anywhere has a passphrase'],
  [{ further: '0'.repeat(16) }, 'Only the page that opens anywhere has a passphrase'],
  [{ ...html, further: '../etc' }, 'This is no file of a copy.'],
])('%j is refused with a sentence', async (body, words) => {
  const owner = await world.newOwner();
  const answer = await ask(owner, body);
  expect([answer.statusCode, answer.json().message]).toEqual([400, expect.stringContaining(words)]);
});

test('a copy wants a sign-in from the last ten minutes, and so does a file beside it', async () => {
  const owner = await newFullOwner(world);
  await world.database.db.execute(
    sql`update sessions set authenticated_at = authenticated_at - interval '11 minutes' where user_id = ${owner.userId}`,
  );
  for (const body of [html, { ...html, further: '0'.repeat(16) }]) {
    expect((await ask(owner, body)).json()).toMatchObject({ type: 'REAUTHENTICATION_REQUIRED' });
  }
});
