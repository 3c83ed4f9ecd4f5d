import { Readable } from 'node:stream';
import { sql } from 'drizzle-orm';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createFilesWorld,
  type FileOwner,
  type FilesWorld,
} from '#server/features/documents/vault-files.test-world.ts';
import { FileStoreFullError } from '#server/platform/files/file-store.ts';
import { exportKeyHeader } from '#shared/contract/export.ts';
import { formBody, samples } from '#tests/support/forms.ts';
import { ask, auditOf, letterText, newFullOwner } from './export.test-world.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

let calls = 0;

/** Each call from an address of its own, so that no budget is shared. */
function send(owner: FileOwner, content: Buffer | string, key?: string) {
  calls += 1;
  const { body, type } = formBody({ fields: key === undefined ? {} : { key }, file: { name: 'export', content } });
  const headers = {
    'content-type': type,
    'sec-fetch-site': 'same-origin',
    'x-forwarded-for': `10.1.${calls >> 8}.${calls & 255}`,
    cookie: owner.browser.cookie ?? '',
  };
  return world.app.inject({ method: 'POST', url: '/api/import-data', headers, payload: body });
}

type Row = Record<string, unknown>;
type Exported = { messages: Row[]; documents: Row[]; contacts: Row[]; checklists: Row[] };

async function exported(owner: FileOwner): Promise<Exported> {
  return (await ask(owner, { format: 'json' })).json();
}

/** What an export says of a vault, without what belongs to one place only. */
function contentOf({ messages, documents, contacts, checklists }: Exported) {
  const shared = ({ id: _, ...row }: Row) => row;
  const person = ({ name, email, phone, relationship }: Row) => ({ name, email, phone, relationship });
  const list = ({ checklistId, customItems, completedItems }: Row) => ({ checklistId, customItems, completedItems });
  return {
    messages: messages.map(shared),
    documents: documents.map(shared),
    contacts: contacts.map(person),
    checklists: checklists.map(list),
  };
}

const everything = { messages: 2, documents: 1, contacts: 1, checklists: 1, alreadyThere: 0, withoutFile: 0 };
const nothing = { messages: 0, documents: 0, contacts: 0, checklists: 1, alreadyThere: 4, withoutFile: 0 };

