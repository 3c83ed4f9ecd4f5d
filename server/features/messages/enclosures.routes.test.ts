import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createFilesWorld,
  type FileOwner,
  type FilesWorld,
} from '#server/features/documents/vault-files.test-world.ts';
import { removeUnusedFiles } from '#server/features/files/upkeep.ts';
import { expiring } from '#server/features/retention/expiry.repository.ts';
import { errorBodySchema } from '#shared/contract/errors.ts';
import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import type { Message } from '#shared/contract/messages.ts';
import { enclosureBytesMax, enclosuresMax } from '#shared/rules/letters/enclosures.ts';
import {
  type FormFile,
  pictureHead,
  samples,
  segmentOf,
  voices,
  webmOf,
  webp,
  wordPackage,
} from '#tests/support/forms.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

const letter = { title: 'For Priya', content: 'Listen to this.', recipientEmail: 'priya@example.org' };
const voice = { name: 'My voice.webm', content: Buffer.concat([voices.webm, Buffer.alloc(200_000)]) };
const picture = { name: 'the garden.png', content: samples.png };

const place = Buffer.from('Exif\0\0MM\0*51.5074N 0.1278W');
/** A chunk of a PNG that holds a place. Its checksum is not read. */
const placeChunk = Buffer.concat([Buffer.from([0, 0, 0, place.length]), Buffer.from('eXIf'), place, Buffer.alloc(4)]);
const pngWithPlace = Buffer.concat([samples.png.subarray(0, 33), placeChunk, samples.png.subarray(33)]);
const webpWithPlace = Buffer.concat([
  Buffer.from('RIFF\xf4\x01\0\0WEBPEXIF', 'latin1'),
  Buffer.from([place.length, 0, 0, 0]),
  place,
  webp.subarray(12),
]);
const gifWithPlace = Buffer.concat([
  samples.gif.subarray(0, -1),
  Buffer.from([0x21, 0xfe, place.length]),
  place,
  Buffer.from([0, 0x3b]),
]);

async function write(owner: FileOwner, more: Record<string, unknown> = {}): Promise<string> {
  const answer = await owner.browser.send('POST', '/api/messages', { body: { ...letter, ...more } });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<{ id: string }>().id;
}

const enclose = (owner: FileOwner, id: string, file: FormFile, fields: Record<string, string> = {}) =>
  owner.upload({ fields, file }, ['POST', `/api/messages/${id}/enclosures`]);

async function enclosed(owner: FileOwner, id: string, file: FormFile, caption = ''): Promise<Enclosure> {
  const answer = await enclose(owner, id, file, { caption });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<Enclosure>();
}

async function listed(owner: FileOwner, id: string): Promise<Message> {
  const all = (await owner.browser.send('GET', '/api/messages')).json<Message[]>();
  const found = all.find((each) => each.id === id);
  if (!found) throw new Error('There is no such message.');
  return found;
}

const sealedWords = {
  version: 2,
  iterations: 600_000,
  salt: 'A'.repeat(22),
  nonce: 'A'.repeat(16),
  ciphertext: 'A'.repeat(64),
  hint: 'The name of the boat',
};
const sealedLetter = { ...letter, content: '', encryptedContent: sealedWords };
const asForm = { ...letter, content: '', encryptedContent: JSON.stringify(sealedWords) };
const envelope = {
  name: 'envelope.sealed',
  content: Buffer.concat([Buffer.from('EKSEAL1\n'), Buffer.alloc(90_000, 7)]),
};
const refusedWith = (answer: { statusCode: number; json: () => { type: string } }) => [
  answer.statusCode,
  answer.json().type,
];

const placeOf = (id: string, enclosureId: string) => `/api/messages/${id}/enclosures/${enclosureId}`;
const fetchOne = (owner: FileOwner, id: string, enclosureId: string) =>
  owner.browser.send('GET', placeOf(id, enclosureId));
const bytesUsed = async (owner: FileOwner) =>
  (await owner.browser.send('GET', '/api/plan-limits')).json<{ storage: { current: number } }>().storage.current;

