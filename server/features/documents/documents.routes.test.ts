import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentSchema } from '#shared/contract/documents.ts';
import { dumpRows } from '#tests/support/everkept.ts';
import { samples } from '#tests/support/forms.ts';
import { createFilesWorld, type FileOwner, type FilesWorld } from './vault-files.test-world.ts';

let world: FilesWorld;

beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

const will = { name: 'My will.pdf', content: samples.pdf, type: 'application/pdf' };
const fields = { category: 'legal', name: 'Will', description: 'Signed in 2024.\nThe original is in the safe.' };

async function store(owner: FileOwner, given: Parameters<FileOwner['upload']>[0] = {}) {
  const answer = await owner.upload({ fields, file: will, ...given });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<{ id: string }>().id;
}

describe('a document', () => {
  test('is stored, listed, renamed, downloaded and deleted', async () => {
    const owner = await world.newOwner();
    const before = await world.kept();
    const answer = await owner.upload({ fields: { ...fields, visibleToTrustedContact: 'true' }, file: will });
    expect(answer.statusCode).toBe(201);
    const document = documentSchema.encode(documentSchema.decode(answer.json()));
    expect(document).toMatchObject({
      name: 'Will',
      category: 'legal',
      description: fields.description,
      fileName: 'My will.pdf',
      fileSize: samples.pdf.length,
      mimeType: 'application/pdf',
      visibleToTrustedContact: true,
    });
    expect((await owner.browser.send('GET', '/api/documents')).json()).toEqual([document]);

    const path = `/api/documents/${document.id}`;
    const changed = await owner.browser.send('PUT', path, {
      body: { name: 'Last will', category: 'other', description: '' },
    });
    expect(changed.json()).toEqual({
      ...document,
      name: 'Last will',
      category: 'other',
      description: null,
      visibleToTrustedContact: false,
      updatedAt: expect.any(String),
      version: expect.any(String),
    });

    const file = await owner.browser.send('GET', `${path}/download`);
    expect(file.statusCode).toBe(200);
    expect(file.rawPayload.equals(samples.pdf)).toBe(true);
    expect(file.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(samples.pdf.length),
      'content-disposition': `attachment; filename="My will.pdf"; filename*=UTF-8''My%20will.pdf`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
      'accept-ranges': 'bytes',
    });

    expect((await owner.browser.send('DELETE', path)).statusCode).toBe(204);
    expect((await owner.browser.send('GET', `${path}/download`)).statusCode).toBe(404);
    expect((await owner.browser.send('DELETE', path)).statusCode).toBe(404);
    // It can be taken back for a while, and its file lies there as long.
    await owner.browser.send('DELETE', `/api/recently-deleted/document/${document.id}`);
    expect(await world.kept()).toEqual(before);
  });

  test('comes with its fields before or after the file, and with no more than a category', async () => {
    const owner = await world.newOwner();
    const answer = await owner.upload({ fields: { category: 'legal' }, file: will, isFileFirst: true });
    expect(answer.json()).toMatchObject({ name: 'My will.pdf', category: 'legal', description: null });
    const template = { name: 'basic-will-template.txt', content: samples.txt, type: 'text/plain' };
    expect((await owner.upload({ fields: [['category', 'legal']], file: template })).statusCode).toBe(201);
    const other = await owner.upload({ file: { ...will, field: 'attachment' } });
    expect(other.statusCode).toBe(201);
  });

  test.each(Object.entries(samples).filter(([kind]) => !['mp4', 'mov', 'webm'].includes(kind)))(
    'of the kind %s comes back byte for byte',
    async (kind, content) => {
      const owner = await world.newOwner();
      const id = await store(owner, { file: { name: `A file.${kind.toUpperCase()}`, content } });
      const file = await owner.browser.send('GET', `/api/documents/${id}/download`);
      const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
      expect(digest(file.rawPayload)).toBe(digest(content));
    },
  );

  test('counts as a sign of life and stands in the audit log, without a word of it', async () => {
    const owner = await world.newOwner();
    const id = await store(owner);
    await owner.browser.send('PUT', `/api/documents/${id}`, { body: { name: 'x', category: 'other' } });
    await owner.browser.send('DELETE', `/api/documents/${id}`);
    const { rows } = await world.database.db.execute<{ action: string }>(
      sql`select action from audit_logs where user_id = ${owner.userId} and resource = 'document' and resource_id = ${id} order by created_at, id`,
    );
    expect(rows.map(({ action }) => action)).toEqual(['document.create', 'document.update', 'document.delete']);
    const checkins = await world.database.db.execute(
      sql`select 1 from checkins where user_id = ${owner.userId} and type = 'change'`,
    );
    expect(checkins.rows).not.toEqual([]);
  });

  test('leaves no trace of its words or its content in rows, store or log', async () => {
    const owner = await world.newOwner();
    const words = ['pomegranate', 'kingfisher', 'lighthouse', 'heliotrope'];
    const [name, description, fileName, inside] = words;
    await store(owner, {
      fields: { category: 'legal', name: `${name}`, description: `${description}` },
      file: { name: `${fileName}.txt`, content: `${inside} `.repeat(20_000) },
    });
    const rows = (await dumpRows(world.database)).join('\n');
    const files = [...world.store.files.values()].map((file) => file.toString('latin1')).join('\n');
    for (const word of words) {
      expect(rows).not.toContain(word);
      expect(files).not.toContain(word);
      expect(world.log.join('\n')).not.toContain(word);
    }
  });
});

