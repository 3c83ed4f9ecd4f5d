import { Readable } from 'node:stream';
import { sql } from 'drizzle-orm';
import { extractText } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFilesWorld, type FilesWorld } from '#server/features/documents/vault-files.test-world.ts';
import { attachmentsOf } from '#server/platform/pdf/attachments.test-world.ts';
import { exportKeyHeader, exportSizeHeader } from '#shared/contract/export.ts';
import { samples, voices } from '#tests/support/forms.ts';
import { extractWithSevenZip } from '#tests/support/seven-zip.ts';
import { ask, auditOf, letterText, newFullOwner } from './export.test-world.ts';
import { importFile } from './import.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

const today = () => new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/London' }).format(Date.now());

describe('an export', () => {
  test('is an encrypted archive where nothing else is asked for, which 7-Zip opens with its key', async () => {
    const owner = await newFullOwner(world);
    const answer = await ask(owner);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-disposition']).toContain(`filename="everkept-export-${today()}.zip"`);
    expect(answer.headers['content-type']).toBe('application/zip');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(Number(answer.headers[exportSizeHeader])).toBeGreaterThan(1_000);

    const key = String(answer.headers[exportKeyHeader]);
    expect(key).toMatch(/^(?:[0-9A-Z]{4}-){12}[0-9A-Z]{4}$/);
    const { files, listing } = await extractWithSevenZip(answer.rawPayload, key);
    expect([...files.keys()].toSorted()).toEqual([
      'document-001.txt',
      'index.html',
      'letter-001-2.wav',
      'letter-001-3.png',
      'letter-001.pdf',
      'vault.json',
    ]);
    expect(listing.match(/Method = AES-256/g)).toHaveLength(6);
    expect(files.get('letter-001.pdf')?.equals(samples.pdf)).toBe(true);
    expect(files.get('document-001.txt')?.equals(samples.txt)).toBe(true);

    const data = JSON.parse(files.get('vault.json')?.toString() ?? '');
    expect(data.messages[0]).toMatchObject({ content: letterText, attachment: { file: 'letter-001.pdf' } });
    expect(data.documents[0]).toMatchObject({ name: 'House & home', file: { file: 'document-001.txt' } });
  });

  test('shows without its key neither what a file is called nor anything else', async () => {
    const owner = await newFullOwner(world);
    const raw = (await ask(owner)).rawPayload.toString('latin1');
    expect(raw).toContain('letter-001.pdf');
    for (const words of ['kettle', 'Ada Shah', 'deed', 'a map', 'House']) expect(raw).not.toContain(words);
  });

  test('has a key of its own every time, and none but that one opens it', async () => {
    const owner = await newFullOwner(world);
    const [first, second] = [await ask(owner), await ask(owner)];
    const [firstKey, secondKey] = [first, second].map(({ headers }) => String(headers[exportKeyHeader]));
    expect(firstKey).not.toBe(secondKey);
    await expect(extractWithSevenZip(first.rawPayload, secondKey ?? '')).rejects.toThrow(
      /[Ww]rong password|Command failed/,
    );
    expect(world.log.join('\n')).not.toContain(firstKey);
  });

  test('has a page that reads without a line and runs nothing of what people wrote', async () => {
    const owner = await newFullOwner(world);
    await owner.browser.send('POST', '/api/messages', {
      body: {
        title: '<script>alert(1)</script>',
        content: '"><img src=x onerror=alert(1)>',
        recipientEmail: 'a@b.example',
      },
    });
    const answer = await ask(owner);
    const { files } = await extractWithSevenZip(answer.rawPayload, String(answer.headers[exportKeyHeader]));
    const page = files.get('index.html')?.toString() ?? '';
    expect(page).not.toMatch(/<script|<img|<iframe|javascript:|https?:\/\//i);
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('For &#60;Nell&#62;');
    const listed = [...page.matchAll(/<li><a href="#(letter-[0-9a-f-]+)">([^<]+)<\/a> <span>For ([^<]+)<\/span>/g)];
    expect(listed.map(([, , title, whom]) => [title, whom])).toEqual([
      ['For &#60;Nell&#62;', 'nell@family.example'],
      ['A draft', 'nell@family.example'],
      ['&#60;script&#62;alert(1)&#60;/script&#62;', 'a@b.example'],
    ]);
    for (const [, id] of listed) expect(page).toContain(`<article id="${id}">`);
    expect(page).toContain('<a href="letter-001.pdf">a map.pdf</a>');
    expect(page).toContain('<a href="letter-001-2.wav">my voice.wav</a>');
    expect(page).toContain('Put the kettle on &#60;first&#62;.');
    expect(page).toContain('<a href="letter-001-3.png">garden.png</a>');
    expect(page).toContain('Ada Shah');
    expect(page).toContain('House &#38; home');
  });

  test('as JSON holds everything, with the bytes of files in it', async () => {
    const owner = await newFullOwner(world);
    const answer = await ask(owner, { format: 'json', includeAuditLogs: true });
    expect(answer.headers['content-disposition']).toContain(`filename="everkept-export-${today()}.json"`);
    expect(answer.headers[exportKeyHeader]).toBeUndefined();
    const data = answer.json();
    expect(data).toMatchObject({
      format: 'everkept-export',
      version: 3,
      includes: { documents: true, auditLogs: true },
      account: { id: owner.userId, email: owner.email, hasPassword: true },
      contacts: [{ name: 'Ada Shah', phone: expect.stringContaining('900123'), isConfirmed: true }],
      checklists: [{ checklistId: 'funeral', customItems: [{ text: 'Ask Tom to sing' }] }],
    });
    expect(data.messages.map(({ title }: { title: string }) => title)).toEqual(['For <Nell>', 'A draft']);
    expect(Buffer.from(data.messages[0].attachment.base64, 'base64').equals(samples.pdf)).toBe(true);
    expect(data.messages[0].enclosures).toEqual([
      {
        kind: 'voice',
        caption: 'For Sundays',
        transcript: 'Put the kettle on <first>.',
        afterParagraph: null,
        file: {
          ...{ name: 'my voice.wav', mimeType: 'audio/wav', sizeBytes: voices.wav.length },
          base64: voices.wav.toString('base64'),
        },
      },
      expect.objectContaining({ kind: 'picture', caption: 'The garden', transcript: '' }),
    ]);
    expect(Buffer.from(data.documents[0].file.base64, 'base64').equals(samples.txt)).toBe(true);
    expect(data.auditLog.at(-1)).toMatchObject({ action: 'export.create', details: { format: 'json' } });
    expect(answer.body).not.toContain('$argon2id');
  });

  test('as PDF is a book with contents, letters, documents and contacts', async () => {
    const owner = await newFullOwner(world);
    const answer = await ask(owner, { format: 'pdf', includeAuditLogs: true });
    expect(answer.headers['content-disposition']).toContain(`filename="everkept-export-${today()}.pdf"`);
    const { totalPages, text } = await extractText(new Uint8Array(answer.rawPayload));
    expect(totalPages).toBe(9);
    const [title = '', contents = '', , letter = '', draft = '', documents = '', contacts = '', , log = ''] = text;
    expect(title).toContain(owner.firstName);
    expect(contents.replace(/\s+/g, ' ')).toMatch(
      /^Contents Letters 3 For <Nell> 4 A draft 5 Documents 6 Trusted contacts 7 Notes for the first weeks 8 What happened in the vault 9 2$/,
    );
    expect(letter.replace(/\s+/g, ' ')).toContain('£20 is <b>in the jar</b> & Łucja has the key.');
    expect(letter).toContain('Enclosed: a map.pdf');
    expect(letter).toContain('Enclosed: A recording, my voice.wav. For Sundays');
    expect(letter).toContain('Put the kettle on <first>.');
    expect(letter).toContain('Enclosed: A picture, garden.png. The garden');
    expect(draft).toContain('Not yet.');
    expect(documents).toContain('House & home');
    expect(contacts).toContain('Ada Shah');
    expect(log).toContain('You exported your data');
  });

  test('as PDF needs a verified address', async () => {
    const owner = await newFullOwner(world);
    await world.database.db.execute(sql`update users set email_verified = false where email = ${owner.email}`);
    const answer = await ask(owner, { format: 'pdf' });
    expect([answer.statusCode, answer.json().type]).toEqual([403, 'EMAIL_VERIFICATION_REQUIRED']);
    expect((await ask(owner, { format: 'json' })).statusCode).toBe(200);
  });

  test('as PDF sets other scripts, and encloses whole what no face of the book has', async () => {
    const owner = await world.newOwner();
    await world.write(owner, { title: 'Για τη Νέλλη', content: 'Привет, Нелли. 奈々へ 🌷 ᏣᎳᎩ' });
    const answer = await ask(owner, { format: 'pdf' });
    const { text } = await extractText(new Uint8Array(answer.rawPayload));
    const letter = text[3] ?? '';
    expect(letter).toContain('Για τη Νέλλη');
    expect(letter).toContain('Привет, Нелли. 奈々へ 🌷 □□□');
    expect(letter.replace(/\s+/g, ' ')).toContain('This text is attached to this file as letter-001.txt, complete.');
    const attached = await attachmentsOf(answer.rawPayload);
    expect(Object.keys(attached)).toEqual(['letter-001.txt']);
    expect(attached['letter-001.txt']).toMatch(/^Για τη Νέλλη\n\n[^\n]+\n\nПривет, Нелли\. 奈々へ 🌷 ᏣᎳᎩ\n$/);
  });

  test('carries a letter sealed with a passphrase into another vault and out again, as it was sealed', async () => {
    const [from, to] = [await world.newOwner(), await world.newOwner()];
    const seal = { iterations: 600_000, salt: 'A'.repeat(22), nonce: 'B'.repeat(16), ciphertext: 'C'.repeat(64) };
    const fields = { recipientEmail: 'nell@family.example', status: 'draft', content: '' };
    const whole = { ...fields, title: 'A sealed letter', encryptedContent: { ...seal, version: 2, hint: 'The yard' } };
    // As letters were sealed first: its title is nowhere else.
    const first = { ...fields, title: 'For Nell', encryptedContent: { ...seal, version: 1, hint: null } };
    for (const body of [{ ...whole, title: 'The attic' }, first]) {
      expect((await from.browser.send('POST', '/api/messages', { body })).statusCode).toBe(201);
    }
    const archive = await ask(from);
    const key = String(archive.headers[exportKeyHeader]);
    const { files } = await extractWithSevenZip(archive.rawPayload, key);
    const page = files.get('index.html')?.toString();
    expect(page).toContain('Sealed with a passphrase by the one who wrote it.');
    expect(page).not.toContain('attic');

    const content = () => Readable.from([archive.rawPayload], { objectMode: false });
    expect(await importFile(world.opened, { email: to.email, content: content() }, { key })).toMatchObject({
      messages: 2,
      alreadyThere: 0,
    });
    expect((await ask(to, { format: 'json' })).json().messages).toMatchObject([whole, first]);
    expect(await importFile(world.opened, { email: to.email, content: content() }, { key })).toMatchObject({
      messages: 0,
      alreadyThere: 2,
    });
  });

  test('leaves out files and the log where that is asked for, and says so', async () => {
    const owner = await newFullOwner(world);
    const data = (await ask(owner, { format: 'json', includeDocuments: false })).json();
    expect(data.includes).toEqual({ documents: false, auditLogs: false });
    expect(data.documents[0].file).toEqual({ name: 'deed.txt', mimeType: 'text/plain', sizeBytes: samples.txt.length });
    expect(data).not.toHaveProperty('auditLog');

    const archive = await ask(owner, { includeDocuments: false });
    const { files } = await extractWithSevenZip(archive.rawPayload, String(archive.headers[exportKeyHeader]));
    expect([...files.keys()].toSorted()).toEqual(['index.html', 'vault.json']);
  });

  test('is in the log of its owner, every one', async () => {
    const owner = await newFullOwner(world);
    await ask(owner);
    await ask(owner, { format: 'json', includeDocuments: false });
    expect(await auditOf(world, owner.userId, 'export.create')).toEqual([
      { format: 'encrypted-zip', includeDocuments: true, includeAuditLogs: false },
      { format: 'json', includeDocuments: false, includeAuditLogs: false },
    ]);
  });

  test('wants a sign-in from the last ten minutes', async () => {
    const owner = await newFullOwner(world);
    await world.database.db.execute(
      sql`update sessions set authenticated_at = authenticated_at - interval '11 minutes' where user_id = ${owner.userId}`,
    );
    const refused = await ask(owner);
    expect([refused.statusCode, refused.json()]).toMatchObject([403, { type: 'REAUTHENTICATION_REQUIRED' }]);
    expect(await auditOf(world, owner.userId, 'export.create')).toEqual([]);
    await owner.browser.send('POST', '/api/user/reauthenticate', { body: { password: owner.password } });
    expect((await ask(owner)).statusCode).toBe(200);
  });

  test('goes on past a file that is gone or broken, and names it', async () => {
    const owner = await newFullOwner(world);
    const { rows } = await world.database.db.execute<{ map: string; deed: string }>(
      sql`select (select attachment_path from messages where user_id = ${owner.userId} and has_attachment) as map,
        (select file_path from documents where user_id = ${owner.userId}) as deed`,
    );
    const { map = '', deed = '' } = rows[0] ?? {};
    world.store.files.delete(map);
    const broken = Buffer.from(world.store.files.get(deed) ?? '');
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
    world.store.files.set(deed, broken);

    const data = (await ask(owner, { format: 'json' })).json();
    expect(data.messages[0].attachment).toMatchObject({ name: 'a map.pdf', problem: 'missing' });
    expect(data.documents[0].file).toMatchObject({ name: 'deed.txt', problem: 'damaged' });
    const archive = await ask(owner);
    const { files } = await extractWithSevenZip(archive.rawPayload, String(archive.headers[exportKeyHeader]));
    expect(files.get('document-001.txt')).toHaveLength(samples.txt.length);
    expect(files.get('index.html')?.toString()).toContain('which is missing in the vault');
  });

  test.each([{ format: 'csv' }, { format: '' }, { includeDocuments: 'yes' }, { includeAuditLogs: 1 }])(
    'is refused for %j',
    async (body) => {
      const owner = await world.newOwner();
      expect((await ask(owner, body)).statusCode).toBe(400);
    },
  );
});
