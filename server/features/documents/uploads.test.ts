import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { strToU8 } from 'fflate';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { removeUnusedFiles } from '#server/features/files/upkeep.ts';
import { FileStoreFullError } from '#server/platform/files/file-store.ts';
import { errorBodySchema } from '#shared/contract/errors.ts';
import { type FormFile, type FormGiven, formBody, samples, wordPackage } from '#tests/support/forms.ts';
import { createFilesWorld, type FileOwner, type FilesWorld } from './vault-files.test-world.ts';

let world: FilesWorld;
let owner: FileOwner;
let before: Awaited<ReturnType<FilesWorld['kept']>>;

beforeAll(async () => {
  world = await createFilesWorld();
  owner = await world.newOwner();
});
afterAll(() => world.close());
beforeEach(async () => {
  before = await world.kept();
});

const html = '<!doctype html><script>alert(1)</script>';
const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
const exe = Buffer.concat([Buffer.from('MZ\x90\0\x03\0\0\0'), Buffer.alloc(500)]);
const zip = wordPackage({}, false);

/** A plain sentence, and nothing left of the file. */
async function expectRefusal(answer: Awaited<ReturnType<FileOwner['upload']>>, expected: [number, string]) {
  const { message, type } = errorBodySchema.parse(answer.json());
  expect([answer.statusCode, type], message).toEqual(expected);
  expect(message).toMatch(/^[A-Z][^<>{}\\]{10,300}[.:]?$/);
  expect(message).not.toMatch(/undefined|null|Error|stack|busboy|ENOENT|\/\w+\//);
  expect(await world.kept()).toEqual(before);
}

describe('a file that is not what it should be is refused in a plain sentence, and nothing of it is left', () => {
  const wrongKinds: [what: string, file: FormFile][] = [
    ['an image that is a program', { name: 'drawing.svg', content: svg }],
    ['a web page', { name: 'page.html', content: html }],
    ['a script', { name: 'script.js', content: 'alert(1)' }],
    ['a program', { name: 'setup.exe', content: exe }],
    ['an archive', { name: 'archive.zip', content: zip }],
    ['a document with macros', { name: 'macro.docm', content: samples.docx }],
    ['no ending', { name: 'will', content: samples.pdf }],
    ['an ending of dots', { name: 'will.pdf...html', content: html }],
    ['a hidden file', { name: '.htaccess', content: 'x' }],
    ['an ending behind a space', { name: 'will.pdf .html', content: samples.pdf }],
    ['an ending after a NUL', { name: 'will.pdf\0.html', content: samples.pdf }],
    ['a double ending', { name: 'invoice.pdf.exe', content: exe }],
    ['an ending turned round', { name: 'will\u202Efdp.exe', content: exe }],
    ['a property of every object', { name: 'x.constructor', content: samples.pdf }],
    ['a web page called PDF', { name: 'a.pdf', content: html }],
    ['a web page called picture', { name: 'a.jpg', content: html }],
    ['a web page called text', { name: 'a.txt', content: `\uFEFF \n${html}` }],
    ['a web page in wide letters called text', { name: 'a.txt', content: Buffer.from(`\uFEFF${html}`, 'utf16le') }],
    ['a drawing called text', { name: 'a.txt', content: svg }],
    ['a drawing called PNG', { name: 'a.png', content: svg }],
    ['a program called PDF', { name: 'a.pdf', content: exe }],
    ['a program called text', { name: 'a.txt', content: exe }],
    ['a program called Word', { name: 'a.doc', content: exe }],
    ['an archive called PDF', { name: 'a.pdf', content: zip }],
    ['a spreadsheet called Word', { name: 'a.docx', content: zip }],
    ['a compound file that is not of Word', { name: 'a.doc', content: Buffer.concat([samples.doc.subarray(0, 512)]) }],
    ['a text called PDF', { name: 'a.pdf', content: samples.txt }],
    ['a PDF that begins as a web page', { name: 'a.pdf', content: `${html}\n%PDF-1.4` }],
    ['a Word document with macros', { name: 'a.docx', content: wordPackage({ 'word/vbaProject.bin': exe }) }],
    ['a Word document that climbs out', { name: 'a.docx', content: wordPackage({ '../../etc/cron.d/x': exe }) }],
    [
      'a Word document that unpacks to half a gigabyte',
      { name: 'a.docx', content: claimingToBe(wordPackage({ 'word/bomb.xml': Buffer.alloc(1_000) }), 500_000_000) },
    ],
    [
      'a Word document of ten thousand parts',
      {
        name: 'a.docx',
        content: wordPackage(Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`p${n}`, strToU8('')]))),
      },
    ],
    ['a Word document cut in half', { name: 'a.docx', content: samples.docx.subarray(0, samples.docx.length / 2) }],
    ['a Word document that is locked', { name: 'a.docx', content: encrypted(samples.docx) }],
    ['four letters of an archive', { name: 'a.docx', content: 'PK\x03\x04' }],
    [
      'an end of an archive that leads nowhere',
      { name: 'a.docx', content: Buffer.concat([Buffer.from('PK\x03\x04PK\x05\x06'), Buffer.alloc(18, 255)]) },
    ],
  ];

  test.each(wrongKinds)('%s', async (_what, file) => {
    await expectRefusal(await owner.upload({ file }), [415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  const wrongForms: [what: string, given: FormGiven, expected: [number, string]][] = [
    ['an empty file', { file: { name: 'a.txt', content: '' } }, [400, 'VALIDATION']],
    ['no file', {}, [400, 'VALIDATION']],
    ['the nameless part of a form without a choice', { file: { name: '', content: '' } }, [400, 'VALIDATION']],
    ['no category', { fields: { name: 'x' }, file: { name: 'a.pdf', content: samples.pdf } }, [400, 'VALIDATION']],
    [
      'a category there is not',
      { fields: { category: 'family' }, file: { name: 'a.pdf', content: samples.pdf } },
      [400, 'VALIDATION'],
    ],
    [
      'a field twice',
      {
        fields: [
          ['category', 'legal'],
          ['category', 'other'],
        ],
        file: { name: 'a.pdf', content: samples.pdf },
      },
      [400, 'VALIDATION'],
    ],
    [
      'a name of two lines',
      { fields: { category: 'legal', name: 'a\r\nb' }, file: { name: 'a.pdf', content: samples.pdf } },
      [400, 'VALIDATION'],
    ],
    [
      'a name that is too long',
      { fields: { category: 'legal', name: 'x'.repeat(201) }, file: { name: 'a.pdf', content: samples.pdf } },
      [400, 'VALIDATION'],
    ],
    [
      'a description with a NUL',
      { fields: { category: 'legal', description: 'a\0b' }, file: { name: 'a.pdf', content: samples.pdf } },
      [400, 'VALIDATION'],
    ],
    [
      'a yes that is none',
      {
        fields: { category: 'legal', visibleToTrustedContact: 'perhaps' },
        file: { name: 'a.pdf', content: samples.pdf },
      },
      [400, 'VALIDATION'],
    ],
    [
      'a field of a megabyte',
      { fields: { category: 'legal', name: 'x'.repeat(1_000_000) }, file: { name: 'a.pdf', content: samples.pdf } },
      [413, 'PAYLOAD_TOO_LARGE'],
    ],
    [
      'a hundred fields',
      { fields: Array.from({ length: 100 }, (_, n) => [`f${n}`, 'x']), file: { name: 'a.pdf', content: samples.pdf } },
      [413, 'PAYLOAD_TOO_LARGE'],
    ],
    [
      'a field that reaches for a prototype',
      {
        fields: { category: 'legal', __proto__x: 'x', constructor: 'x' },
        file: { name: 'a.pdf', content: samples.pdf },
      },
      [400, 'VALIDATION'],
    ],
  ];

  test.each(wrongForms)('%s', async (_what, given, expected) => {
    for (const isFileFirst of [true, false]) {
      await expectRefusal(await owner.upload({ ...given, isFileFirst }), expected);
    }
  });

  test('two files', async () => {
    const one = formBody({ fields: { category: 'legal' }, file: { name: 'a.pdf', content: samples.pdf } }).body;
    const { body: two, type } = formBody({ file: { name: 'b.pdf', content: samples.pdf } });
    const end = one.lastIndexOf('--', one.length - 5);
    const both = Buffer.concat([one.subarray(0, end - 26 < 0 ? 0 : one.lastIndexOf('------everkept')), two]);
    const answer = await send(both, type);
    await expectRefusal(answer, [413, 'PAYLOAD_TOO_LARGE']);
  });

  test.each([
    ['cut off', (body: Buffer) => body.subarray(0, body.length - 30)],
    ['cut off in the middle of the file', (body: Buffer) => body.subarray(0, body.length - 60)],
    ['empty', () => Buffer.alloc(0)],
    ['noise', () => randomBytes(5_000)],
  ])('a form that is %s', async (_what, spoil) => {
    const { body, type } = formBody({ fields: { category: 'legal' }, file: { name: 'a.pdf', content: samples.pdf } });
    await expectRefusal(await send(spoil(body), type), [400, 'VALIDATION']);
  });

  test('a form that is no form', async () => {
    const answer = await owner.browser.send('POST', '/api/documents', { body: { category: 'legal' } });
    await expectRefusal(answer, [415, 'UNSUPPORTED_MEDIA_TYPE']);
    await expectRefusal(await send(Buffer.from('x'), 'multipart/form-data'), [415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  test('a form where none belongs, which another site could post', async () => {
    const { body, type } = formBody({ fields: { title: 'x' } });
    const headers = { 'content-type': type, cookie: owner.browser.cookie ?? '', 'sec-fetch-site': 'same-origin' };
    for (const url of ['/api/messages', '/api/checkin'] as const) {
      const answer = await world.app.inject({ method: 'POST', url, headers, payload: body });
      expect(answer.statusCode).toBe(415);
    }
  });

  function send(payload: Buffer, type: string) {
    const headers = { 'content-type': type, cookie: owner.browser.cookie ?? '', 'sec-fetch-site': 'same-origin' };
    return world.app.inject({ method: 'POST', url: '/api/documents', headers, payload });
  }
});

describe('the size of a file', () => {
  const ofBytes = (sizeBytes: number) => Buffer.concat([samples.pdf, Buffer.alloc(sizeBytes - samples.pdf.length, 32)]);

  test('may be 10 MB, and not a byte more', async () => {
    const largest = await owner.upload({ file: { name: 'a.pdf', content: ofBytes(10_000_000) } });
    expect(largest.json()).toMatchObject({ fileSize: 10_000_000 });
    before = await world.kept();
    const answer = await owner.upload({ file: { name: 'a.pdf', content: ofBytes(10_000_001) } });
    expect(answer.json().message).toBe('File too large: Please select a file smaller than 10MB.');
    await expectRefusal(answer, [413, 'PAYLOAD_TOO_LARGE']);
  });

  test('is refused before the file is read where it is announced', async () => {
    const { body, type } = formBody({ fields: { category: 'legal' }, file: { name: 'a.pdf', content: samples.pdf } });
    const call = world.connect(owner, '/api/documents', { 'content-type': type, 'content-length': 50_000_000 });
    const answered = new Promise<number | undefined>((resolve) =>
      call.on('response', (answer) => resolve(answer.statusCode)),
    );
    call.on('error', () => undefined);
    call.write(body.subarray(0, 400));
    expect(await answered).toBe(413);
    call.destroy();
    expect(await world.kept()).toEqual(before);
  });
});

describe('names', () => {
  const named: [given: string, kept: string][] = [
    ['../../etc/passwd.txt', 'passwd.txt'],
    ['C:\\Users\\Sam\\will.txt', 'will.txt'],
    ['a%22b;c.txt', 'a_22b_c.txt'],
    ['a\u202Etxt.b\u2066.txt', 'atxt.b.txt'],
    ['a\u0007\u001b[31m\u0085b.txt', 'a[31mb.txt'],
    ['\u200b\ufeffwill.txt', 'will.txt'],
    ['will.txt. . ', 'will.txt'],
    ['.txt', 'file.txt'],
    [`${'x'.repeat(300)}.txt`, `${'x'.repeat(146)}.txt`],
    [`${'🕊'.repeat(300)}.txt`, `${'🕊'.repeat(146)}.txt`],
    ["Zoë's “letter” – 2024 (final).txt", 'Zoë_s “letter” – 2024 (final).txt'],
    ['遺言.txt', '遺言.txt'],
    ['وصية.txt', 'وصية.txt'],
    ['CON.txt', 'CON.txt'],
    ['<img src=x onerror=alert(1)>.txt', '_img src=x onerror=alert(1)_.txt'],
    ['page.html.txt', 'page.html.txt'],
  ];

  test.each(named)('%j is kept, shown and given out as %j', async (given, kept) => {
    const answer = await owner.upload({ file: { name: given, content: samples.txt } });
    expect(answer.statusCode, answer.body).toBe(201);
    const { id, name, fileName } = answer.json<{ id: string; name: string; fileName: string }>();
    expect([name, fileName]).toEqual([kept, kept]);

    const file = await owner.browser.send('GET', `/api/documents/${id}/download`);
    const disposition = String(file.headers['content-disposition']);
    expect(disposition).toMatch(
      /^attachment; filename="[\x20\x21\x23-\x5b\x5d-\x7e]+"; filename\*=UTF-8''[\w%.~!#$&+^`|-]+$/,
    );
    expect(decodeURIComponent(disposition.split("UTF-8''")[1] ?? '')).toBe(kept);
    expect(file.headers['content-type']).toBe('text/plain');
  });

  test('with a line break in the header of their part add no header to the download', async () => {
    const answer = await owner.upload({
      file: { name: 'a.txt"\r\nX-Evil: 1\r\nContent-Type: text/html\r\n\r\n<b>', content: 'x' },
    });
    expect(answer.statusCode).toBeLessThan(500);
    if (answer.statusCode < 400) {
      const file = await owner.browser.send('GET', `/api/documents/${answer.json().id}/download`);
      expect(file.headers['x-evil']).toBeUndefined();
      expect(file.headers['content-type']).toBe('text/plain');
    }
  });
});

describe('a file that is two things at once', () => {
  test.each([
    [
      'a picture and a script',
      {
        name: 'a.gif',
        content: Buffer.concat([Buffer.from('GIF89a/*'), samples.gif.subarray(8), Buffer.from('*/=1;alert(1)//')]),
      },
    ],
    ['a PDF and a web page', { name: 'a.pdf', content: Buffer.concat([samples.pdf, Buffer.from(html)]) }],
    ['a picture and an archive', { name: 'a.jpg', content: Buffer.concat([samples.jpg, zip]) }],
    [
      'a picture with a web page in its remarks',
      { name: 'a.png', content: Buffer.concat([samples.png, Buffer.from(html)]) },
    ],
    ['a text that speaks of web pages', { name: 'a.txt', content: `My notes about <b>HTML</b>:\n${html}` }],
  ])('is given out so that no browser runs it: %s', async (_what, file) => {
    const answer = await owner.upload({ file });
    expect(answer.statusCode, answer.body).toBe(201);
    const served = await owner.browser.send('GET', `/api/documents/${answer.json().id}/download`);
    expect(served.headers).toMatchObject({
      'content-disposition': expect.stringMatching(/^attachment; /),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    });
    expect(String(served.headers['content-type'])).not.toMatch(/html|script|svg|xml/);
  });
});

describe('an upload that breaks', () => {
  test('leaves nothing, wherever the line goes dead', async () => {
    const content = Buffer.concat([samples.pdf, randomBytes(3_000_000)]);
    const { body, type } = formBody({ fields: { category: 'legal' }, file: { name: 'a.pdf', content } });
    for (const share of [0.0001, 0.3, 0.7, 0.99999]) {
      const call = world.connect(owner, '/api/documents', { 'content-type': type, 'content-length': body.length });
      call.on('error', () => undefined);
      const rows = share > 0.01 ? (before.objects ?? 0) : -1;
      await new Promise<void>((resolve) =>
        call.write(body.subarray(0, Math.floor(body.length * share)), () => resolve()),
      );
      if (rows >= 0) await expect.poll(async () => (await world.kept()).objects).toBeGreaterThan(rows);
      call.destroy();
      await expect.poll(() => world.kept()).toEqual(before);
    }
  });

  test('because the disk is full says so, and leaves nothing', async () => {
    world.store.failWith(new FileStoreFullError());
    const answer = await owner.upload({ file: { name: 'a.pdf', content: samples.pdf } });
    world.store.failWith(null);
    await expectRefusal(answer, [503, 'UNAVAILABLE']);
    expect(answer.json().message).toContain('no room left');
    expect((await owner.upload({ file: { name: 'a.pdf', content: samples.pdf } })).statusCode).toBe(201);
  });

  test('because the store broke in an unforeseen way is our mistake, and leaves nothing', async () => {
    world.store.failWith(new Error('EIO: i/o error, write'));
    const answer = await owner.upload({ file: { name: 'a.pdf', content: samples.pdf } });
    world.store.failWith(null);
    expect([answer.statusCode, answer.json().type]).toEqual([500, 'INTERNAL']);
    expect(answer.body).not.toContain('EIO');
    expect(await world.kept()).toEqual(before);
  });

  test('with the process leaves a row, from which the housekeeping removes the file', async () => {
    const { db } = world.database;
    while ((await removeUnusedFiles(world.opened)) > 0);
    before = await world.kept();
    const path = '11111111-2222-4333-8444-555555555555';
    world.store.files.set(path, Buffer.from('half of it'));
    await db.execute(sql`insert into file_objects (path, created_at) values (${path}, now())`);
    expect(await removeUnusedFiles(world.opened)).toBe(0);
    expect(world.store.files.has(path)).toBe(true);

    await db.execute(sql`update file_objects set created_at = created_at - interval '7 hours'`);
    expect(await removeUnusedFiles(world.opened)).toBe(1);
    expect(await world.kept()).toEqual(before);
    expect(await removeUnusedFiles(world.opened)).toBe(0);
  });
});

describe('an account that is gone', () => {
  test('takes its files with it at the next housekeeping', async () => {
    const gone = await world.newOwner();
    await gone.upload({ file: { name: 'a.pdf', content: samples.pdf } });
    await world.database.db.execute(sql`delete from users where id = ${gone.userId}`);
    await world.database.db.execute(sql`update file_objects set created_at = created_at - interval '7 hours'`);
    expect(await removeUnusedFiles(world.opened)).toBe(1);
    expect(await world.kept()).toEqual(before);
  });
});

/** An archive whose table of contents says that its last part comes to this many bytes. */
function claimingToBe(archive: Buffer, unpackedBytes: number): Buffer {
  const changed = Buffer.from(archive);
  changed.writeUInt32LE(unpackedBytes, changed.lastIndexOf('PK\x01\x02') + 24);
  return changed;
}

/** An archive whose table of contents says that its last part needs a password. */
function encrypted(archive: Buffer): Buffer {
  const changed = Buffer.from(archive);
  changed.writeUInt16LE(1, changed.lastIndexOf('PK\x01\x02') + 8);
  return changed;
}
