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
import { samples } from '#tests/support/forms.ts';
import { ask, newFullOwner } from './export.test-world.ts';
import { type Exported, type Row, sendImport } from './import.test-world.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

const send = (owner: FileOwner, content: Buffer | string, key?: string) => sendImport(world, owner, content, { key });

describe('a bad import', () => {
  let data: Exported;
  let text: string;
  let archive: Buffer;
  let key: string;
  beforeAll(async () => {
    const from = await newFullOwner(world);
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
  const twoRowsOneFile = () =>
    changed((copy) => {
      const [first] = copy.documents;
      const named = { name: 'deed.txt', sizeBytes: samples.txt.length, file: 'deed.txt' };
      copy.messages = [];
      copy.documents = [
        { ...first, file: named },
        { ...first, name: 'Again', file: named },
      ];
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
    ['another version', () => [text.replace('"version":3', '"version":4')]],
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
    ['an archive whose text unfolds to 63 MB of empty rows', () => [zipped({ 'vault.json': emptyRows(21_000_000) })]],
    [
      'an archive that says less of its text than there is',
      () => [lying(zipped({ 'vault.json': emptyRows(3_000_000) }))],
    ],
    ['an archive in an archive', () => [zipped({ 'vault.json': zipped({ 'vault.json': text }) })]],
    ['entries that share their bytes', () => [sharing(zipped({ 'vault.json': text, 'a.txt': text }))]],
    ['two entries of one name', () => [renamed(zipped({ 'vault.json': text, 'vault.jsoN': text }))]],
    ['one file that two rows name', () => [zipped({ 'vault.json': twoRowsOneFile(), 'deed.txt': samples.txt })]],
    ['rows as many as fit, and empty', () => [emptyRows(60_000)]],
    ['more letters than one import reads', () => [changed((copy) => (copy.messages = many(copy.messages, 2_001)))]],
    ['lists in lists a hundred thousand deep', () => [`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`]],
    ['a hundred levels that are closed again', () => [`{"a":${'['.repeat(100)}${']'.repeat(100)}}`]],
    ['seventy thousand keys', () => [`{${Array.from({ length: 70_000 }, (_, key) => `"k${key}":1`).join()}}`]],
    [
      'a title of ten million letters',
      () => [text.replace('"title":"A draft"', `"title":"${'a'.repeat(10_000_000)}"`)],
    ],
    ['a number of a million digits', () => [text.replace('"sizeBytes":', `"sizeBytes":${'9'.repeat(1_000_000)}`)]],
    ['a number without end', () => [text.replace('"version":3', '"version":1e999')]],
    // More than is read of a list of contents.
    ['an archive of two hundred thousand entries', () => [manyEntries(200_000)]],
    ['an archive that lies about its entries', () => [manyEntries(30_000)]],
  ];

  test.each(bad)('is refused with a sentence, and leaves nothing: %s', async (_, make) => {
    const owner = await world.newOwner();
    const before = await everythingKept();
    const answer = await send(owner, ...make());
    expect([400, 413, 415]).toContain(answer.statusCode);
    expect(answer.json().message).toMatch(/^[A-Z].{20,}\.$/);
    expect(await everythingKept()).toEqual(before);
  });

  test('a disk that is full in the middle leaves nothing', async () => {
    const owner = await world.newOwner();
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
    const owner = await world.newOwner();
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
      expect([statusCode, json().message]).toEqual([503, expect.stringContaining('is full')]);
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

/** An export of nothing but rows that say nothing. */
function emptyRows(count: number): string {
  return `{"format":"everkept-export","version":1,"messages":[${'{},'.repeat(count - 1)}{}]}`;
}

function many(rows: Row[], count: number): Row[] {
  return Array.from({ length: count }, (_, index) => ({ ...rows[0], attachment: null, title: `Letter ${index}` }));
}

/** Places of the records that begin with this signature (APPNOTE.TXT §4.3.7, §4.3.12). */
function recordsAt(archive: Buffer, signature: string): number[] {
  const places: number[] = [];
  for (let at = archive.indexOf(signature, 0, 'latin1'); at >= 0; at = archive.indexOf(signature, at + 1, 'latin1')) {
    places.push(at);
  }
  return places;
}

const localRecord = 'PK\x03\x04';
const listedRecord = 'PK\x01\x02';

/** Says of the one entry that it comes to a hundred bytes. */
function lying(archive: Buffer): Buffer {
  const copy = Buffer.from(archive);
  for (const at of recordsAt(copy, localRecord)) copy.writeUInt32LE(100, at + 22);
  for (const at of recordsAt(copy, listedRecord)) copy.writeUInt32LE(100, at + 24);
  return copy;
}

/** Lets the second entry begin where the first one does. */
function sharing(archive: Buffer): Buffer {
  const copy = Buffer.from(archive);
  const [, second = 0] = recordsAt(copy, localRecord);
  const listed = recordsAt(copy, listedRecord);
  // Without the bytes of the second, which the list still counts.
  const directoryAt = listed[0] ?? 0;
  for (const at of listed) copy.writeUInt32LE(0, at + 42);
  const cut = Buffer.concat([copy.subarray(0, second), copy.subarray(directoryAt)]);
  cut.writeUInt32LE(second, cut.length - 22 + 16);
  return cut;
}

/** Gives the second entry the name of the first. */
function renamed(archive: Buffer): Buffer {
  return Buffer.from(archive.toString('latin1').replaceAll('vault.jsoN', 'vault.json'), 'latin1');
}