describe('an import', () => {
  test('of JSON into an empty vault gives the same content, and once more adds nothing', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    const file = (await ask(from, { format: 'json' })).body;
    const sentBefore = world.mailer.sent.length;
    expect((await send(to, file)).json()).toEqual(everything);
    expect(contentOf(await exported(to))).toEqual(contentOf(await exported(from)));
    expect((await send(to, file)).json()).toEqual(nothing);
    await world.work();
    expect(world.mailer.sent).toHaveLength(sentBefore);
    expect(await auditOf(world, to.userId, 'import.create')).toEqual([everything, nothing]);
    expect((await exported(to)).contacts).toMatchObject([
      { isActive: false, isConfirmed: false, confirmationSentAt: null },
    ]);
  });

  test('of an archive needs its key, or the file that the key was saved in', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    const archive = await ask(from);
    const key = String(archive.headers[exportKeyHeader]);
    const before = await world.kept();
    for (const wrong of [undefined, 'wrong', key.replaceAll(/[0-9]/g, '7')]) {
      const refused = await send(to, archive.rawPayload, wrong);
      expect([refused.statusCode, refused.json()]).toMatchObject([400, { issues: [{ path: 'key' }] }]);
    }
    expect(await world.kept()).toEqual(before);
    const keyFile = `The key of everkept-export.zip\r\n\r\n${key}\r\n\r\nOpen the archive with 7-Zip.`;
    expect((await send(to, archive.rawPayload, keyFile)).json()).toEqual(everything);
    expect(contentOf(await exported(to))).toEqual(contentOf(await exported(from)));
    expect((await send(from, archive.rawPayload, key.toLowerCase())).json()).toEqual(nothing);
  });

  test('into a vault that is used adds what is missing, and takes nothing for the same that is not', async () => {
    const owner = await newFullOwner(world);
    const file = (await ask(owner, { format: 'json' })).body;
    const { id } = (await exported(owner)).messages[1] ?? {};
    await owner.browser.send('DELETE', `/api/messages/${id}`);
    await owner.upload({
      fields: { category: 'legal', name: 'House & home', description: 'Signed' },
      file: { name: 'deed.txt', content: Buffer.from(samples.txt).fill(65) },
    });
    expect((await send(owner, file)).json()).toEqual({ ...nothing, messages: 1, alreadyThere: 3 });
    expect((await exported(owner)).documents).toHaveLength(2);
  });

  test('keeps a letter that was written twice as two', async () => {
    const [from, to] = [await world.newOwner(), await world.newOwner()];
    await world.write(from);
    await world.write(from);
    const file = (await ask(from, { format: 'json' })).body;
    expect((await send(to, file)).json()).toMatchObject({ messages: 2 });
    expect((await send(to, file)).json()).toMatchObject({ messages: 0, alreadyThere: 2 });
  });

  test('brings what was delivered as a draft, and never with another owner’s ids', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    const data = await exported(from);
    for (const message of data.messages) Object.assign(message, { status: 'delivered', deliveredAt: new Date() });
    expect((await send(to, JSON.stringify(data))).json()).toEqual(everything);
    const { messages } = await exported(to);
    expect(messages.map(({ status, deliveredAt }) => [status, deliveredAt])).toEqual([
      ['draft', null],
      ['draft', null],
    ]);
    expect(messages.map(({ id }) => id)).not.toContain(data.messages[0]?.id);
  });

  test('says what came without its file', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    const file = (await ask(from, { format: 'json', includeDocuments: false })).body;
    expect((await send(to, file)).json()).toEqual({ ...everything, documents: 0, withoutFile: 2 });
  });

  test('doubles no letter that came without its attachment, however often it is taken', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    // The same words once more, and never with a file: each answers for one.
    await world.write(from, { title: 'For <Nell>', content: letterText, recipientEmail: 'nell@family.example' });
    const file = (await ask(from, { format: 'json', includeDocuments: false })).body;
    const again = { ...nothing, withoutFile: 1 };
    expect((await send(to, file)).json()).toMatchObject({ messages: 3, withoutFile: 2 });
    expect((await send(to, file)).json()).toEqual(again);
    expect((await send(to, file)).json()).toEqual(again);
    expect((await exported(to)).messages).toHaveLength(3);

    // It is not known whether the file was left out or taken away, so the letter comes in beside the one there is.
    const whole = (await ask(from, { format: 'json' })).body;
    expect((await send(to, whole)).json()).toMatchObject({ messages: 1, documents: 1, withoutFile: 0 });
    expect((await send(to, whole)).json()).toMatchObject({ messages: 0, documents: 0, alreadyThere: 5 });
    expect((await send(to, file)).json()).toMatchObject({ messages: 0, documents: 0, withoutFile: 0 });
  });

  test('holds to the plan, as a whole', async () => {
    const from = await newFullOwner(world);
    await world.write(from, { title: 'A third' });
    const data = await exported(from);
    const words = { ...data, documents: [], messages: data.messages.map((row) => ({ ...row, attachment: null })) };
    const before = await world.kept();
    const free = await world.newOwner('free');
    expect((await send(free, JSON.stringify(words))).json()).toMatchObject({
      type: 'MESSAGE_LIMIT_EXCEEDED',
      limit: 2,
    });
    expect((await send(free, JSON.stringify(data))).json()).toMatchObject({ type: 'FEATURE_NOT_IN_PLAN' });
    expect((await exported(free)).messages).toEqual([]);
    expect((await exported(free)).contacts).toEqual([]);
    expect(await world.kept()).toEqual(before);
  });

  test('twice at once comes in once', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner('premium')];
    const file = (await ask(from, { format: 'json' })).body;
    const answers = await Promise.all([send(to, file), send(to, file), send(to, file)]);
    expect(answers.filter(({ statusCode }) => statusCode === 200).length).toBeGreaterThan(0);
    expect(answers.every(({ statusCode }) => statusCode === 200 || statusCode === 409)).toBe(true);
    expect((await exported(to)).messages).toHaveLength(2);
    expect((await exported(to)).documents).toHaveLength(1);
  });

  test('for the operator’s command finds the account by its address', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    const file = (await ask(from, { format: 'json' })).rawPayload;
    const { imports } = world.services;
    expect(await imports.importFile(to.email, Readable.from([file], { objectMode: false }), null)).toEqual(everything);
    await expect(imports.importFile('nobody@people.example', Readable.from([file]), null)).rejects.toThrow(
      /no account/,
    );
  });
});