describe('another owner’s document', () => {
  test('is answered like one that does not exist, whatever is asked of it', async () => {
    const id = await store(await world.newOwner());
    const stranger = await world.newOwner();
    const answers = async (documentId: string) => {
      const path = `/api/documents/${documentId}`;
      const body = { name: 'mine', category: 'other' };
      const given = [
        await stranger.browser.send('GET', `${path}/download`),
        await stranger.browser.send('PUT', path, { body }),
        await stranger.browser.send('DELETE', path),
      ];
      return given.map((answer) => [answer.statusCode, answer.json()]);
    };
    expect(await answers(id)).toEqual(await answers(randomUUID()));
    expect((await stranger.browser.send('GET', '/api/documents')).json()).toEqual([]);
  });
});

describe('a part of a file', () => {
  const content = Buffer.concat([samples.pdf, randomBytes(200_000)]);
  const last = content.length - 1;
  let owner: FileOwner;
  let path: string;
  beforeAll(async () => {
    owner = await world.newOwner();
    path = `/api/documents/${await store(owner, { file: { ...will, content } })}/download`;
  });
  const get = (range: string, more = {}) => owner.browser.send('GET', path, { headers: { range, ...more } });

  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=65530-65545', 65_530, 65_545],
    ['bytes=131072-', 131_072, last],
    ['bytes=100-9999999', 100, last],
    ['bytes=-7', last - 6, last],
    ['bytes=-9999999', 0, last],
  ])('is given for %s', async (range, start, end) => {
    const answer = await get(range);
    expect(answer.statusCode).toBe(206);
    expect(answer.headers['content-range']).toBe(`bytes ${start}-${end}/${content.length}`);
    expect(answer.headers['content-length']).toBe(String(end - start + 1));
    expect(answer.rawPayload.equals(content.subarray(start, end + 1))).toBe(true);
  });

  test.each([`bytes=${content.length}-`, 'bytes=-0', 'bytes=9999999-99999999'])(
    'that lies behind the end is refused: %s',
    async (range) => {
      const answer = await get(range);
      expect([answer.statusCode, answer.headers['content-range'], answer.body]).toEqual([
        416,
        `bytes */${content.length}`,
        '',
      ]);
    },
  );

  test.each(['bytes=5-2', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=-', 'bytes=a-b', 'bytes=0-99999999999999999999'])(
    'that we do not understand is the whole: %s',
    async (range) => {
      const answer = await get(range);
      expect([answer.statusCode, answer.rawPayload.length]).toEqual([200, content.length]);
    },
  );

  test('is not given to somebody who has something else, for all we know', async () => {
    expect((await get('bytes=0-9', { 'if-range': '"abc"' })).statusCode).toBe(200);
  });

  test('is announced, and nothing is sent, where only the head is asked for', async () => {
    const answer = await owner.browser.send('HEAD', path);
    expect([answer.statusCode, answer.headers['content-length'], answer.body]).toEqual([
      200,
      String(content.length),
      '',
    ]);
  });
});

describe('a file that was tampered with in the store', () => {
  test('is an error where its beginning is broken or it is gone', async () => {
    const owner = await world.newOwner();
    world.store.files.clear();
    const path = `/api/documents/${await store(owner, { file: { ...will, content: Buffer.concat([samples.pdf, randomBytes(300_000)]) } })}/download`;
    const [[key, sealed] = ['', Buffer.alloc(0)]] = [...world.store.files];
    const flipped = Buffer.from(sealed);
    flipped[100] = (flipped[100] ?? 0) ^ 1;
    for (const broken of [flipped, sealed.subarray(0, 40), Buffer.alloc(0)]) {
      world.store.files.set(key, broken);
      const answer = await owner.browser.send('GET', path);
      expect([answer.statusCode, answer.json().type]).toEqual([409, 'DAMAGED']);
      expect(answer.headers['content-disposition']).toBeUndefined();
    }
    world.store.files.delete(key);
    expect((await owner.browser.send('GET', path)).statusCode).toBe(503);
    world.store.files.set(key, sealed);
    expect((await owner.browser.send('GET', path)).statusCode).toBe(200);
  });

  test('never ends as a complete answer where it is broken further on', async () => {
    const owner = await world.newOwner();
    world.store.files.clear();
    const content = Buffer.concat([samples.pdf, randomBytes(3_000_000)]);
    const id = await store(owner, { file: { ...will, content } });
    const [[key, sealed] = ['', Buffer.alloc(0)]] = [...world.store.files];
    const flipped = Buffer.from(sealed);
    flipped[2_900_000] = (flipped[2_900_000] ?? 0) ^ 1;
    const appended = Buffer.concat([sealed, Buffer.of(1)]);
    for (const broken of [flipped, sealed.subarray(0, sealed.length - 1), sealed.subarray(0, 2_000_000), appended]) {
      world.store.files.set(key, broken);
      const fetching = fetch(`http://127.0.0.1:${world.port}/api/documents/${id}/download`, {
        headers: { cookie: owner.browser.cookie ?? '' },
      });
      await expect(fetching.then((answer) => answer.arrayBuffer())).rejects.toThrow();
    }
    world.store.files.set(key, sealed);
  });
});