describe('a voice in a letter', () => {
  test('is stored, listed with its letter, given out as it was and in parts, and counts for the plan', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    const made = await enclosed(owner, id, voice, 'For your birthday');
    expect(made).toMatchObject({
      kind: 'voice',
      name: 'My voice.webm',
      sizeBytes: voice.content.length,
      mimeType: 'audio/webm',
      caption: 'For your birthday',
      transcript: '',
      position: 1,
      afterParagraph: null,
    });
    expect((await listed(owner, id)).enclosures).toEqual([made]);
    const whole = await fetchOne(owner, id, made.id);
    expect([whole.headers['content-type'], whole.rawPayload.equals(voice.content)]).toEqual(['audio/webm', true]);
    const part = await owner.browser.send('GET', placeOf(id, made.id), { headers: { range: 'bytes=10-19' } });
    expect([part.statusCode, part.rawPayload.equals(voices.webm.subarray(10, 20))]).toEqual([206, true]);
    expect(await bytesUsed(owner)).toBe(0.2);
  });

  test.each(Object.keys(voices) as (keyof typeof voices)[])('may be of this kind: %s', async (kind) => {
    const owner = await world.newOwner();
    const made = await enclosed(owner, await write(owner), { name: `a.${kind}`, content: voices[kind] });
    expect([made.kind, made.mimeType]).toEqual(['voice', expect.stringMatching(/^audio\//)]);
  });

  test('is one, and can be written down', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    const made = await enclosed(owner, id, voice);
    const second = await enclose(owner, id, voice);
    expect([second.statusCode, second.json().message]).toEqual([
      409,
      'This letter has a recording already. Take that out before you add another.',
    ]);
    const transcript = 'Happy birthday, Priya.\nThe ring is in the blue box.';
    const changed = await owner.browser.send('PUT', placeOf(id, made.id), { body: { transcript } });
    expect(changed.json()).toEqual({ ...made, transcript });
    expect((await listed(owner, id)).enclosures).toEqual([{ ...made, transcript }]);
  });
});

describe('a picture that is sent twice under one key', () => {
  test('lies in the letter once, and its second file is not kept', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    const send = (key: string) =>
      owner.upload({ file: picture, headers: { 'idempotency-key': key } }, ['POST', `/api/messages/${id}/enclosures`]);
    const key = randomUUID();
    const first = await send(key);
    const kept = await world.kept();
    const second = await send(key);
    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(second.json()).toEqual(first.json());
    expect(await world.kept()).toEqual(kept);
    await send(randomUUID());
    expect((await listed(owner, id)).enclosures).toHaveLength(2);
  });
});

describe('words to a picture that two devices change', () => {
  test('are refused if they were changed from others than the stored ones, with the picture as it is stored', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    const made = await enclosed(owner, id, picture);
    const before = { caption: '', transcript: '' };
    const say = (caption: string, from = before) =>
      owner.browser.send('PUT', placeOf(id, made.id), { body: { caption, before: from } });
    expect((await say('The pond in May')).json()).toEqual({ ...made, caption: 'The pond in May' });
    const refused = await say('Our pond');
    expect([refused.statusCode, refused.json()]).toEqual([
      409,
      expect.objectContaining({ type: 'CHANGED_ELSEWHERE', stored: { ...made, caption: 'The pond in May' } }),
    ]);
    // A repeat after a lost answer, and a change that names the stored words.
    expect((await say('The pond in May')).statusCode).toBe(200);
    expect((await say('Our pond', { ...before, caption: 'The pond in May' })).statusCode).toBe(200);
    expect((await listed(owner, id)).enclosures).toEqual([{ ...made, caption: 'Our pond' }]);
  });

  test('are refused too if the words said in a voice were changed elsewhere', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    const made = await enclosed(owner, id, voice);
    const before = { caption: '', transcript: '' };
    const say = (transcript: string) =>
      owner.browser.send('PUT', placeOf(id, made.id), { body: { transcript, before } });
    expect((await say('Whisk it well.')).statusCode).toBe(200);
    const refused = await say('Bake it slowly.');
    expect([refused.statusCode, refused.json().stored]).toEqual([409, { ...made, transcript: 'Whisk it well.' }]);
  });
});

