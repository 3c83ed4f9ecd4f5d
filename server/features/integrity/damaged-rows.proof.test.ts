import { Readable } from 'node:stream';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, newFullOwner } from '#server/features/data-export/export.test-world.ts';
import { importFile } from '#server/features/data-export/import.ts';
import {
  createFilesWorld,
  type FileOwner,
  type FilesWorld,
} from '#server/features/documents/vault-files.test-world.ts';
import { exportKeyHeader } from '#shared/contract/export.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { samples } from '#tests/support/forms.ts';
import { extractWithSevenZip } from '#tests/support/seven-zip.ts';
import { brokenPlaces, reportsStored } from './integrity.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld({ hasDailyTasks: true });
});
afterAll(() => world.close());

const read = async (owner: FileOwner, url: string) => {
  const answer = await owner.browser.send('GET', url);
  expect([url, answer.statusCode]).toEqual([url, 200]);
  return answer.json();
};

/** Flips one bit of a stored value, and returns the repair. */
async function damage(table: string, column: string, where: ReturnType<typeof sql>): Promise<() => Promise<unknown>> {
  const [at, of] = [sql.identifier(column), sql.identifier(table)];
  // Ids of recipients contain the time.
  const oldest = table === 'message_recipients' ? 'id' : 'created_at';
  const { rows } = await world.database.db.execute<{ id: string; value: string }>(
    sql`select id, ${at} as value from ${of} where ${where} order by ${sql.raw(oldest)} limit 1`,
  );
  const [row] = rows;
  if (!row) throw new Error(`There is no such row in ${table}.`);
  const bytes = Buffer.from(row.value, 'base64url');
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  const put = (value: string) => world.database.db.execute(sql`update ${of} set ${at} = ${value} where id = ${row.id}`);
  await put(bytes.toString('base64url'));
  return () => put(row.value);
}

test('a damaged letter and a damaged name stop neither the portal nor other letters, and both are reported', async () => {
  const owner = await world.newOwner();
  const settings = { releaseMethod: 'trusted_contact', inactivityDays: 90 };
  await owner.browser.send('PUT', '/api/user/release-settings', { body: settings });
  const ada = `ada.${owner.email}`;
  await world.befriend(owner, { name: 'Ada Shah', email: ada });
  const letters = [];
  for (const number of [1, 2, 3]) {
    const body = { title: `Letter ${number}`, content: 'Words.', recipientEmail: `reader-${number}.${owner.email}` };
    const settled = { status: 'ready', visibleToTrustedContact: true };
    letters.push((await owner.browser.send('POST', '/api/messages', { body: { ...body, ...settled } })).json().id);
  }
  const [repairLetter] = [await damage('messages', 'content', sql`id = ${letters[0]}`)];
  await damage('messages', 'title', sql`id = ${letters[1]}`);
  await damage('trusted_contacts', 'name', sql`user_id = ${owner.userId}`);

  await world.live(91);
  const token = world.tokenFor(ada, '/trusted-contact-admin/');
  const portal = await owner.browser.send('GET', `/api/trusted-contact-admin/${token}`);
  expect(portal.json()).toMatchObject({ contact: { name: ada } });
  const titles = portal.json().messages.map(({ title }: { title: string }) => title);
  expect(titles.toSorted()).toEqual(['Letter 1', 'Letter 3', damagedTitle]);

  const body = { confirmed: true, reason: 'I was at the funeral.' };
  const url = `/api/trusted-contact-admin/${token}/confirm-release`;
  expect((await owner.browser.send('POST', url, { body })).statusCode).toBe(200);
  await world.work();
  const to = (address: string) => world.mailer.sent.filter((mail) => mail.to.address === address);
  const readers = [1, 2, 3].map((number) => to(`reader-${number}.${owner.email}`).length);
  expect(readers).toEqual([0, 0, 1]);
  const told = to(ada).filter(({ subject }) => subject.includes('is damaged'));
  expect(told.map(({ text }) => text.includes('2 of the messages'))).toEqual([true]);
  expect(to('operator@everkept.example').some(({ subject }) => subject.includes('no longer matches'))).toBe(true);

  // An operator restores the letter from a backup. It is sent automatically, and once.
  await repairLetter();
  await world.live(3);
  expect([1, 2, 3].map((number) => to(`reader-${number}.${owner.email}`).length)).toEqual([1, 0, 1]);
});

