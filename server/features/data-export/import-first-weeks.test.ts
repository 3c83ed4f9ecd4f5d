import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createFilesWorld,
  type FileOwner,
  type FilesWorld,
} from '#server/features/documents/vault-files.test-world.ts';
import type { FirstWeeks } from '#shared/contract/vault/first-weeks.ts';
import { ask } from './export.test-world.ts';
import { sendImport } from './import.test-world.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

const notes = { nation: 'northern-ireland', will: 'In the safe <b>', bank: 'The building society\nin the High Street' };
const save = (owner: FileOwner, body: object) => owner.browser.send('PUT', '/api/first-weeks', { body });
const read = async (owner: FileOwner) => (await owner.browser.send('GET', '/api/first-weeks')).json<FirstWeeks>();

test('notes for the first weeks go from one vault to another, and replace no notes', async () => {
  const [from, to, noted] = [await world.newOwner(), await world.newOwner(), await world.newOwner()];
  await save(from, notes);
  const text = (await ask(from, { format: 'json' })).body;
  expect(JSON.parse(text).firstWeeks).toMatchObject([notes]);

  const preview = await sendImport(world, to, text, { preview: true });
  expect(preview.json()).toMatchObject({ isPreview: true, firstWeeks: 1, alreadyThere: 0 });
  expect(await read(to)).toMatchObject({ will: null });
  expect((await sendImport(world, to, text)).json()).toMatchObject({ firstWeeks: 1, alreadyThere: 0 });
  expect(await read(to)).toMatchObject(notes);
  expect((await sendImport(world, to, text)).json()).toMatchObject({ firstWeeks: 0, alreadyThere: 1 });

  await save(noted, { will: 'In the drawer' });
  expect((await sendImport(world, noted, text)).json()).toMatchObject({ firstWeeks: 0, alreadyThere: 1 });
  expect(await read(noted)).toMatchObject({ will: 'In the drawer', bank: null });
});

test('an export from before the notes is imported as it was', async () => {
  const [from, to] = [await world.newOwner(), await world.newOwner()];
  const { firstWeeks: _, ...older } = (await ask(from, { format: 'json' })).json();
  expect((await sendImport(world, to, JSON.stringify(older))).json()).toMatchObject({ firstWeeks: 0 });
});

test('an import never chooses a contact for the page', async () => {
  const [from, to] = [await world.newOwner(), await world.newOwner()];
  const body = { name: 'Priya Shah', email: 'priya@friends.example', seesFirstWeeks: true };
  expect((await from.browser.send('POST', '/api/trusted-contacts', { body })).json()).toMatchObject({
    seesFirstWeeks: true,
  });
  await sendImport(world, to, (await ask(from, { format: 'json' })).body);
  expect((await to.browser.send('GET', '/api/trusted-contacts')).json()).toMatchObject([
    { name: 'Priya Shah', seesFirstWeeks: false },
  ]);
});