describe('pictures in a letter', () => {
  test.each([
    ['png', samples.png],
    ['jpg', samples.jpg],
    ['gif', samples.gif],
    ['webp', webp],
  ])('may be of this kind: %s', async (kind, content) => {
    const owner = await world.newOwner();
    const made = await enclosed(owner, await write(owner), { name: `a.${kind}`, content });
    expect(made).toMatchObject({ kind: 'picture', mimeType: expect.stringMatching(/^image\//) });
  });

  test('of a camera lose the place that it wrote, unless their writer keeps them as they were taken', async () => {
    const place = Buffer.from('Exif\0\0MM\0*51.5074N 0.1278W');
    const content = Buffer.concat([samples.jpg.subarray(0, 2), segmentOf('ffe1', place), samples.jpg.subarray(2)]);
    const owner = await world.newOwner('premium');
    const id = await write(owner);
    const given = async (made: Enclosure) => (await fetchOne(owner, id, made.id)).rawPayload;
    const made = await enclosed(owner, id, { name: 'garden.jpg', content });
    expect(made.sizeBytes).toBe(content.length);
    expect((await given(made)).includes('51.5074N')).toBe(false);
    const asTaken = await owner.upload({ fields: { caption: '' }, file: { name: 'pond.jpg', content } }, [
      ...(['POST', `/api/messages/${id}/enclosures?asTaken=true`] as const),
    ]);
    expect((await given(asTaken.json())).equals(content)).toBe(true);
    const kept = await owner.upload({ file: { name: 'garden.jpg', content } }, [
      ...(['POST', `/api/messages/${id}/enclosures/${made.id}/original`] as const),
    ]);
    const original = kept.json<Enclosure>().original;
    expect((await fetchOne(owner, id, original?.id ?? '')).rawPayload.equals(content)).toBe(true);
  });

  test.each([
    ['PNG', 'garden.png', pngWithPlace],
    ['WebP', 'garden.webp', webpWithPlace],
    ['GIF', 'garden.gif', gifWithPlace],
  ])('lose the place as %s, unless their writer keeps them as they were taken', async (_, name, content) => {
    const owner = await world.newOwner('premium');
    const id = await write(owner);
    const made = await enclosed(owner, id, { name, content });
    expect(made.sizeBytes).toBe(content.length);
    expect((await fetchOne(owner, id, made.id)).rawPayload.includes('51.5074N')).toBe(false);
    const asTaken = await owner.upload({ fields: { caption: '' }, file: { name: `as-taken-${name}`, content } }, [
      ...(['POST', `/api/messages/${id}/enclosures?asTaken=true`] as const),
    ]);
    const { id: asTakenId } = asTaken.json<Enclosure>();
    expect((await fetchOne(owner, id, asTakenId)).rawPayload.equals(content)).toBe(true);
  });

  test('tell how large they are as they are shown, and those that do not tell are taken all the same', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    const sizeOf = async (name: string, content: Buffer) =>
      (await enclosed(owner, id, { name, content })).pictureSize ?? null;
    expect(await sizeOf('a.jpg', pictureHead({ width: 640, height: 480 }))).toEqual({ width: 640, height: 480 });
    // A camera held on its side turns the picture when it is shown, and writes much before its size.
    const turned = pictureHead({ width: 4_000, height: 3_000, orientation: 6, bytesBefore: 60_000 });
    expect(await sizeOf('b.jpg', turned)).toEqual({ width: 3_000, height: 4_000 });
    expect(await sizeOf('c.jpg', pictureHead({ width: 0, height: 480 }))).toBeNull();
    expect(await sizeOf('d.jpg', Buffer.concat([samples.jpg.subarray(0, 20), Buffer.alloc(5_000, 7)]))).toBeNull();
    // No picture has so many pixels, whatever it says of itself.
    const lying = Buffer.from(samples.png);
    lying.writeUInt32BE(0xffff_fff0, 16);
    expect(await sizeOf('e.png', lying)).toBeNull();
    expect((await listed(owner, id)).enclosures.map(({ pictureSize }) => pictureSize?.width ?? null)).toEqual([
      ...[640, 3_000],
      ...[null, null, null],
    ]);
  });

  test('stand in the writer’s order, which can be changed, and where one is taken out the others close up', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    const made: Enclosure[] = [];
    for (const caption of ['one', 'two', 'three']) made.push(await enclosed(owner, id, picture, caption));
    const order = async () => (await listed(owner, id)).enclosures.map(({ caption, position }) => [caption, position]);
    const [one, two, three] = made as [Enclosure, Enclosure, Enclosure];
    const moved = await owner.browser.send('PUT', placeOf(id, three.id), { body: { position: 1, afterParagraph: 0 } });
    expect(moved.json()).toMatchObject({ position: 1, afterParagraph: 0, caption: 'three' });
    expect(await order()).toEqual([
      ['three', 1],
      ['one', 2],
      ['two', 3],
    ]);
    await owner.browser.send('PUT', placeOf(id, one.id), { body: { position: 99 } });
    expect((await owner.browser.send('DELETE', placeOf(id, two.id))).statusCode).toBe(204);
    expect(await order()).toEqual([
      ['three', 1],
      ['one', 2],
    ]);
    expect((await fetchOne(owner, id, two.id)).statusCode).toBe(404);
  });

  test('are twelve at most, however many come at once, beside one voice', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    const before = await world.kept();
    const answers = await Promise.all(Array.from({ length: 40 }, () => enclose(owner, id, picture)));
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(enclosuresMax.picture);
    const refused = answers.filter(({ statusCode }) => statusCode !== 201);
    expect(new Set(refused.map((answer) => answer.statusCode))).toEqual(new Set([409]));
    await enclosed(owner, id, voice);
    const positions = (await listed(owner, id)).enclosures.map(({ position }) => position);
    expect(positions).toEqual(Array.from({ length: enclosuresMax.picture + 1 }, (_, index) => index + 1));
    expect((await world.kept()).files).toBe(before.files + enclosuresMax.picture + 1);
  });
});

