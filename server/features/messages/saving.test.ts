import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { messageBody } from '#shared/contract/messages.ts';
import { createMessage, updateMessage } from './messages.ts';
import { createVaultWorld, nowhere, type VaultWorld } from './vault.test-world.ts';

let world: VaultWorld;
beforeAll(async () => {
  world = await createVaultWorld();
});
afterAll(() => world.close());

const input = messageBody.parse({
  title: 'For Nell',
  content: 'The key is under the third pot.',
  recipients: [{ email: 'nell@example.org', name: 'Nell' }, { email: 'sam@example.org' }],
});

/** An owner who saves, with the statements that this took. */
async function saving() {
  const principal = await world.newOwner({ plan: 'premium' });
  const statements: string[] = [];
  const db = drizzle({ client: world.pool, logger: { logQuery: (query) => void statements.push(query.trim()) } });
  const app = { ...world.app, db } as typeof world.app;
  const call = { principal, origin: nowhere };
  const { id, ...first } = await createMessage(app, { ...call, body: input });
  return {
    statements,
    first,
    save: (body = input) => updateMessage(app, { ...call, params: { id }, body }),
    create: () => createMessage(app, { ...call, body: input }),
  };
}

test('a new letter takes eight statements, its recipients and its place included', async () => {
  const { statements, create, first } = await saving();
  statements.length = 0;
  const second = await create();
  expect(statements).toHaveLength(8);
  expect([first.position, second.position]).toEqual([1, 2]);
  expect(second.recipients.map(({ email }) => email)).toEqual(['nell@example.org', 'sam@example.org']);
});

test('a saved letter writes its recipients only if one of them changed', async () => {
  const { statements, save } = await saving();
  const ofRecipients = () =>
    statements.filter((text) => /^(?:insert into|delete from) "?message_recipients/.test(text));
  statements.length = 0;
  await save({ ...input, content: 'It is under the fourth.' });
  expect(ofRecipients()).toEqual([]);
  expect(statements).toHaveLength(12);

  const turned = { ...input, recipients: input.recipients?.toReversed() };
  const { recipients } = await save(turned);
  expect(ofRecipients()).toHaveLength(2);
  expect(recipients.map(({ email }) => email)).toEqual(['sam@example.org', 'nell@example.org']);
});
