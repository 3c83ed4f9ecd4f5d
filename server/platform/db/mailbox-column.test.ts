import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mailboxOf, personOf } from '#shared/rules/addresses/mailboxes.ts';
import { createTestDatabase } from '#tests/support/database.ts';
import { isSamePersonIn, mailboxColumn, personColumn } from './mailbox-column.ts';

const addresses = [
  'ann@mail.example',
  'ann+legacy@mail.example',
  'ann+a+b@mail.example',
  'a.nn@mail.example',
  'fred.smith@googlemail.com',
  'fred.smith+x@gmail.com',
  'fred.smith@gmail.com.example',
  '+ann@mail.example',
  '+a.nn@gmail.com',
  'o’brien+ü@müller.example',
];

test('a mailbox and a person in SQL are those of the rules', async () => {
  const { db, close } = await createTestDatabase();
  const values = sql.join(
    addresses.map((address) => sql`(${address}::text)`),
    sql`, `,
  );
  const { rows } = await db.execute(
    sql`select email, ${mailboxColumn(sql.raw('email'))} as mailbox, ${personColumn(sql.raw('email'))} as person
      from (values ${values}) given (email)`,
  );
  expect(rows).toEqual(addresses.map((email) => ({ email, mailbox: mailboxOf(email), person: personOf(email) })));
  await close();
});

test.each([
  ['fred.smith@googlemail.com', ['fred.smith@googlemail.com', 'fred.smith+x@gmail.com']],
  [' Ann@Mail.example', ['ann@mail.example']],
  ['ann+legacy@mail.example', ['ann+legacy@mail.example']],
  ['ann+other@mail.example', []],
])('%s is certain to be the person of %j', async (address, people) => {
  const { db, close } = await createTestDatabase();
  const values = sql.join(
    addresses.map((each) => sql`(${each}::text)`),
    sql`, `,
  );
  const isSame = isSamePersonIn(sql.raw('email'), address);
  const { rows } = await db.execute(sql`select email from (values ${values}) given (email) where ${isSame}`);
  expect(rows.map(({ email }) => email)).toEqual(people);
  await close();
});

test.each(['users', 'trusted_contacts'])('a question to %s by mailbox is answered by an index', async (table) => {
  const { db, close } = await createTestDatabase();
  const plan = await db.transaction(async (tx) => {
    await tx.execute(sql`set local enable_seqscan = off`);
    const email = sql.raw(`${table}.email`);
    const { rows } = await tx.execute(
      sql`explain select 1 from ${sql.raw(table)} where ${mailboxColumn(email)} = ${'ann@gmail.com'}`,
    );
    return JSON.stringify(rows);
  });
  expect(plan).toContain(`${table}_mailbox_index`);
  await close();
});