describe('what lies in the envelope of a letter', () => {
  test('goes with it, comes back with it, and goes for good with it', async () => {
    const owner = await world.newOwner();
    const before = await world.kept();
    const id = await write(owner);
    const made = [await enclosed(owner, id, picture, 'The garden'), await enclosed(owner, id, voice)];
    const message = await listed(owner, id);
    await owner.browser.send('DELETE', `/api/messages/${id}`);
    await removeUnusedFiles(world.opened);
    expect((await world.kept()).files).toBe(before.files + 2);
    expect((await owner.browser.send('POST', `/api/recently-deleted/message/${id}/restore`)).statusCode).toBe(204);
    expect(await listed(owner, id)).toEqual(message);
    for (const each of made) expect((await fetchOne(owner, id, each.id)).statusCode).toBe(200);

    await owner.browser.send('DELETE', `/api/messages/${id}`);
    expect((await owner.browser.send('DELETE', `/api/recently-deleted/message/${id}`)).statusCode).toBe(204);
    expect(await world.kept()).toEqual(before);
  });

  test('is neither shown to a stranger nor changed by one', async () => {
    const owner = await world.newOwner();
    const stranger = await world.newOwner();
    const id = await write(owner);
    const other = await write(stranger);
    const made = await enclosed(owner, id, picture);
    const before = await world.kept();
    for (const place of [placeOf(id, made.id), placeOf(other, made.id), placeOf(id, randomUUID())]) {
      expect((await stranger.browser.send('GET', place)).statusCode).toBe(404);
      expect((await stranger.browser.send('PUT', place, { body: { caption: 'Mine' } })).statusCode).toBe(404);
      expect((await stranger.browser.send('DELETE', place)).statusCode).toBe(404);
    }
    expect((await enclose(stranger, id, picture)).statusCode).toBe(404);
    expect(await world.kept()).toEqual(before);
    expect((await listed(owner, id)).enclosures).toEqual([made]);
  });

  test('stays as it is once somebody has the letter', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    const made = await enclosed(owner, id, picture);
    const before = await world.kept();
    await world.database.db.execute(sql`update messages set status = 'delivered' where id = ${id}`);
    expect((await enclose(owner, id, voice)).statusCode).toBe(409);
    expect((await owner.browser.send('PUT', placeOf(id, made.id), { body: { caption: 'x' } })).statusCode).toBe(409);
    expect((await owner.browser.send('DELETE', placeOf(id, made.id))).statusCode).toBe(409);
    expect(await world.kept()).toEqual(before);
    expect((await fetchOne(owner, id, made.id)).statusCode).toBe(200);
  });

  test('is named by a line of its own in the account’s activity', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    const made = await enclosed(owner, id, picture);
    await owner.browser.send('PUT', placeOf(id, made.id), { body: { caption: 'The pond' } });
    await owner.browser.send('DELETE', placeOf(id, made.id));
    const { rows } = await world.database.db.execute<{ action: string }>(
      sql`select action from audit_logs where resource_id = ${id} order by id`,
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'message.create',
      'message.enclose',
      'message.enclosure_change',
      'message.enclosure_remove',
    ]);
  });

  test('whose words were changed in the database is shown without them, and its file with an ending all the same', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    const [made, other] = [await enclosed(owner, id, picture, 'mine'), await enclosed(owner, id, voice, 'ours')];
    await world.database.db.execute(sql`
      update message_enclosures one set caption = other.caption, file_name = other.file_name
      from message_enclosures other where one.id = ${made.id} and other.id = ${other.id}`);
    expect((await listed(owner, id)).enclosures[0]).toEqual({ ...made, caption: '', name: 'picture.png' });
  });

  test('is sealed, words and bytes', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    await enclosed(owner, id, { name: 'Tom in Whitby.wav', content: voices.wav }, 'On the pier');
    const { rows } = await world.database.db.execute<{ words: string; path: string }>(
      sql`select caption || transcript || file_name as words, file_path as path from message_enclosures where message_id = ${id}`,
    );
    expect(rows[0]?.words).not.toMatch(/pier|Whitby/);
    expect(world.store.files.get(rows[0]?.path ?? '')?.includes('WAVEfmt')).toBe(false);
  });
});