describe('a bad import', () => {
  let owner: FileOwner;
  let data: Exported;
  let text: string;
  let archive: Buffer;
  let key: string;
  beforeAll(async () => {
    const from = await newFullOwner(world);
    owner = await world.newOwner();
    text = (await ask(from, { format: 'json' })).body;
    data = JSON.parse(text);
    const answer = await ask(from);
    archive = answer.rawPayload;
    key = String(answer.headers[exportKeyHeader]);
  });

  const changed = (change: (copy: Exported & Row) => void) => {
    const copy = structuredClone(data) as Exported & Row;
    change(copy);
    return JSON.stringify(copy);
  };
  /** The same export, with something else said of its document's file. */
  const otherFile = (file: Row) =>
    changed(({ documents: [first] }) => {
      if (first) first.file = { ...(first.file as Row), ...file };
    });
  const zipped = (files: Record<string, string | Uint8Array>) =>
    Buffer.from(
      zipSync(Object.fromEntries(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]))),
    );

  const bad: [what: string, make: () => [content: Buffer | string, key?: string]][] = [
    ['nothing', () => ['']],
    ['a picture', () => [samples.png]],
    ['other JSON', () => ['{"hello":"world"}']],
    ['JSON that was cut', () => [text.slice(0, -200)]],
    ['JSON that was cut inside a file', () => [text.slice(0, text.indexOf('"base64":"') + 20)]],
    ['a file that is no base64', () => [text.replace('"base64":"', '"base64":"!')]],
    ['a file that is longer than it says', () => [otherFile({ sizeBytes: 3 })]],
    ['a file that is not what its name says', () => [otherFile({ name: 'deed.pdf' })]],
    ['a program', () => [otherFile({ name: 'deed.exe' })]],
    ['another version', () => [text.replace('"version":1', '"version":2')]],
    ['a status that there is not', () => [text.replace('"status":"draft"', '"status":"sent"')]],
    ['text that cannot be stored', () => [text.replace('"title":"A draft"', '"title":"A \\u0000"')]],
    ['a place in the file that somebody made up', () => [otherFile({ base64: [0, 99_999_999] })]],
    ['JSON that never ends', () => ['{'.repeat(100_000)]],
    ['an archive that was cut', () => [archive.subarray(0, archive.length - 100), key]],
    ['an archive whose bytes were changed', () => [flipped(archive), key]],
    ['an archive of something else', () => [zipped({ 'a.txt': 'a' })]],
    ['an archive with a path that leads up', () => [zipped({ 'vault.json': text, '../../etc/passwd': 'x' })]],
    ['an archive with folders', () => [zipped({ 'vault.json': text, 'a/b.txt': 'x' })]],
    ['an archive that lacks a file', () => [zipped({ 'vault.json': otherFile({ file: 'gone.txt' }) })]],
    ['an archive that unfolds without end', () => [zipped({ 'vault.json': `{"a":"${'0'.repeat(70_000_000)}"}` })]],
    // More than is read of a list of contents.
    ['an archive of two hundred thousand entries', () => [manyEntries(200_000)]],
    ['an archive that lies about its entries', () => [manyEntries(30_000)]],
  ];

  test.each(bad)('is refused with a sentence, and leaves nothing: %s', async (_, make) => {
    const before = await everythingKept();
    const answer = await send(owner, ...make());
    expect([400, 413, 415]).toContain(answer.statusCode);
    expect(answer.json().message).toMatch(/^[A-Z].{20,}\.$/);
    expect(await everythingKept()).toEqual(before);
  });

  test('a disk that is full in the middle leaves nothing', async () => {
    const before = await everythingKept();
    const { put } = world.store;
    let puts = 0;
    world.store.put = (name, stream) => {
      puts += 1;
      if (puts > 2) world.store.failWith(new FileStoreFullError());
      return put(name, stream);
    };
    const answer = await send(owner, text);
    world.store.put = put;
    world.store.failWith(null);
    expect([answer.statusCode, answer.json().message]).toEqual([503, expect.stringContaining('no room left')]);
    expect(puts).toBe(3);
    expect(await everythingKept()).toEqual(before);
    expect((await send(owner, text)).statusCode).toBe(200);
  });

  test('a database whose disk is full at the end takes nothing, gives out no half export, and can be read', async () => {
    const { db } = world.database;
    const before = await everythingKept();
    await db.execute(sql`create function be_full() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);
    // The last row of an import, and the first of an export.
    await db.execute(sql`create trigger full_disk before insert on audit_logs for each row execute function be_full()`);
    const [taken, given] = [await send(owner, text), await ask(owner, { format: 'json' })];
    const read = await owner.browser.send('GET', '/api/messages');
    await db.execute(sql`drop function be_full cascade`);
    for (const { statusCode, json } of [taken, given])
      expect([statusCode, json().message]).toEqual([503, expect.stringContaining('There is no room left')]);
    expect(read.statusCode).toBe(200);
    expect(await everythingKept()).toEqual(before);
    expect((await send(owner, text)).statusCode).toBe(200);
  });
});

/** How many there are of everything that an import could leave behind. */
async function everythingKept() {
  const { rows } = await world.database.db.execute(sql`
    select (select count(*) from messages) as messages, (select count(*) from trusted_contacts) as contacts,
      (select count(*) from user_checklists) as checklists, (select count(*) from audit_logs) as acts`);
  return [await world.kept(), rows];
}

function flipped(archive: Buffer): Buffer {
  const copy = Buffer.from(archive);
  const at = archive.indexOf('vault.json') + 300;
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}

/** The end of an archive that names as many empty entries, without their beginnings. */
function manyEntries(count: number): Buffer {
  const nameLength = 8;
  const entry = Buffer.alloc(46 + nameLength);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(20, 4);
  entry.writeUInt16LE(nameLength, 28);
  const entries = Buffer.alloc(entry.length * count, entry);
  for (let index = 0; index < count; index += 1) {
    entries.write(String(index).padStart(8, '0'), index * entry.length + 46, 'latin1');
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count & 0xffff, 8);
  end.writeUInt16LE(count & 0xffff, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(4, 16);
  return Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), entries, end]);
}
