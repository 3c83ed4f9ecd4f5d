import { EventEmitter } from 'node:events';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { FastifyReply } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '#server/app.ts';
import { createVaultWorld, nowhere, type VaultWorld } from '#server/features/messages/vault.test-world.ts';
import type { Principal } from '#server/http/principal.ts';
import type { Vault, Vaults } from '#server/platform/crypto/vault.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { documentSorts, documentsPerPage } from '#shared/rules/documents/document-lists.ts';
import { listDocumentPage, searchDocuments } from './document-pages.ts';
import { storeDocuments } from './documents.test-world.ts';

let world: VaultWorld;
beforeAll(async () => {
  world = await createVaultWorld();
});
afterAll(() => world.close());

type Asked = Partial<Parameters<typeof searchDocuments>[1]['body']>;

function call(principal: Principal) {
  const reply = { raw: new EventEmitter() } as unknown as FastifyReply;
  return { principal, origin: nowhere, reply, request: undefined as never };
}

function search(principal: Principal, asked: Asked, app: App = world.app) {
  const body = { sort: 'newest', category: 'all', from: 0, words: '', ...asked } as const;
  return searchDocuments(app, { ...call(principal), body });
}

const numbered = (count: number) => Array.from({ length: count }, (_, number) => ({ name: `Document ${number}` }));

/** Counts the statements and the values that a page opens. */
function counting() {
  const counts = { statements: 0, opened: 0 };
  const logQuery = () => {
    counts.statements += 1;
  };
  const db = drizzle({ client: world.pool, logger: { logQuery } });
  const open: Vaults['open'] = (...given) => {
    const vault = world.vaults.open(...given);
    const unseal: Vault['unseal'] = (...place) => {
      counts.opened += 1;
      return vault.unseal(...place);
    };
    return { ...vault, unseal };
  };
  return { counts, app: { ...world.app, db, vaults: { ...world.vaults, open } } as App };
}

describe('pages of documents', () => {
  test('come fifty at a time, each document once, in every order', async () => {
    const owner = await world.newOwner({ plan: 'premium' });
    const ids = await storeDocuments(world, owner, numbered(101));
    for (const sort of documentSorts) {
      const seen: string[] = [];
      const orders = new Set<string>();
      for (let next: number | null = 0; next !== null; ) {
        const query = { sort, category: 'all', from: next } as const;
        const page = await listDocumentPage(world.app, { ...call(owner), query });
        expect([page.found, page.all, page.documents.length <= documentsPerPage]).toEqual([101, 101, true]);
        seen.push(...page.documents.map(({ id }) => id));
        orders.add(page.order);
        next = page.next;
      }
      expect([seen.toSorted(), orders.size]).toEqual([ids.toSorted(), 1]);
      if (sort === 'newest') expect(seen).toEqual(ids);
      if (sort === 'oldest') expect(seen).toEqual(ids.toReversed());
    }
  });

  test('are sorted by name as people read numbers, and by size', async () => {
    const owner = await world.newOwner({ plan: 'premium' });
    await storeDocuments(world, owner, [
      { name: 'will 10', sizeBytes: 5 },
      { name: 'Will 2', sizeBytes: 7 },
      { name: 'Émile', sizeBytes: 6 },
    ]);
    const names = async (sort: 'name' | 'largest') => (await search(owner, { sort })).documents.map(({ name }) => name);
    expect(await names('name')).toEqual(['Émile', 'Will 2', 'will 10']);
    expect(await names('largest')).toEqual(['Will 2', 'Émile', 'will 10']);
  });

  test('have another fingerprint once a document was added, and the same until then', async () => {
    const owner = await world.newOwner({ plan: 'premium' });
    await storeDocuments(world, owner, numbered(51));
    const { order } = await search(owner, {});
    expect((await search(owner, { from: documentsPerPage })).order).toBe(order);
    await storeDocuments(world, owner, [{ name: 'New' }]);
    expect((await search(owner, { from: documentsPerPage })).order).not.toBe(order);
  });

  test('show a damaged document without its words, and another owner’s documents never', async () => {
    const [owner, other] = [await world.newOwner({ plan: 'premium' }), await world.newOwner({ plan: 'premium' })];
    const [id = ''] = await storeDocuments(world, owner, [{ name: 'Will' }]);
    await storeDocuments(world, other, [{ name: 'Other' }]);
    await world.db.update(documents).set({ name: 'damaged' }).where(eq(documents.id, id));
    const page = await search(owner, { sort: 'name' });
    expect(page).toMatchObject({ found: 1, all: 1, next: null });
    expect(page.documents).toMatchObject([{ id, name: damagedTitle, isDamaged: true }]);
    expect((await search(owner, { words: 'Other' })).found).toBe(0);
  });

  test('are a single empty page for an owner without documents', async () => {
    expect(await search(await world.newOwner(), {})).toMatchObject({ documents: [], found: 0, all: 0, next: null });
  });
});

describe('a search of documents', () => {
  test('finds words in name, description and file name, in a category', async () => {
    const owner = await world.newOwner({ plan: 'premium' });
    await storeDocuments(world, owner, [
      { name: 'The deed', category: 'property', description: 'Of the HOUSE' },
      { name: 'Funeral', category: 'other', description: 'My instructions' },
    ]);
    for (const [asked, names] of [
      [{ words: 'house' }, ['The deed']],
      [{ words: ' funeral.PDF ' }, ['Funeral']],
      [{ words: 'e' }, ['Funeral', 'The deed']],
      [{ words: '', category: 'instructions' }, ['Funeral']],
      [{ words: 'house', category: 'legal' }, []],
    ] as const) {
      const page = await search(owner, asked);
      expect([asked, page.documents.map(({ name }) => name), page.all]).toEqual([asked, names, 2]);
    }
  });
});

describe('the cost of 2,000 documents', () => {
  test('is two statements and one page of opened words; a search opens each value once, 200 documents a statement', async () => {
    const owner = await world.newOwner({ plan: 'premium' });
    await storeDocuments(world, owner, numbered(2_000));
    const costs = async (asked: Asked) => {
      const { counts, app } = counting();
      const { found } = await search(owner, asked, app);
      return { ...counts, found };
    };
    // A document without a description has two sealed values.
    const page = 2 * documentsPerPage;
    expect(await costs({})).toEqual({ statements: 2, opened: page, found: 2_000 });
    expect(await costs({ sort: 'largest' })).toEqual({ statements: 2, opened: page, found: 2_000 });
    expect(await costs({ sort: 'name' })).toEqual({ statements: 3, opened: 2_000 + page, found: 2_000 });
    expect(await costs({ words: 'document' })).toEqual({ statements: 12, opened: 4_000 + page, found: 2_000 });
  });
});