describe('beside words that a browser has sealed', () => {
  const put = (owner: FileOwner, id: string, file: FormFile, fields: Record<string, string> = asForm) =>
    owner.upload({ fields, file }, ['PUT', `/api/messages/${id}/with-attachment`]);
  test('lies nothing that we could read: no picture, no voice, no file', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    await enclosed(owner, id, picture);
    const refused = await owner.browser.send('PUT', `/api/messages/${id}`, { body: sealedLetter });
    expect(refusedWith(refused)).toEqual([409, 'CONFLICT']);
    const other = await write(owner, { content: '', encryptedContent: sealedWords });
    const before = await world.kept();
    expect(refusedWith(await enclose(owner, other, picture))).toEqual([409, 'CONFLICT']);
    expect(refusedWith(await put(owner, other, picture))).toEqual([409, 'CONFLICT']);
    expect(await world.kept()).toEqual(before);
    expect((await listed(owner, id)).enclosures).toHaveLength(1);
  });

  test('what lay in the envelope goes as the sealed file takes its place, in one step, and nothing of it is left', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    await enclosed(owner, id, picture);
    await enclosed(owner, id, voice);
    const sealed = await put(owner, id, envelope);
    expect(sealed.statusCode, sealed.body).toBe(200);
    expect(sealed.json()).toMatchObject({ enclosures: [], attachmentOriginalName: 'envelope.sealed' });
    const { objects, files } = await world.kept();
    expect(files, 'files of nothing').toBe(objects);
    const file = await owner.browser.send('GET', `/api/messages/${id}/attachment`);
    expect([file.headers['content-type'], file.rawPayload.equals(envelope.content)]).toEqual([
      'application/octet-stream',
      true,
    ]);
    expect(file.headers['content-disposition']).toMatch(/^attachment/);
    expect(await bytesUsed(owner)).toBe(0.1);
  });

  test('the sealed file stays while the words change under their seal, and goes with it', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    await put(owner, id, envelope);
    const other = { ...sealedLetter, encryptedContent: { ...sealedWords, ciphertext: 'B'.repeat(64) } };
    const changed = await owner.browser.send('PUT', `/api/messages/${id}`, { body: other });
    expect([changed.statusCode, changed.json().hasAttachment]).toEqual([200, true]);
    const bare = await owner.browser.send('PUT', `/api/messages/${id}`, { body: letter });
    expect(refusedWith(bare)).toEqual([409, 'CONFLICT']);
    const cleared = await owner.browser.send('PUT', `/api/messages/${id}`, {
      body: { ...letter, hasAttachment: false },
    });
    expect([cleared.statusCode, cleared.json().hasAttachment]).toEqual([200, false]);
    expect((await enclose(owner, id, picture)).statusCode).toBe(201);
  });

  test('words that open another file than the one that is there change nothing', async () => {
    const owner = await world.newOwner();
    const id = await write(owner);
    await put(owner, id, envelope);
    // Another page has sealed what lies in it anew.
    await put(owner, id, { ...envelope, name: 'envelope-2.sealed' });
    const change = (sealedFile: string) =>
      owner.browser.send('PUT', `/api/messages/${id}`, { body: { ...sealedLetter, category: 'legal', sealedFile } });
    const before = await listed(owner, id);
    const refused = await change(envelope.name);
    expect(refusedWith(refused)).toEqual([409, 'CONFLICT']);
    expect(refused.json().message).toContain('were changed on another page');
    expect(await listed(owner, id)).toEqual(before);
    expect((await change('envelope-2.sealed')).json()).toMatchObject({ category: 'legal', hasAttachment: true });
    const cleared = { ...sealedLetter, hasAttachment: false };
    expect((await owner.browser.send('PUT', `/api/messages/${id}`, { body: cleared })).statusCode).toBe(200);
    expect(refusedWith(await change('envelope-2.sealed'))).toEqual([409, 'CONFLICT']);
  });

  test('a sealed file is taken beside sealed words alone, and where it begins as one', async () => {
    const owner = await world.newOwner();
    const before = await world.kept();
    const create = (file: FormFile, fields: Record<string, string> = asForm) =>
      owner.upload({ fields, file }, ['POST', '/api/messages/with-attachment']);
    expect(refusedWith(await create(envelope, letter))).toEqual([409, 'CONFLICT']);
    for (const content of ['EKSEAL', 'EKSEAL2\n and more', '<!doctype html><script>', '%PDF-1.7'])
      expect(refusedWith(await create({ name: envelope.name, content: Buffer.from(content) }))).toEqual([
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ]);
    const fields = { title: 'A document', category: 'other' };
    const document = await owner.upload({ fields, file: envelope }, ['POST', '/api/documents']);
    expect(document.statusCode).toBe(415);
    expect(await world.kept()).toEqual(before);
  });
});

