import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createFilesWorld,
  type FileOwner,
  type FilesWorld,
} from '#server/features/documents/vault-files.test-world.ts';
import { exportKeyHeader } from '#shared/contract/export.ts';
import { samples } from '#tests/support/forms.ts';
import { extractWithSevenZip } from '#tests/support/seven-zip.ts';
import { ask, newFullOwner } from './export.test-world.ts';
import { importFile } from './import.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

const letter = { title: 'Late', content: 'Written late.', recipientEmail: 'nell@family.example', status: 'draft' };

/** Saves a letter with a text file as its attachment; in the place of `id` where there is one. */
async function save(owner: FileOwner, name: string, id?: string): Promise<void> {
  const given = { fields: { ...letter, title: name }, file: { name, content: samples.txt } };
  const url = id === undefined ? '/api/messages/with-attachment' : `/api/messages/${id}/with-attachment`;
  const answer = await owner.upload(given, [id === undefined ? 'POST' : 'PUT', url]);
  expect([200, 201]).toContain(answer.statusCode);
}

type Place = { name: string; file?: string; problem?: string };
type Data = { messages: { id: string; attachment: Place | null }[]; documents: { file: Place }[] };

/** An archive, while whose files are read something else happens: once for each time that one is opened. */
async function archiveWhile(owner: FileOwner, act: (opened: number) => Promise<void>) {
  const { read } = world.store;
  const seen = new Set<string>();
  world.store.read = async (key, range) => {
    if (!seen.has(key)) await act(seen.add(key).size);
    return read(key, range);
  };
  const answer = await ask(owner).finally(() => {
    world.store.read = read;
  });
  const { files } = await extractWithSevenZip(answer.rawPayload, String(answer.headers[exportKeyHeader]));
  const data: Data = JSON.parse(String(files.get('vault.json')));
  return { files, data, page: String(files.get('index.html')), answer };
}

test('what is added or replaced while an archive is made is in it with its file, and has a name of its own', async () => {
  const owner = await newFullOwner(world, 'premium');
  const { messages } = (await ask(owner, { format: 'json', includeDocuments: false })).json();
  const { files, data, page, answer } = await archiveWhile(owner, async (opened) => {
    if (opened !== 1) return;
    await save(owner, 'late.txt');
    await save(owner, 'a map.txt', messages[0].id);
    await owner.upload({
      fields: { name: 'Will', category: 'legal' },
      file: { name: 'deed.txt', content: samples.txt },
    });
  });
  const places = [...data.messages.map(({ attachment }) => attachment), ...data.documents.map(({ file }) => file)];
  const held = places.flatMap((place) => place ?? []);
  expect(held.map(({ name, problem }) => [name, problem])).toEqual([
    ['a map.txt', undefined],
    ['late.txt', undefined],
    ['deed.txt', undefined],
    ['deed.txt', undefined],
  ]);
  expect(new Set(held.map(({ file }) => file)).size).toBe(held.length);
  for (const { file = '' } of held) {
    expect(files.get(file)?.equals(samples.txt)).toBe(true);
    expect(page).toContain(`href="${encodeURIComponent(file)}"`);
  }
  const other = await world.newOwner('premium');
  const key = String(answer.headers[exportKeyHeader]);
  const content = Readable.from([answer.rawPayload], { objectMode: false });
  expect(await importFile(world.opened, { email: other.email, content }, { key })).toMatchObject({
    messages: 3,
    documents: 2,
    withoutFile: 0,
  });
});

test('an archive ends although its owner goes on adding, and says which file came too late', async () => {
  const owner = await newFullOwner(world, 'premium');
  const { files, data, page } = await archiveWhile(owner, (opened) => save(owner, `late-${opened}.txt`));
  const attachments = data.messages.flatMap(({ attachment }) => attachment ?? []);
  const late = attachments.filter(({ problem }) => problem !== undefined);
  expect(late.length).toBeGreaterThan(0);
  for (const place of attachments) {
    if (place.file) expect(files.get(place.file)).toBeDefined();
    else expect(place.problem).toBe('missing');
  }
  for (const { name } of late) {
    expect(page).toContain(`${name}, which was added while this export was made and is not in it`);
  }
});
