import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Vault, Vaults } from '#server/platform/crypto/vault.ts';
import { writeMessage } from '../messages.test-world.ts';
import { deleteMessage } from '../messages.ts';
import { createVaultWorld, nowhere, type VaultWorld } from '../vault.test-world.ts';
import { listedAtOnce, listWholeMessages } from './whole-list.ts';

let world: VaultWorld;

beforeAll(async () => {
  world = await createVaultWorld();
});

afterAll(() => world.close());

/** Counts the texts that a list opens, by the id of their letter. */
function countingVaults() {
  const opened = new Map<string, number>();
  const open: Vaults['open'] = (...given) => {
    const vault = world.vaults.open(...given);
    const unseal: Vault['unseal'] = (place, sealed) => {
      if (place.column === 'content') opened.set(place.rowId, (opened.get(place.rowId) ?? 0) + 1);
      return vault.unseal(place, sealed);
    };
    return { ...vault, unseal };
  };
  return { vaults: { ...world.vaults, open }, opened };
}

async function idsOf(rest: AsyncIterable<{ id: string }> | null): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of rest ?? []) ids.push(id);
  return ids;
}

async function written(letters: number, content: string) {
  const owner = await world.newOwner({ plan: 'premium' });
  const ids: string[] = [];
  for (let letter = 0; letter < letters; letter += 1) {
    ids.unshift((await writeMessage(world.app, owner, { content })).id);
    world.clock.advance(1_000);
  }
  return { owner, ids };
}

test('a list of one letter more than one statement reads opens each text once', async () => {
  const { owner, ids } = await written(listedAtOnce + 1, 'Go to the sea.');
  const { vaults, opened } = countingVaults();
  const { messages: first, rest } = await listWholeMessages({ db: world.db, vaults }, owner);
  expect([first.length, opened.size]).toEqual([listedAtOnce, listedAtOnce]);
  expect([...first.map(({ id }) => id), ...(await idsOf(rest))]).toEqual(ids);
  expect([...opened.values()]).toEqual(ids.map(() => 1));
});

test('the first part of a list with long texts stays within its length, and each text is opened once', async () => {
  const { owner, ids } = await written(5, 'Go to the sea. '.repeat(13_000).trim());
  const { vaults, opened } = countingVaults();
  const { messages: first, rest } = await listWholeMessages({ db: world.db, vaults }, owner);
  expect(first.length).toBeLessThan(5);
  expect(opened.size).toBe(first.length);
  expect([...first.map(({ id }) => id), ...(await idsOf(rest))]).toEqual(ids);
  expect([...opened.values()]).toEqual(ids.map(() => 1));
});

test('a letter written while the list is read changes nothing of it, and a deleted one is left out', async () => {
  const { owner, ids } = await written(listedAtOnce + 2, 'Go to the sea.');
  const { messages: first, rest } = await listWholeMessages(world, owner);
  await writeMessage(world.app, owner);
  const [kept, gone] = [ids.at(-1) ?? '', ids.at(-2) ?? ''];
  await deleteMessage(world.app, { principal: owner, origin: nowhere, params: { id: gone }, query: {} });
  expect(first).toHaveLength(listedAtOnce);
  expect(await idsOf(rest)).toEqual([kept]);
});

test('an owner without letters has an empty list', async () => {
  const { messages: first, rest } = await listWholeMessages(world, await world.newOwner());
  expect([first, rest]).toEqual([[], null]);
});