test("a damaged vault key stops neither check-ins nor contacts' answers, and letters leave after the repair", async () => {
  const ada = (owner: FileOwner) => `ada.${owner.email}`;
  const subjectsTo = (address: string) =>
    world.mailer.sent.filter((mail) => mail.to.address === address).map(({ subject }) => subject);
  const newFriend = async () => {
    const owner = await world.newOwner();
    await world.befriend(owner, { name: 'Ada Shah', email: ada(owner) });
    const letter = { title: 'A letter', content: 'Words.', recipientEmail: `reader.${owner.email}`, status: 'ready' };
    await owner.browser.send('POST', '/api/messages', { body: letter });
    return owner;
  };
  /** Done twice, it is undone. */
  const turnBit = ({ userId }: FileOwner) =>
    world.database.db.execute(sql`
      update vault_keys set wrapped_key = set_byte(wrapped_key, 20, get_byte(wrapped_key, 20) # 1)
      where user_id = ${userId}`);
  const [living, gone] = [await newFriend(), await newFriend()];
  await turnBit(living);
  await turnBit(gone);
  await world.live(91);

  const press = `/api/check-in/${world.tokenFor(living.email, '/check-in/')}`;
  expect((await living.browser.send('POST', press)).statusCode).toBe(200);
  const portal = `/api/trusted-contact-admin/${world.tokenFor(ada(gone), '/trusted-contact-admin/')}`;
  const body = { confirmed: true, reason: 'I was at the funeral.' };
  expect((await gone.browser.send('POST', `${portal}/confirm-release`, { body })).statusCode).toBe(200);
  await world.work();
  expect(subjectsTo(ada(living)).at(-1)).toContain('We have heard from');
  expect(subjectsTo(ada(gone)).filter((subject) => subject.includes('is damaged'))).toHaveLength(1);
  expect(subjectsTo(`reader.${gone.email}`)).toEqual([]);

  await turnBit(gone);
  await world.live(3);
  expect(subjectsTo(`reader.${gone.email}`)).toHaveLength(1);
  expect(subjectsTo(`reader.${living.email}`)).toEqual([]);
});

/** Every place in which one row of this owner can be damaged, and the list that shows it. */
const lists = [
  ['messages', 'title', '/api/messages'],
  ['messages', 'content', '/api/messages'],
  ['message_recipients', 'person', '/api/messages'],
  ['messages', 'attachment_original_name', '/api/messages'],
  ['documents', 'name', '/api/documents'],
  ['documents', 'description', '/api/documents'],
  ['documents', 'file_name', '/api/documents'],
  ['trusted_contacts', 'name', '/api/trusted-contacts'],
  ['trusted_contacts', 'phone', '/api/trusted-contacts'],
] as const;

