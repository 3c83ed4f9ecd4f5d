import { gunzipSync } from 'node:zlib';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listDocuments, type Document as VaultDocument } from '#shared/contract/documents.ts';
import { samples } from '#tests/support/forms.ts';
import { createFilesWorld, type FilesWorld } from '../vault-files.test-world.ts';
import { documentsListedAtOnce } from './whole-list.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

const total = documentsListedAtOnce * 2 + 1;

test('a list of more documents than one statement reads is whole, newest first, in chunks, and compressed on request', async () => {
  const owner = await world.newOwner('premium');
  const upload = await owner.upload({
    fields: { category: 'legal', name: 'Will' },
    file: { name: 'will.pdf', content: samples.pdf },
  });
  const made: VaultDocument = upload.json();
  // Copies of the row open under no other id, so they count as damaged.
  await world.database.db.execute(sql`
    with copies as (select gen_random_uuid() as id, n from generate_series(1, ${total - 1}::int) n),
      files as (insert into file_objects (path, created_at) select id::text, now() from copies)
    insert into documents (id, user_id, name, category, file_name, file_path, file_size, mime_type, created_at, updated_at)
    select copies.id, user_id, name, category, file_name, copies.id::text, file_size, mime_type,
      created_at - n * interval '1 second', updated_at
    from documents, copies where documents.id = ${made.id}`);
  const answer = await owner.browser.send('GET', listDocuments.path);
  expect([answer.statusCode, answer.headers['content-length']]).toEqual([200, undefined]);
  const listed: VaultDocument[] = answer.json();
  const { renamedFrom: _, ...stored } = made as VaultDocument & { renamedFrom?: unknown };
  expect([listed.length, listed[0]]).toEqual([total, stored]);
  expect(new Set(listed.map(({ id }) => id)).size).toBe(total);
  const times = listed.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted().reverse());
  const packed = await owner.browser.send('GET', listDocuments.path, { headers: { 'accept-encoding': 'gzip' } });
  expect(gunzipSync(packed.rawPayload).toString()).toBe(answer.body);
});

test('pages of documents are answered by their address and by a search, and odd questions are refused', async () => {
  const owner = await world.newOwner('premium');
  await owner.upload({ fields: { category: 'legal', name: 'Will' }, file: { name: 'will.pdf', content: samples.pdf } });
  const page = await owner.browser.send('GET', '/api/documents/page?sort=name');
  expect([page.statusCode, page.json()]).toMatchObject([
    200,
    { found: 1, all: 1, next: null, documents: [{ name: 'Will' }] },
  ]);
  expect(JSON.stringify(page.json())).not.toContain('filePath');
  const search = (body: object) => owner.browser.send('POST', '/api/documents/search', { body });
  expect((await search({ words: 'WILL' })).json()).toMatchObject({ found: 1 });
  expect((await search({ words: 'deed' })).json()).toMatchObject({ found: 0, all: 1 });
  expect((await search({ words: 'a'.repeat(201) })).statusCode).toBe(400);
  expect((await owner.browser.send('GET', '/api/documents/page?sort=colour')).statusCode).toBe(400);
  expect((await owner.browser.send('GET', '/api/documents/page?from=-1')).statusCode).toBe(400);
});
