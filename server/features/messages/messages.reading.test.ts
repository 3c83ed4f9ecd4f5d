import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Principal } from '#server/features/accounts/principal.ts';
import { messages as table } from '#server/schema/messages.tables.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { refusal } from '#tests/support/refusal.ts';
import { listReadyMessages, readDeliveredMessage, readLettersToSend } from './letters.ts';
import { listWholeMessages } from './list/whole-list.ts';
import { input, markDelivered, writeMessage } from './messages.test-world.ts';
import type { MessageInput } from './messages.writing.ts';
import { countMessages } from './ready-messages.ts';
import { createVaultWorld, type VaultWorld } from './vault.test-world.ts';

let world: VaultWorld;

beforeAll(async () => {
  world = await createVaultWorld();
});

afterAll(() => world.close());

const write = (principal: Principal, change: Partial<MessageInput> = {}) => writeMessage(world.app, principal, change);

const letterOf = (messageId: string) => ({ messageId, recipientId: randomUUID() });

describe('for a release', () => {
  test('only ready messages are given, opened and oldest first', async () => {
    const owner = await world.newOwner({ plan: 'premium' });
    const first = await write(owner, { status: 'ready', title: 'first', visibleToTrustedContact: true });
    world.clock.advance(1_000);
    await write(owner, { status: 'draft' });
    const gone = await write(owner, { status: 'ready', title: 'gone' });
    await markDelivered(world.db, [{ id: gone.id, at: new Date() }]);
    const second = await write(owner, { status: 'ready', title: 'second', recipientEmail: 'tom@example.org' });
    await write(await world.newOwner(), { status: 'ready' });

    expect(await listReadyMessages(world.app, world.db, owner.userId)).toEqual([
      {
        id: first.id,
        title: 'first',
        recipientEmail: 'priya@example.org',
        recipients: [{ name: null, relation: null, email: 'priya@example.org' }],
        visibleToTrustedContact: true,
        isSealed: false,
        deliverOn: null,
        createdAt: first.createdAt,
      },
      {
        id: second.id,
        title: 'second',
        recipientEmail: 'tom@example.org',
        recipients: [{ name: null, relation: null, email: 'tom@example.org' }],
        visibleToTrustedContact: false,
        isSealed: false,
        deliverOn: null,
        createdAt: second.createdAt,
      },
    ]);
    expect(await countMessages(world.db, owner.userId)).toEqual({ all: 4, ready: 2 });
    expect(await countMessages(world.db, randomUUID())).toEqual({ all: 0, ready: 0 });
    expect(await listReadyMessages(world.app, world.db, randomUUID())).toEqual([]);
  });

  test('the recipient’s page gets title, content and date', async () => {
    const owner = await world.newOwner();
    const { id, createdAt } = await write(owner);
    expect(await readDeliveredMessage(world.app, world.db, letterOf(id))).toEqual({
      title: input.title,
      content: input.content,
      encryptedContent: null,
      createdAt,
      attachment: null,
      enclosures: [],
      alsoFor: [],
    });
    expect(await refusal(readDeliveredMessage(world.app, world.db, letterOf(randomUUID())))).toMatchObject({
      status: 404,
    });
  });
});

describe('a stored value in the wrong place', () => {
  test('is refused in three hundred swaps between columns, rows and owners, and never shown', async () => {
    const owners = [await world.newOwner({ plan: 'premium' }), await world.newOwner({ plan: 'premium' })];
    for (const [index, owner] of owners.entries()) {
      for (const title of ['one', 'two', 'three']) {
        await write(owner, { title: `${title} of ${index}`, content: `content ${title}`, status: 'ready' });
      }
    }
    const stored = await world.db.execute<{
      id: string;
      user_id: string;
      title: string;
      content: string;
      person: string;
    }>(
      sql`select m.id, user_id, title, content, person from messages m join message_recipients r on r.message_id = m.id
          where user_id in (${owners[0]?.userId}, ${owners[1]?.userId})`,
    );
    const columns = ['title', 'content', 'person'] as const;
    const cells = stored.rows.flatMap((row) => columns.map((column) => ({ row, column, sealed: row[column] })));
    const swaps = cells.flatMap((to) => cells.filter((from) => from !== to).map((from) => ({ to, from })));
    expect(swaps.length).toBeGreaterThanOrEqual(300);

    for (const { to, from } of swaps.slice(0, 306)) {
      const principal = owners.find(({ userId }) => userId === to.row.user_id);
      if (!principal) throw new Error('A row of nobody.');
      const put = (sealed: string) =>
        world.db.execute(
          to.column === 'person'
            ? sql`update message_recipients set person = ${sealed} where message_id = ${to.row.id}`
            : sql`update messages set ${sql.identifier(to.column)} = ${sealed} where id = ${to.row.id}`,
        );
      await put(from.sealed);
      const damaged = (await listWholeMessages(world.app, principal)).messages.filter(({ isDamaged }) => isDamaged);
      expect(damaged).toMatchObject([{ id: to.row.id, title: damagedTitle, content: '', recipientEmail: '' }]);
      await put(to.sealed);
    }
    for (const principal of owners) expect((await listWholeMessages(world.app, principal)).messages).toHaveLength(3);
  });

  test('is left out of a release and refused on the recipient’s page', async () => {
    const owner = await world.newOwner();
    const { id } = await write(owner, { status: 'ready' });
    await world.db.update(table).set({ title: 'in the clear' }).where(eq(table.id, id));
    expect(await listReadyMessages(world.app, world.db, owner.userId)).toMatchObject([{ id, title: damagedTitle }]);
    expect(await readLettersToSend(world.app, world.db, owner.userId)).toMatchObject({
      whole: [],
      damaged: [{ messageId: id }],
    });
    expect(await readDeliveredMessage(world.app, world.db, letterOf(id))).toMatchObject({
      title: damagedTitle,
      content: '',
      isDamaged: true,
    });
  });
});
