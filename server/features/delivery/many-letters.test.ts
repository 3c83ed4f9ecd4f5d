import { randomUUID } from 'node:crypto';
import { eq, inArray } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '#server/app.ts';
import { sealWords } from '#server/features/messages/messages.sealing.ts';
import type { Vault, Vaults } from '#server/platform/crypto/vault.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';
import { lettersOfReaderShownMax } from '#shared/contract/letters/delivery.ts';
import { createDeliveryWorld, tokenIn } from './delivery.test-world.ts';
import { openedLinksOf, readLetterOfPerson } from './read-letter.ts';
import { listSentLetters, readSentFacts } from './sent-letters.ts';
import { listUnreached } from './unreached.ts';

const many = 2_000;
const reader = { name: null, email: 'nell@a.example' };

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
let requestId: string;
let token: string;
let ids: string[];

/** One person has got 2,000 letters of one release. */
beforeAll(async () => {
  world = await createDeliveryWorld();
  const { db, ownerId, vault, clock } = world;
  ids = Array.from({ length: many }, () => randomUUID());
  const createdAt = await clock.now();
  const rows = ids.map((id, index) => {
    const words = sealWords(vault, id, { title: `Letter ${index + 1}`, content: 'Dear Nell' });
    return { ...words, id, userId: ownerId, position: index + 1, status: 'ready' as const, createdAt };
  });
  const recipients = ids.map((messageId) => ({ id: randomUUID(), messageId, position: 1, person: reader.email }));
  await db.insert(messages).values(rows);
  await db.insert(messageRecipients).values(recipients);
  requestId = await world.newRequest();
  await world.release(
    requestId,
    recipients.map(({ id, messageId }) => ({ messageId, recipientId: id, ...reader })),
  );
  const mail = world.post.waiting('delivery.letter', reader.email);
  await world.end(mail, 'accepted');
  token = tokenIn(mail);
});
afterAll(() => world.close());

/** Counts statements and opened values. */
async function costs(step: (app: App) => Promise<unknown>) {
  const counts = { statements: 0, opened: 0 };
  const logQuery = () => {
    counts.statements += 1;
  };
  const { vaults } = world.app;
  const openWhenNeeded: Vaults['openWhenNeeded'] = (...given) => {
    const vault = vaults.openWhenNeeded(...given);
    const unseal: Vault['unseal'] = (...place) => {
      counts.opened += 1;
      return vault.unseal(...place);
    };
    return { ...vault, unseal };
  };
  const db = drizzle({ client: world.pool, logger: { logQuery } });
  await step({ ...world.app, db, vaults: { ...vaults, openWhenNeeded } } as App);
  return counts;
}

describe('2,000 letters of a release', () => {
  test('are counted for their owner by one statement, and fifty are shown by opening those alone', async () => {
    const facts = { letters: many, delivered: many, opened: 0, pending: 0 };
    expect(await readSentFacts(world.db, requestId)).toMatchObject(facts);
    const page = { requestId, from: 50, limit: 50, at: new Date() };
    const listed = await listSentLetters(world.app, world.db, page);
    expect(new Set(listed.map(({ messageId }) => messageId)).size).toBe(50);
    // A title, a name and an address each.
    const opened = 3 * page.limit;
    expect(await costs((app) => listSentLetters(app, app.db, page))).toEqual({ statements: 5, opened });
  });

  test('have pages for their reader that open fifty, and lead to every one', async () => {
    const first = await readLetterOfPerson(world.app, token);
    expect(first.all).toEqual({ letters: many, opened: 0 });
    const seen = new Set<number>();
    for (let at = first; ; ) {
      expect(at.letters).toHaveLength(lettersOfReaderShownMax);
      for (const { position } of at.letters) seen.add(position);
      const last = at.letters.at(-1);
      if (!last || last.position === many) break;
      at = await readLetterOfPerson(world.app, last.token);
      expect(at.title).toBe(`Letter ${last.position}`);
    }
    expect(seen.size).toBe(many);
    // The letter itself has two words, with the name and address of its reader. A listed one has a title and an address.
    const opened = 4 + 2 * lettersOfReaderShownMax;
    expect(await costs((app) => readLetterOfPerson(app, token))).toMatchObject({ opened });
  });

  test('are looked up once for a copy of those that were opened', async () => {
    const few = ids.slice(0, 3);
    await world.db
      .update(messageDeliveries)
      .set({ accessedAt: new Date() })
      .where(inArray(messageDeliveries.messageId, few));
    expect(await openedLinksOf(world.app, token)).toHaveLength(3);
    expect(await costs((app) => openedLinksOf(app, token))).toMatchObject({ opened: 3 });
  });

  test('are read and opened for contacts only if they did not arrive', async () => {
    const [id] = ids.slice(-1);
    const isLast = eq(messageDeliveries.messageId, id ?? '');
    await world.db.update(messageDeliveries).set({ status: 'bounced', endedAt: new Date() }).where(isLast);
    expect(await world.deliveries.unreached(requestId)).toMatchObject([{ messageId: id, address: reader.email }]);
    const of = { userId: world.ownerId, requestId };
    expect(await costs((app) => listUnreached(app, app.db, of))).toEqual({ statements: 2, opened: 3 });
  });
});
