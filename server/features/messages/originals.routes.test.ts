import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sendImport } from '#server/features/data-export/import.test-world.ts';
import {
  createFilesWorld,
  type FileOwner,
  type FilesWorld,
} from '#server/features/documents/vault-files.test-world.ts';
import { removeUnusedFiles } from '#server/features/files/upkeep.ts';
import { errorBodySchema } from '#shared/contract/errors.ts';
import { exportKeyHeader } from '#shared/contract/export.ts';
import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import type { Message } from '#shared/contract/messages.ts';
import { originalBytesMax } from '#shared/rules/letters/enclosures.ts';
import { type FormFile, samples, voices, webp, wordPackage } from '#tests/support/forms.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

/** A photograph as telephones keep it, with a place in it. */
const heic = readFileSync(new URL('../../../tests/support/files/photograph.heic', import.meta.url));
const original = { name: 'IMG_0042.HEIC', content: heic };
const picture = { name: 'IMG_0042.jpg', content: samples.jpg };
const letter = { title: 'For Priya', content: 'Look at this.', recipientEmail: 'priya@example.org' };

async function write(owner: FileOwner): Promise<string> {
  const answer = await owner.browser.send('POST', '/api/messages', { body: letter });
  return answer.json<{ id: string }>().id;
}

const placeOf = (id: string, enclosureId: string) => `/api/messages/${id}/enclosures/${enclosureId}`;
const originalOf = (id: string, enclosureId: string) => `${placeOf(id, enclosureId)}/original`;
const keep = (owner: FileOwner, [id, enclosureId]: [string, string], file: FormFile = original) =>
  owner.upload({ file }, ['POST', originalOf(id, enclosureId)]);
const get = (owner: FileOwner, url: string) => owner.browser.send('GET', url);

async function enclosed(owner: FileOwner, id: string, file: FormFile = picture): Promise<Enclosure> {
  const answer = await owner.upload({ file, fields: { caption: 'The pier' } }, [
    'POST',
    `/api/messages/${id}/enclosures`,
  ]);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<Enclosure>();
}

async function withOriginal(owner: FileOwner, id: string, file: FormFile = original) {
  const made = await enclosed(owner, id);
  const answer = await keep(owner, [id, made.id], file);
  expect(answer.statusCode, answer.body).toBe(201);
  const kept = answer.json<Enclosure>();
  if (!kept.original) throw new Error('No original was kept.');
  return { ...kept, original: kept.original };
}

async function enclosuresOf(owner: FileOwner, id: string): Promise<Enclosure[]> {
  const all = (await get(owner, '/api/messages')).json<Message[]>();
  return all.find((each) => each.id === id)?.enclosures ?? [];
}

const bytesUsed = async (owner: FileOwner) =>
  (await get(owner, '/api/plan-limits')).json<{ storage: { current: number } }>().storage.current;