describe('the envelope of a letter whose passphrase is taken off', () => {
  const staging = randomUUID();
  const stage = (owner: FileOwner, id: string, file: FormFile, fields: Record<string, string> = {}) =>
    enclose(owner, id, file, { staging, ...fields });
  async function staged(owner: FileOwner, id: string, file: FormFile, fields: Record<string, string> = {}) {
    const answer = await stage(owner, id, file, fields);
    expect(answer.statusCode, answer.body).toBe(201);
    return answer.json<Enclosure>();
  }
  async function sealed(owner: FileOwner): Promise<string> {
    const id = await write(owner);
    const put = await owner.upload({ fields: asForm, file: envelope }, ['PUT', `/api/messages/${id}/with-attachment`]);
    expect(put.statusCode, put.body).toBe(200);
    return id;
  }
  const unseal = (owner: FileOwner, id: string, ids: readonly string[], sealedFile = envelope.name) =>
    owner.browser.send('PUT', `/api/messages/${id}`, {
      body: { ...letter, hasAttachment: false, sealedFile, staged: ids },
    });

  test('is put in first and lies in no letter, until the words take it in, in their order', async () => {
    const owner = await world.newOwner('premium');
    const id = await sealed(owner);
    const first = await staged(owner, id, picture, { caption: 'The lemon tree' });
    const other = await staged(owner, id, voice);
    const beside = owner.upload({ fields: {}, file: picture }, ['POST', `${placeOf(id, first.id)}/original`]);
    expect((await beside).statusCode).toBe(201);
    const written = { transcript: 'Sleep well.', afterParagraph: 1 };
    expect((await owner.browser.send('PUT', placeOf(id, other.id), { body: written })).statusCode).toBe(200);

    expect(await listed(owner, id)).toMatchObject({ enclosures: [], attachmentOriginalName: envelope.name });
    const exported = await owner.browser.send('GET', '/api/profile/export?format=json');
    expect(exported.body).not.toContain('lemon tree');

    const answer = await unseal(owner, id, [other.id, first.id]);
    expect(answer.statusCode, answer.body).toBe(200);
    const shown = [
      { id: other.id, position: 1, ...written },
      { id: first.id, position: 2, caption: 'The lemon tree', original: { name: picture.name } },
    ];
    expect(answer.json()).toMatchObject({ content: letter.content, hasAttachment: false, enclosures: shown });
    expect((await listed(owner, id)).enclosures).toMatchObject(shown);
    const { objects, files } = await world.kept();
    expect(files, 'files of nothing').toBe(objects);

    // Its answer was lost, and it comes once more.
    expect((await unseal(owner, id, [other.id, first.id])).json().enclosures).toMatchObject(shown);
    expect(refusedWith(await stage(owner, id, picture))).toEqual([409, 'CONFLICT']);
  });

  test('is not lost with the page that takes it off: the sealed file stays, and what was put in goes', async () => {
    const owner = await world.newOwner();
    const id = await sealed(owner);
    const before = await listed(owner, id);
    const left = await staged(owner, id, picture, { staging: randomUUID() });
    expect((await listed(owner, id)).attachmentOriginalName).toBe(envelope.name);
    const file = await owner.browser.send('GET', `/api/messages/${id}/attachment`);
    expect(file.rawPayload.equals(envelope.content)).toBe(true);

    // Another page takes it off, later: what the first one left is none of its letter.
    const made = await staged(owner, id, voice);
    const missing = await unseal(owner, id, [made.id, randomUUID()]);
    expect(refusedWith(missing)).toEqual([409, 'CONFLICT']);
    expect(refusedWith(await unseal(owner, id, [made.id], 'another.sealed'))).toEqual([409, 'CONFLICT']);
    expect((await listed(owner, id)).encryptedContent).toEqual(before.encryptedContent);
    const answer = await unseal(owner, id, [made.id]);
    expect(answer.json<Message>().enclosures.map((each) => each.id)).toEqual([made.id]);
    expect((await fetchOne(owner, id, left.id)).statusCode).toBe(404);
    const { objects, files } = await world.kept();
    expect(files, 'files of nothing').toBe(objects);
  });

  test('that was put in and never taken in is thrown away after a day, and with its letter', async () => {
    const owner = await world.newOwner();
    const id = await sealed(owner);
    const [old, young] = [await staged(owner, id, picture), await staged(owner, id, voice)];
    const { db } = world.database;
    await db.execute(sql`update message_enclosures set created_at = '2020-02-29T12:00:00Z' where id = ${old.id}`);
    const longAgo = new Date('2020-02-28T12:00:00Z');
    const others = {
      security: longAgo,
      payments: longAgo,
      mails: longAgo,
      texts: longAgo,
      newsStopped: longAgo,
      complaints: longAgo,
    };
    const limits = { ...others, deleted: longAgo, now: longAgo };
    expect(await expiring.staged_enclosures(db, { ...limits, staged: longAgo }, 10)).toBe(0);
    expect(await expiring.staged_enclosures(db, { ...limits, staged: new Date('2020-03-01T12:00:00Z') }, 10)).toBe(1);
    expect((await fetchOne(owner, id, young.id)).statusCode).toBe(200);
    await owner.browser.send('DELETE', `/api/messages/${id}`);
    const restored = await owner.browser.send('POST', `/api/recently-deleted/message/${id}/restore`);
    expect(restored.statusCode, restored.body).toBeLessThan(300);
    expect((await listed(owner, id)).enclosures).toEqual([]);
    const { rows } = await db.execute(sql`select id from message_enclosures where user_id = ${owner.userId}`);
    expect(rows).toEqual([]);
  });

  test('holds as much as any letter may, and needs no room beside the sealed file that it comes from', async () => {
    const owner = await world.newOwner();
    const id = await sealed(owner);
    const { db } = world.database;
    await staged(owner, id, picture, { staging: randomUUID() });
    for (let count = 0; count < enclosuresMax.picture; count += 1) await staged(owner, id, picture);
    expect(refusedWith(await stage(owner, id, picture))).toEqual([409, 'CONFLICT']);
    await db.execute(sql`update messages set attachment_size = 5000000000 where id = ${id}`);
    await staged(owner, id, voice);
    const { rows } = await db.execute<{ id: string }>(
      sql`update message_enclosures set file_size = 5000000000 where message_id = ${id} returning id`,
    );
    expect(rows, 'of one page alone').toHaveLength(enclosuresMax.picture + 1);
    await owner.browser.send('DELETE', placeOf(id, rows[0]?.id ?? ''));
    expect(refusedWith(await stage(owner, id, picture))).toEqual([403, 'STORAGE_LIMIT_EXCEEDED']);
  });
});