describe('one damaged row', () => {
  let owner: FileOwner;
  let ofOwner: ReturnType<typeof sql>;
  beforeAll(async () => {
    owner = await newFullOwner(world);
    ofOwner = sql`user_id = ${owner.userId}`;
    await owner.upload({
      fields: { category: 'legal', name: 'Will' },
      file: { name: 'will.pdf', content: samples.pdf },
    });
    await world.befriend(owner, { name: 'Ben Okri', email: `ben.${owner.email}`, phone: '07700 900125' });
    await owner.browser.send('PUT', '/api/user/checklists/digital', {
      body: { customItems: [], completedItems: [{ text: 'One', isCompleted: true, changedAtMs: 6 }], resetAtMs: 0 },
    });
  });
  beforeEach(() => world.database.db.execute(sql`delete from integrity_events`));

  test.each(lists)(
    'in %s (%s) is shown without its words, and all others are unchanged',
    async (table, column, url) => {
      const before: { id: string }[] = await read(owner, url);
      expect(before.length).toBeGreaterThan(1);
      const isTheirs =
        table === 'message_recipients' ? sql`message_id in (select id from messages where ${ofOwner})` : ofOwner;
      const repair = await damage(table, column, sql`${isTheirs} and ${sql.identifier(column)} is not null`);
      const after: Record<string, unknown>[] = await read(owner, url);
      await repair();

      const damaged = after.filter(({ isDamaged }) => isDamaged);
      expect(damaged).toHaveLength(1);
      const words = table === 'trusted_contacts' ? { name: damaged[0]?.email } : {};
      expect(damaged[0]).toMatchObject(url === '/api/messages' ? { title: damagedTitle, content: '' } : words);
      expect(after.filter(({ isDamaged }) => !isDamaged)).toEqual(before.filter(({ id }) => id !== damaged[0]?.id));
      expect(await read(owner, url)).toEqual(before);

      await reportsStored(world.opened);
      const found = await brokenPlaces(world.opened);
      expect(found.map(({ tableName, columnName }) => [tableName, columnName])).toEqual([[table, column]]);
    },
  );

  test('can be rewritten or deleted', async () => {
    const id = await world.write(owner, { title: 'To be repaired', status: 'draft' });
    await damage('messages', 'title', sql`id = ${id}`);
    const body = { title: 'Mended', content: 'Again.', recipientEmail: 'nell@family.example' };
    expect((await owner.browser.send('PUT', `/api/messages/${id}`, { body })).json()).toMatchObject({
      title: 'Mended',
    });
    await damage('messages', 'content', sql`id = ${id}`);
    expect((await owner.browser.send('DELETE', `/api/messages/${id}`)).statusCode).toBe(204);
  });

  test("in the checklists is empty and reported, and the browser's copy replaces it", async () => {
    const before: { checklistId: string }[] = await read(owner, '/api/user/checklists');
    await damage('user_checklists', 'custom_items', sql`${ofOwner} and checklist_id = 'funeral'`);
    const nothing = { customItems: [], completedItems: [], resetAtMs: 0 };
    const funeral = { checklistId: 'funeral', ...nothing, updatedAt: expect.any(String), isDamaged: true };
    const others = before.filter(({ checklistId }) => checklistId !== 'funeral');
    expect(await read(owner, '/api/user/checklists')).toEqual(expect.arrayContaining([funeral, ...others]));
    await reportsStored(world.opened);
    const found = await brokenPlaces(world.opened);
    expect(found.map(({ tableName, columnName }) => [tableName, columnName])).toEqual([
      ['user_checklists', 'custom_items'],
    ]);
    const body = {
      customItems: [{ text: 'A song', isListed: true, changedAtMs: 9 }],
      completedItems: [],
      resetAtMs: 0,
    };
    const saved = await owner.browser.send('PUT', '/api/user/checklists/funeral', { body });
    expect(saved.json()).toEqual({ checklistId: 'funeral', ...body, updatedAt: expect.any(String) });
  });

  test('in each table leaves an export complete, which names the unreadable values, and the import lacks only them', async () => {
    const places: [string, string][] = [
      ['messages', 'content'],
      ['documents', 'name'],
      ['trusted_contacts', 'name'],
      ['user_checklists', 'completed_items'],
    ];
    const repairs = [];
    for (const [table, column] of places) repairs.push(await damage(table, column, ofOwner));
    const zipped = await ask(owner);
    const json = await ask(owner, { format: 'json' });
    const pdf = await ask(owner, { format: 'pdf' });
    for (const repair of repairs) await repair();

    expect([zipped.statusCode, json.statusCode, pdf.statusCode]).toEqual([200, 200, 200]);
    expect(pdf.rawPayload.subarray(-8).toString()).toContain('%%EOF');
    const data = json.json();
    for (const part of ['messages', 'documents', 'contacts', 'checklists']) {
      const problems = data[part].map(({ problem }: { problem?: string }) => problem ?? 'none');
      expect([part, problems.filter((problem: string) => problem === 'damaged')]).toEqual([part, ['damaged']]);
      expect([part, problems.length]).toEqual([part, 2]);
    }
    // The file and its name have separate seals, so the file still opens.
    expect(data.messages[0].attachment).toMatchObject({ name: 'a map.pdf', base64: samples.pdf.toString('base64') });
    const { files } = await extractWithSevenZip(zipped.rawPayload, String(zipped.headers[exportKeyHeader]));
    expect(
      files
        .get('index.html')
        ?.toString()
        .match(/could not be opened/g)?.length,
    ).toBeGreaterThanOrEqual(3);
    expect(JSON.parse(files.get('vault.json')?.toString() ?? '').messages[0].problem).toBe('damaged');

    const other = await world.newOwner();
    const content = Readable.from([json.rawPayload], { objectMode: false });
    const taken = await importFile(world.opened, { email: other.email, content }, { key: null });
    expect(taken).toMatchObject({ messages: 1, documents: 1, contacts: 1, checklists: 1 });
  });

  test('in the vault does not keep an import out', async () => {
    const whole = (await ask(owner, { format: 'json' })).rawPayload;
    const repair = await damage('documents', 'name', ofOwner);
    const taken = await importFile(
      world.opened,
      { email: owner.email, content: Readable.from([whole], { objectMode: false }) },
      { key: null },
    );
    await repair();
    expect(taken).toMatchObject({ messages: 0, documents: 1 });
  });
});