describe('the original of a picture', () => {
  test('is kept beside it byte for byte, listed with it, given out, and counts for the plan', async () => {
    const owner = await world.newOwner('premium');
    const id = await write(owner);
    const large = { ...original, content: Buffer.concat([heic, Buffer.alloc(300_000)]) };
    const kept = await withOriginal(owner, id, large);
    expect(kept).toMatchObject({
      name: 'IMG_0042.jpg',
      caption: 'The pier',
      position: 1,
      original: { name: 'IMG_0042.HEIC', sizeBytes: large.content.length, mimeType: 'image/heic' },
    });
    expect(await enclosuresOf(owner, id)).toEqual([kept]);
    const answer = await get(owner, placeOf(id, kept.original.id));
    expect([answer.headers['content-type'], answer.rawPayload.equals(large.content)]).toEqual(['image/heic', true]);
    expect(answer.headers['content-disposition']).toMatch(/^attachment/);
    expect(await bytesUsed(owner)).toBe(0.3);
  });

  test.each([
    ['heif', heic],
    ['jpg', samples.jpg],
    ['png', samples.png],
    ['webp', webp],
  ])('may be of this kind: %s', async (kind, content) => {
    const owner = await world.newOwner('lifetime');
    const kept = await withOriginal(owner, await write(owner), { name: `a.${kind}`, content });
    expect(kept.original.mimeType).toMatch(/^image\//);
  });

  test('takes the place of the one before, is taken out alone, and goes with its picture; nothing of it is left', async () => {
    const owner = await world.newOwner('premium');
    const id = await write(owner);
    const before = await world.kept();
    const first = await withOriginal(owner, id);
    const second = (await keep(owner, [id, first.id], { name: 'other.jpg', content: samples.jpg })).json<Enclosure>();
    expect(second.original?.name).toBe('other.jpg');
    expect((await get(owner, placeOf(id, first.original.id))).statusCode).toBe(404);
    expect((await world.kept()).files).toBe(before.files + 2);
    expect((await owner.browser.send('DELETE', originalOf(id, first.id))).statusCode).toBe(204);
    expect((await owner.browser.send('DELETE', originalOf(id, first.id))).statusCode).toBe(404);
    expect(await enclosuresOf(owner, id)).toMatchObject([{ id: first.id, original: null }]);
    await keep(owner, [id, first.id]);
    expect((await owner.browser.send('DELETE', placeOf(id, first.id))).statusCode).toBe(204);
    expect(await world.kept()).toEqual(before);
  });

  test('leaves the order and the number of pictures as they are', async () => {
    const owner = await world.newOwner('premium');
    const id = await write(owner);
    const [one, two] = [await withOriginal(owner, id), await enclosed(owner, id)];
    expect(two.position).toBe(2);
    await owner.browser.send('PUT', placeOf(id, two.id), { body: { position: 1 } });
    expect((await enclosuresOf(owner, id)).map((each) => [each.id, each.position])).toEqual([
      [two.id, 1],
      [one.id, 2],
    ]);
  });

  test('comes back with a letter that was deleted, and goes for good with it', async () => {
    const owner = await world.newOwner('premium');
    const before = await world.kept();
    const id = await write(owner);
    const kept = await withOriginal(owner, id);
    await owner.browser.send('DELETE', `/api/messages/${id}`);
    await removeUnusedFiles(world.opened);
    await owner.browser.send('POST', `/api/recently-deleted/message/${id}/restore`);
    expect(await enclosuresOf(owner, id)).toEqual([kept]);
    expect((await get(owner, placeOf(id, kept.original.id))).rawPayload.equals(heic)).toBe(true);
    await owner.browser.send('DELETE', `/api/messages/${id}`);
    await owner.browser.send('DELETE', `/api/recently-deleted/message/${id}`);
    expect(await world.kept()).toEqual(before);
  });

  test('is in an export, comes in again with it, and once', async () => {
    const [from, to] = [await world.newOwner('premium'), await world.newOwner('premium')];
    await withOriginal(from, await write(from));
    const body = { format: 'json', includeDocuments: true };
    const exported = async (owner: FileOwner) =>
      (await owner.browser.send('POST', '/api/export-data', { body })).json();
    const data = await exported(from);
    const [enclosure] = data.messages[0].enclosures;
    expect(enclosure.original).toEqual({
      ...{ name: 'IMG_0042.HEIC', mimeType: 'image/heic', sizeBytes: heic.length },
      base64: heic.toString('base64'),
    });
    const send = () =>
      to.upload({ fields: {}, file: { name: 'export.json', content: JSON.stringify(data) } }, [
        'POST',
        '/api/import-data',
      ]);
    expect((await send()).json()).toMatchObject({ messages: 1 });
    expect((await send()).json()).toMatchObject({ messages: 0, alreadyThere: 1 });
    expect((await exported(to)).messages[0].enclosures[0].original).toEqual(enclosure.original);
  });

  test('is in an archive under a name of its own, and comes in from it', async () => {
    const [from, to] = [await world.newOwner('premium'), await world.newOwner('premium')];
    const id = await write(from);
    await withOriginal(from, id);
    await withOriginal(from, id, { name: 'second.jpg', content: samples.jpg });
    const body = { format: 'encrypted-zip', includeDocuments: true };
    const archive = await from.browser.send('POST', '/api/export-data', { body });
    const key = String(archive.headers[exportKeyHeader]);
    const sent = await sendImport(world, to, archive.rawPayload, { key });
    expect(sent.json()).toMatchObject({ messages: 1 });
    const [message] = (await get(to, '/api/messages')).json<Message[]>();
    const originals = message?.enclosures.map(({ original }) => original) ?? [];
    expect(originals.map((original) => original?.name)).toEqual(['IMG_0042.HEIC', 'second.jpg']);
    const first = await get(to, placeOf(message?.id ?? '', originals[0]?.id ?? ''));
    expect(first.rawPayload.equals(heic)).toBe(true);
  });

  test('is neither shown to a stranger nor changed by one, and no voice has one', async () => {
    const [owner, stranger] = [await world.newOwner('premium'), await world.newOwner('premium')];
    const [id, other] = [await write(owner), await write(stranger)];
    const kept = await withOriginal(owner, id);
    const voice = await enclosed(owner, id, { name: 'a.wav', content: voices.wav });
    const before = await world.kept();
    expect((await get(stranger, placeOf(id, kept.original.id))).statusCode).toBe(404);
    expect((await get(stranger, placeOf(other, kept.original.id))).statusCode).toBe(404);
    expect((await keep(stranger, [id, kept.id])).statusCode).toBe(404);
    expect((await keep(stranger, [other, kept.id])).statusCode).toBe(404);
    expect((await stranger.browser.send('DELETE', originalOf(id, kept.id))).statusCode).toBe(404);
    expect((await keep(owner, [id, voice.id])).statusCode).toBe(404);
    expect((await keep(owner, [id, kept.original.id])).statusCode).toBe(404);
    expect(await world.kept()).toEqual(before);
  });

  test('stays as it is once somebody has the letter', async () => {
    const owner = await world.newOwner('premium');
    const id = await write(owner);
    const kept = await withOriginal(owner, id);
    await world.database.db.execute(sql`update messages set status = 'delivered' where id = ${id}`);
    expect((await keep(owner, [id, kept.id])).statusCode).toBe(409);
    expect((await owner.browser.send('DELETE', originalOf(id, kept.id))).statusCode).toBe(409);
    expect((await get(owner, placeOf(id, kept.original.id))).statusCode).toBe(200);
  });

  test('needs a plan with room for it, and room in it', async () => {
    const [essential, premium] = [await world.newOwner('essential'), await world.newOwner('premium')];
    const id = await write(essential);
    const made = await enclosed(essential, id);
    const refused = await keep(essential, [id, made.id]);
    expect([refused.statusCode, refused.json()]).toEqual([
      403,
      {
        message:
          'Original photographs are kept with Premium and Lifetime plans. Upgrade to keep them beside your pictures.',
        type: 'FEATURE_NOT_IN_PLAN',
        upgradeRequired: true,
      },
    ]);
    const other = await write(premium);
    const full = await enclosed(premium, other);
    await world.database.db.execute(sql`update message_enclosures set file_size = 5000000000 where id = ${full.id}`);
    expect((await keep(premium, [other, full.id])).json().type).toBe('STORAGE_LIMIT_EXCEEDED');
  });

  test('is one, however many come at once', async () => {
    const owner = await world.newOwner('premium');
    const id = await write(owner);
    const made = await enclosed(owner, id);
    const before = await world.kept();
    const answers = await Promise.all(Array.from({ length: 20 }, () => keep(owner, [id, made.id])));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([201]));
    expect((await world.kept()).files).toBe(before.files + 1);
  });

  test('is sealed, its name and its bytes', async () => {
    const owner = await world.newOwner('premium');
    const id = await write(owner);
    const kept = await withOriginal(owner, id, { ...original, name: 'Tom in Whitby.heic' });
    const { rows } = await world.database.db.execute<{ name: string; path: string }>(
      sql`select file_name as name, file_path as path from message_enclosures where id = ${kept.original.id}`,
    );
    expect(rows[0]?.name).not.toContain('Whitby');
    expect(world.store.files.get(rows[0]?.path ?? '')?.includes('ftyp')).toBe(false);
    await world.database.db.execute(sql`update message_enclosures set file_name = 'x' where id = ${kept.original.id}`);
    expect((await enclosuresOf(owner, id))[0]?.original?.name).toBe('picture.heic');
  });
});