describe('plans', () => {
  test('without attachments say what to do, before anything is stored', async () => {
    const free = await world.newOwner('free');
    const id = await write(free);
    const before = await world.kept();
    const answer = await enclose(free, id, voice);
    expect([answer.statusCode, answer.json()]).toEqual([
      403,
      {
        message:
          'Pictures and voice are available with Essential, Premium and Lifetime plans. Upgrade to put them into your letters.',
        type: 'FEATURE_NOT_IN_PLAN',
        upgradeRequired: true,
      },
    ]);
    expect(await world.kept()).toEqual(before);
  });

  test('that are full take no more', async () => {
    const owner = await world.newOwner('essential');
    const id = await write(owner);
    const made = await enclosed(owner, id, picture);
    await world.database.db.execute(sql`update message_enclosures set file_size = 500000000 where id = ${made.id}`);
    expect((await enclose(owner, id, voice)).json().type).toBe('STORAGE_LIMIT_EXCEEDED');
  });
});

describe('a file that is neither a picture nor a voice is refused in a plain sentence, and nothing of it is left', () => {
  let owner: FileOwner;
  let id: string;
  let before: Awaited<ReturnType<FilesWorld['kept']>>;
  beforeAll(async () => {
    owner = await world.newOwner();
    id = await write(owner);
  });
  beforeEach(async () => {
    before = await world.kept();
  });

  const html = '<!doctype html><script>alert(1)</script>';
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
  const exe = Buffer.concat([Buffer.from('MZ\x90\0\x03\0\0\0'), Buffer.alloc(500)]);
  const zip = wordPackage({}, false);
  const head = (content: Buffer, bytes: number) => content.subarray(0, bytes);
  const behind = (first: string | Buffer, content: Buffer) => Buffer.concat([Buffer.from(first), content]);
  const ogg = (stream: string) => behind(head(voices.ogg, 26), Buffer.from(`\x01\x13${stream}`, 'latin1'));
  const riff = (form: string) => Buffer.from(`RIFF\xf4\x01\0\0${form}xxxxxxxxxxxxxxxx`, 'latin1');

  const wrong: [what: string, file: FormFile][] = [
    ['a document', { name: 'a.pdf', content: samples.pdf }],
    ['a text', { name: 'a.txt', content: samples.txt }],
    ['a video by its name', { name: 'a.mp4', content: samples.mp4 }],
    ['a video of a camera', { name: 'a.mov', content: samples.mov }],
    ['a drawing', { name: 'a.svg', content: svg }],
    ['a web page', { name: 'a.html', content: html }],
    ['a program', { name: 'a.exe', content: exe }],
    ['a photograph as telephones keep it', { name: 'a.heic', content: samples.mp4 }],
    ['no ending', { name: 'voice', content: voices.mp3 }],
    ['a property of every object', { name: 'x.constructor', content: voices.mp3 }],
    ['the prototype of every object', { name: 'x.__proto__', content: voices.mp3 }],
    ['a double ending', { name: 'a.mp3.exe', content: voices.mp3 }],
    ['an ending behind a space', { name: 'a.mp3 .html', content: voices.mp3 }],
    ['an ending after a NUL', { name: 'a.mp3\0.html', content: voices.mp3 }],
    ['an ending turned round', { name: 'a\u202E3pm.exe', content: voices.mp3 }],
    ['a web page called voice', { name: 'a.mp3', content: html }],
    ['a web page called recording', { name: 'a.webm', content: html }],
    ['a web page called picture', { name: 'a.webp', content: html }],
    ['a drawing called picture', { name: 'a.png', content: svg }],
    ['a program called voice', { name: 'a.wav', content: exe }],
    ['an archive called voice', { name: 'a.m4a', content: zip }],
    ['a PDF called voice', { name: 'a.ogg', content: samples.pdf }],
    ['a picture called voice', { name: 'a.mp3', content: samples.png }],
    ['a voice called picture', { name: 'a.png', content: voices.mp3 }],
    ['a WAV called WebP', { name: 'a.webp', content: voices.wav }],
    ['a WebP called WAV', { name: 'a.wav', content: webp }],
    ['another form of the same container', { name: 'a.wav', content: riff('AVI LIST') }],
    ['a QuickTime video called M4A', { name: 'a.m4a', content: samples.mov }],
    ['an Ogg video called voice', { name: 'a.ogg', content: ogg('\x80theora') }],
    ['an Ogg of nothing that is known', { name: 'a.opus', content: ogg('Nothing ') }],
    ['a WebM video', { name: 'a.webm', content: webmOf('V_VP8') }],
    ['a WebM video of another codec', { name: 'a.webm', content: webmOf('V_AV1') }],
    ['a Matroska film called WebM', { name: 'a.webm', content: behind(head(voices.webm, 4), Buffer.alloc(300)) }],
    ['a voice behind a web page', { name: 'a.mp3', content: behind(html, voices.mp3) }],
    ['a picture behind a web page', { name: 'a.png', content: behind(html, samples.png) }],
    ['a voice behind a PDF', { name: 'a.wav', content: behind(samples.pdf, voices.wav) }],
    ['the first letters of a WAV', { name: 'a.wav', content: head(voices.wav, 8) }],
    ['the first letters of an Ogg', { name: 'a.ogg', content: head(voices.ogg, 4) }],
    ['the first bytes of a picture', { name: 'a.png', content: head(samples.png, 5) }],
    ['white space', { name: 'a.mp3', content: ' \n\t '.repeat(200) }],
    ['zeros', { name: 'a.mp3', content: Buffer.alloc(5_000) }],
  ];

  test.each(wrong)('%s', async (_what, file) => {
    const answer = await enclose(owner, id, file);
    const { message, type } = errorBodySchema.parse(answer.json());
    expect([answer.statusCode, type], message).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(message).toMatch(/^[A-Z][^<>{}\\]{10,300}[.:]?$/);
    expect(await world.kept()).toEqual(before);
  });

  test.each([
    ['a PNG that breaks off', samples.png.subarray(0, -5)],
    ['a PNG with bytes after its end', Buffer.concat([samples.png, Buffer.from('more')])],
    ['a PNG with a chunk longer than the file', behind(samples.png.subarray(0, 33), Buffer.from('fffffff4', 'hex'))],
  ])('%s', async (_what, content) => {
    const answer = await enclose(owner, id, { name: 'a.png', content });
    expect([answer.statusCode, answer.json().message]).toEqual([
      400,
      'This picture is incomplete or damaged, so we kept nothing of it. Save it again, or choose another one.',
    ]);
    expect(await world.kept()).toEqual(before);
  });

  test('and so is one without bytes, and a form without one', async () => {
    for (const given of [{ file: { name: 'a.mp3', content: '' } }, {}]) {
      const answer = await owner.upload(given, ['POST', `/api/messages/${id}/enclosures`]);
      expect([answer.statusCode, answer.json().type]).toEqual([400, 'VALIDATION']);
    }
    expect(await world.kept()).toEqual(before);
  });

  test.each([
    ['a picture', 'a.png', samples.png, 'picture'],
    ['a recording', 'a.wav', voices.wav, 'voice'],
  ] as const)('and so is %s that is too large', async (_what, name, start, kind) => {
    const most = enclosureBytesMax[kind];
    const content = Buffer.concat([start, Buffer.alloc(most - start.length + 1)]);
    const answer = await enclose(owner, id, { name, content });
    const called = kind === 'voice' ? 'recording' : 'picture';
    expect([answer.statusCode, answer.json().message]).toEqual([
      413,
      `File too large: Please select a ${called} smaller than ${most / 1_000_000}MB.`,
    ]);
    expect(await world.kept()).toEqual(before);
  });

  test('words that are too long, or of two kinds, are refused and nothing is changed', async () => {
    const made = await enclosed(owner, id, picture, 'The pond');
    for (const body of [
      { caption: 'x'.repeat(301) },
      { transcript: 'x'.repeat(30_001) },
      { position: 0 },
      { position: 1.5 },
      { afterParagraph: -1 },
      { caption: 'a\0b' },
    ]) {
      const answer = await owner.browser.send('PUT', placeOf(id, made.id), { body });
      expect([answer.statusCode, answer.json().type]).toEqual([400, 'VALIDATION']);
    }
    expect((await listed(owner, id)).enclosures).toEqual([made]);
    await owner.browser.send('DELETE', placeOf(id, made.id));
  });
});