describe('a file that is no picture is refused as an original in a plain sentence, and nothing of it is left', () => {
  let owner: FileOwner;
  let at: [string, string];
  let before: Awaited<ReturnType<FilesWorld['kept']>>;
  beforeAll(async () => {
    owner = await world.newOwner('premium');
    const id = await write(owner);
    at = [id, (await enclosed(owner, id)).id];
  });
  beforeEach(async () => {
    before = await world.kept();
  });

  const html = '<!doctype html><script>alert(1)</script>';
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
  const exe = Buffer.concat([Buffer.from('MZ\x90\0\x03\0\0\0'), Buffer.alloc(500)]);
  const behind = (first: string | Buffer, content: Buffer) => Buffer.concat([Buffer.from(first), content]);
  /** The head of a container of ISO/IEC 14496-12, of this brand. */
  const box = (brand: string, more = '') =>
    Buffer.concat([Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0${more}`, 'latin1'), Buffer.alloc(500, 7)]);
  const named = (name: string, content: Buffer | string): FormFile => ({ name, content });

  const wrong: [what: string, file: FormFile][] = [
    ['a document', named('a.pdf', samples.pdf)],
    ['a text', named('a.txt', samples.txt)],
    ['a word document', named('a.docx', wordPackage())],
    ['a voice', named('a.wav', voices.wav)],
    ['a voice of a telephone', named('a.m4a', voices.m4a)],
    ['a video', named('a.mp4', samples.mp4)],
    ['a video of a camera', named('a.mov', samples.mov)],
    ['a drawing', named('a.svg', svg)],
    ['a web page', named('a.html', html)],
    ['a program', named('a.exe', exe)],
    ['a raw picture', named('a.dng', behind('II*\0', Buffer.alloc(500)))],
    ['a picture of another kind', named('a.tiff', behind('II*\0', Buffer.alloc(500)))],
    ['no ending', named('IMG_0042', heic)],
    ['a property of every object', named('x.constructor', heic)],
    ['the prototype of every object', named('x.__proto__', heic)],
    ['a double ending', named('a.heic.exe', heic)],
    ['an ending behind a space', named('a.heic .html', heic)],
    ['an ending after a NUL', named('a.heic\0.html', heic)],
    ['an ending turned round', named('a\u202Eciehgpj.exe', heic)],
    ['a web page called photograph', named('a.heic', html)],
    ['a drawing called photograph', named('a.heif', svg)],
    ['a program called photograph', named('a.heic', exe)],
    ['an archive called photograph', named('a.heic', wordPackage({}, false))],
    ['a PDF called photograph', named('a.heic', samples.pdf)],
    ['a video called HEIC', named('a.heic', samples.mp4)],
    ['a QuickTime video called HEIC', named('a.heic', samples.mov)],
    ['a voice called HEIC', named('a.heic', voices.m4a)],
    ['an AVIF called HEIC', named('a.heic', box('avif'))],
    ['a moving AVIF called HEIC', named('a.heic', box('avis'))],
    ['a brand that nobody knows', named('a.heic', box('zzzz'))],
    ['a HEIC behind a web page', named('a.heic', behind(html, heic))],
    ['a HEIC behind a PDF', named('a.heic', behind(samples.pdf, heic))],
    ['the first letters of a HEIC', named('a.heic', heic.subarray(0, 7))],
    ['a HEIC without its first byte', named('a.heic', heic.subarray(1))],
    ['white space', named('a.heic', ' \n\t '.repeat(200))],
    ['zeros', named('a.heic', Buffer.alloc(5_000))],
  ];

  test.each(wrong)('%s', async (_what, file) => {
    const answer = await keep(owner, at, file);
    const { message, type } = errorBodySchema.parse(answer.json());
    expect([answer.statusCode, type], message).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(message).toMatch(/^[A-Z][^<>{}\\]{10,300}[.:]?$/);
    expect(await world.kept()).toEqual(before);
  });

  test('and so is one without bytes, a form without one, and one that is too large', async () => {
    for (const given of [{ file: named('a.heic', '') }, {}]) {
      const answer = await owner.upload(given, ['POST', originalOf(...at)]);
      expect([answer.statusCode, answer.json().type]).toEqual([400, 'VALIDATION']);
    }
    const large = await keep(owner, at, named('a.heic', behind(heic, Buffer.alloc(originalBytesMax))));
    expect([large.statusCode, large.json().message]).toEqual([
      413,
      'File too large: Please select a picture smaller than 30MB.',
    ]);
    expect(await world.kept()).toEqual(before);
  });
});
