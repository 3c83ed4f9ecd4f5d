import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { headJob } from '#server/platform/files/read-head.ts';
import { jobCounts } from '#server/platform/threads/pool.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { containerOf, officePackage, openDocument, realFiles, richText } from '#tests/support/files/real-files.ts';
import { type FormFile, photograph, samples, segmentOf, voices, webmOf } from '#tests/support/forms.ts';
import { createFilesWorld, type FileOwner, type FilesWorld } from './vault-files.test-world.ts';

let world: FilesWorld;
const owners = new Map<PlanName, FileOwner>();
beforeAll(async () => {
  world = await createFilesWorld();
  for (const plan of ['essential', 'lifetime'] as const) owners.set(plan, await world.newOwner(plan));
});
afterAll(() => world.close());

function ownerOn(plan: PlanName): FileOwner {
  const owner = owners.get(plan);
  if (!owner) throw new Error(`There is no owner on ${plan}.`);
  return owner;
}

type Taken = [what: string, file: FormFile, name: string, mimeType: string];
const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const named = (name: string, content: Buffer | string): FormFile => ({ name, content });

describe('a document is taken under the ending of its content', () => {
  const taken: Taken[] = [
    ['a PNG named .jpg', named('Deed.jpg', samples.png), 'Deed.png', 'image/png'],
    ['a WebP named .jpg', named('Deed.jpg', realFiles.webp), 'Deed.webp', 'image/webp'],
    ['a HEIC named .jpg', named('IMG_0042.JPG', realFiles.heic), 'IMG_0042.heic', 'image/heic'],
    ['an AVIF named .jpg', named('Deed.jpg', realFiles.avif), 'Deed.avif', 'image/avif'],
    ['a JPEG named .png', named('Deed.png', photograph), 'Deed.jpg', 'image/jpeg'],
    ['a JPEG named .jfif by Windows', named('Deed.jfif', photograph), 'Deed.jpg', 'image/jpeg'],
    ['a JPEG named .jpe', named('Deed.jpe', photograph), 'Deed.jpg', 'image/jpeg'],
    ['a TIFF of a scanner', named('Scan.tif', realFiles.tif), 'Scan.tif', 'image/tiff'],
    ['a HEIC of a telephone', named('IMG_0042.heic', realFiles.heic), 'IMG_0042.heic', 'image/heic'],
    ['a PDF named .doc', named('will.doc', samples.pdf), 'will.pdf', 'application/pdf'],
    ['a PDF after line breaks', named('will.pdf', realFiles.pdfAfterLineBreaks), 'will.pdf', 'application/pdf'],
    ['a PDF after printer lines', named('will.pdf', realFiles.printedPdf), 'will.pdf', 'application/pdf'],
    ['a PDF after other bytes', named('will.pdf', realFiles.pdfAfterOtherBytes), 'will.pdf', 'application/pdf'],
    ['rich text named .doc', named('will.doc', richText()), 'will.rtf', 'application/rtf'],
    ['rich text', named('will.rtf', richText()), 'will.rtf', 'application/rtf'],
    ['a Word document named .doc', named('will.doc', officePackage()), 'will.docx', wordType],
    ['an older Word document named .docx', named('will.docx', samples.doc), 'will.doc', 'application/msword'],
    [
      'a document of Word Online',
      named('will.docx', officePackage({ main: 'word/document2.xml' })),
      'will.docx',
      wordType,
    ],
    [
      'a document with its content types last',
      named('will.docx', officePackage({ main: 'word/document2.xml', isLast: true })),
      ...['will.docx', wordType],
    ] as unknown as Taken,
    ['an OpenDocument text', named('will.odt', openDocument()), 'will.odt', 'application/vnd.oasis.opendocument.text'],
    [
      ...['an OpenDocument text named .doc', named('will.doc', openDocument())],
      ...['will.odt', 'application/vnd.oasis.opendocument.text'],
    ] as unknown as Taken,
    ['a text that ends as in DOS', named('will.txt', realFiles.dosText), 'will.txt', 'text/plain'],
    ['a text in UTF-16 without its mark', named('will.txt', realFiles.wideText), 'will.txt', 'text/plain'],
    ['a text that begins like a bitmap', named('car.txt', 'BMW papers are in the desk.'), 'car.txt', 'text/plain'],
    ['a PDF named .txt', named('will.txt', samples.pdf), 'will.pdf', 'application/pdf'],
    ['a long name', named(`${'a'.repeat(145)}.doc`, officePackage()), `${'a'.repeat(145)}.docx`, wordType],
  ];

  test.each(taken)('%s', async (_what, file, name, mimeType) => {
    const owner = ownerOn('essential');
    const answer = await owner.upload({ file });
    expect(answer.statusCode, answer.body).toBe(201);
    expect(answer.json()).toMatchObject({ fileName: name, mimeType });
    expect(answer.json().renamedFrom).toBe(name === file.name ? undefined : file.name);
    const served = await owner.browser.send('GET', `/api/documents/${answer.json().id}/download`);
    expect(served.rawPayload.equals(Buffer.from(file.content))).toBe(true);
    expect(served.headers).toMatchObject({
      'content-type': mimeType,
      'content-disposition': expect.stringMatching(/^attachment; /),
      'x-content-type-options': 'nosniff',
    });
  });

  test.each([
    ['a video of QuickTime named .mp4', named('sea.mp4', samples.mov), 'sea.mp4'],
    ['a video of brand M4A', named('sea.mp4', containerOf('M4A ', 'isom')), 'sea.mp4'],
    ['a video of brand F4V', named('sea.mp4', containerOf('F4V ', 'isom')), 'sea.mp4'],
    ['a video of an older telephone', named('sea.3gp', containerOf('3gp5', 'isom')), 'sea.mp4'],
    ['a video of iTunes', named('sea.m4v', containerOf('M4V ', 'isom')), 'sea.mp4'],
    ['a video named .jpg', named('sea.jpg', samples.mp4), 'sea.mp4'],
  ])('%s, on a plan with video', async (_what, file, name) => {
    const answer = await ownerOn('lifetime').upload({ file });
    expect([answer.statusCode, answer.json().fileName], answer.body).toEqual([201, name]);
  });

  test('and its title too, if that is the name of the file', async () => {
    const file = named('Deed.jpg', realFiles.heic);
    const titleOf = async (name: string) =>
      (await ownerOn('essential').upload({ file, fields: { category: 'legal', name } })).json().name;
    expect([await titleOf('Deed.jpg'), await titleOf('Our house.jpg')]).toEqual(['Deed.heic', 'Our house.jpg']);
  });

  test('and a video named .jpg is refused on a plan without video', async () => {
    const answer = await ownerOn('essential').upload({ file: named('sea.jpg', samples.mp4) });
    expect([answer.statusCode, answer.json().type]).toEqual([403, 'FEATURE_NOT_IN_PLAN']);
  });
});

const related = 'Content-Type: multipart/related;\r\n\tboundary="----=_NextPart_01"\r\n\r\n------=_NextPart_01\r\n';
const pageOfWord = `MIME-Version: 1.0\r\n${related}Content-Type: text/html\r\n\r\n<html><p>My will</p></html>`;
const pageOfChrome = `From: <Saved by Blink>\r\nSnapshot-Content-Location: https://a.example/\r\nMIME-Version: 1.0\r\n${related}`;
const emailFile =
  'Return-Path: <nell@a.example>\r\nSubject: My will\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\nHello';
const script = '<!doctype html><script>alert(1)</script>';

describe('a document that is refused says why, and nothing of it is left', () => {
  const refused: [what: string, file: FormFile, cause: string][] = [
    ['a locked Word file', named('will.docx', realFiles.lockedWord), 'This Word file is locked with a password'],
    [
      'a locked Word file named .doc',
      named('will.doc', realFiles.lockedWord),
      'This Word file is locked with a password',
    ],
    [
      'a locked OpenDocument text',
      named('will.odt', openDocument('text', {}, '<manifest:encryption-data manifest:checksum="x"/>')),
      'This document is locked with a password',
    ],
    [
      'an OpenDocument text locked as a whole',
      named('will.odt', openDocument('text', { 'encrypted-package': 'x' })),
      'This document is locked with a password',
    ],
    ['macros of Word', named('will.docx', officePackage({ more: { 'word/vbaProject.bin': 'x' } })), 'holds macros'],
    ['macros of LibreOffice', named('will.odt', openDocument('text', { 'Basic/Standard/a.xml': 'x' })), 'holds macros'],
    [
      'rich text with another file in it',
      named('will.rtf', richText('{\\object\\objdata 0105}')),
      'holds another file',
    ],
    ['a workbook', named('will.doc', realFiles.workbook), 'This is a spreadsheet'],
    ['a spreadsheet of LibreOffice', named('will.odt', openDocument('spreadsheet')), 'a spreadsheet'],
    [
      'a document of Pages',
      named('will.docx', Buffer.from(zipSync({ 'Index/Document.iwa': strToU8('x') }))),
      'This is a document of Pages, Numbers or Keynote',
    ],
    ['an archive', named('will.docx', Buffer.from(zipSync({ 'a.pdf': strToU8('x') }))), 'This is an archive'],
    ['a web page named .doc', named('will.doc', script), 'This file is a web page, although its name ends in .doc'],
    ['a web page in one file of Word', named('will.doc', pageOfWord), 'a web page in one file (MHTML), although'],
    ['a web page in one file of Chrome', named('will.doc', pageOfChrome), 'a web page in one file (MHTML)'],
    ['an email named .doc', named('will.doc', emailFile), 'This file is an email, although its name ends in .doc'],
    ['a letter with a subject named .doc', named('will.doc', 'Subject: My will\n\nDear Nell'), 'plain text'],
    ['a web page in rich clothes', named('will.rtf', `<div>${script}</div>`), 'a web page'],
    ['a text that begins like a program', named('a.txt', '#!/bin/sh\necho x'), 'begins like a program'],
    ['a text that begins like a web page', named('a.txt', '<div>Hello</div>'), 'begins like a web page'],
    [
      'a wide text that begins like a web page',
      named('a.txt', Buffer.from(`${script} ${'x'.repeat(40)}`, 'utf16le')),
      'begins like a web page',
    ],
    ['a text with bytes of no text', named('a.txt', 'Hello\x01\x02 there'), 'bytes that plain text never has'],
    ['a text with letters after its end', named('a.txt', 'Hello\x1a there'), 'bytes that plain text never has'],
    ['a text named .pdf', named('a.pdf', samples.txt), 'This file is plain text, although its name ends in .pdf'],
    ['a bitmap', named('a.jpg', Buffer.concat([Buffer.from('BM'), Buffer.alloc(500)])), 'a bitmap picture'],
    ['a recording', named('a.pdf', voices.mp3), 'a recording'],
    ['a program before a PDF', named('a.pdf', `MZ${'x'.repeat(60)}${samples.pdf}`), 'a program'],
    ['a script before a PDF', named('a.pdf', `#!/bin/sh\n${samples.pdf}`), 'a program'],
    ['a web page before a PDF', named('a.pdf', `${script}${samples.pdf}`), 'a web page'],
    ['a PDF that begins too late', named('a.pdf', Buffer.concat([Buffer.alloc(1_100), samples.pdf])), 'do not know'],
    ['a damaged file', named('a.doc', Buffer.alloc(500, 2)), 'damaged, or of a kind that we do not know'],
    [
      'a Word document without its main part',
      named('a.docx', officePackage({ main: 'other/a.txt' }).subarray(0, 300)),
      'not a Word document',
    ],
  ];

  test.each(refused)('%s', async (_what, file, cause) => {
    const before = await world.kept();
    const answer = await ownerOn('essential').upload({ file });
    expect([answer.statusCode, answer.json().type], answer.body).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(answer.json().message).toContain(cause);
    expect(answer.json().message).toMatch(/\. [A-Z].{10,}\.$/);
    expect(await world.kept()).toEqual(before);
  });

  test('content types that unpack to 60 MB are read in a thread, up to their limit', async () => {
    const { done } = jobCounts(headJob);
    const parts = { '[Content_Types].xml': new Uint8Array(60_000_000), 'word/a.xml': strToU8('x') };
    const answer = await ownerOn('essential').upload({ file: named('a.docx', Buffer.from(zipSync(parts))) });
    expect([answer.statusCode, answer.json().message]).toEqual([415, expect.stringContaining('not a Word document')]);
    expect(jobCounts(headJob).done).toBe(done + 1);
  });
});

const letter = { title: 'For Priya', content: 'Look and listen.', recipientEmail: 'priya@example.org' };

async function writtenLetter(): Promise<string> {
  const answer = await ownerOn('lifetime').browser.send('POST', '/api/messages', { body: letter });
  return `/api/messages/${answer.json().id}`;
}

async function put(file: FormFile) {
  return ownerOn('lifetime').upload({ file, fields: {} }, ['POST', `${await writtenLetter()}/enclosures`]);
}

describe('a picture in a letter', () => {
  test.each([
    ['a PNG named .jpg', named('a.jpg', samples.png), 'a.png'],
    ['a WebP named .jpg', named('a.jpg', realFiles.webp), 'a.webp'],
    ['a JPEG of Windows', named('a.jfif', photograph), 'a.jpg'],
  ])('is taken under the ending of its content: %s', async (_what, file, name) => {
    const answer = await put(file);
    const { name: keptName, kind, renamedFrom } = answer.json();
    expect([answer.statusCode, keptName, kind, renamedFrom]).toEqual([201, name, 'picture', file.name]);
  });

  test.each(['a.png', 'a.jpe'])('loses what its camera wrote, also under the name %s', async (name) => {
    const camera = segmentOf('ffe1', Buffer.from('Exif\0\0 taken at 51.5014 N 0.1419 W'));
    const content = Buffer.concat([photograph.subarray(0, 2), camera, photograph.subarray(2)]);
    const owner = ownerOn('lifetime');
    const path = `${await writtenLetter()}/enclosures`;
    const { id } = (await owner.upload({ file: named(name, content), fields: {} }, ['POST', path])).json();
    const served = await owner.browser.send('GET', `${path}/${id}`);
    expect([served.headers['content-type'], served.rawPayload.includes('51.5014')]).toEqual(['image/jpeg', false]);
  });

  test.each([
    ['a JPEG named .heic', named('a.heic', photograph), 'a.jpg'],
    ['a HEIC named .jpg', named('a.jpg', realFiles.heic), 'a.heic'],
    ['a WebP named .heic', named('a.heic', realFiles.webp), 'a.webp'],
  ])('has its original under the ending of its content: %s', async (_what, file, name) => {
    const owner = ownerOn('lifetime');
    const path = `${await writtenLetter()}/enclosures`;
    const picture = named('a.jpg', photograph);
    const { id } = (await owner.upload({ file: picture, fields: {} }, ['POST', path])).json();
    const answer = await owner.upload({ file, fields: {} }, ['POST', `${path}/${id}/original`]);
    expect([answer.statusCode, answer.json().original?.name], answer.body).toEqual([201, name]);
  });
});

describe('a file attached to a letter', () => {
  test('is taken under the ending of its content, and the answer says so', async () => {
    const file = named('IMG_0042.JPG', realFiles.heic);
    const fields = { ...letter, category: 'personal' };
    const answer = await ownerOn('lifetime').upload({ file, fields }, ['POST', '/api/messages/with-attachment']);
    expect(answer.json()).toMatchObject({ attachmentOriginalName: 'IMG_0042.heic', renamedFrom: 'IMG_0042.JPG' });
  });
});

describe('a voice in a letter', () => {
  test.each([
    ['of a Samsung telephone', named('Voice 001.m4a', realFiles.samsungVoice), 'Voice 001.m4a'],
    ['of brand 3g2', named('a.m4a', containerOf('3g2a')), 'a.m4a'],
    ['named .mp3 that is M4A', named('a.mp3', voices.m4a), 'a.m4a'],
    ['named .ogg that is MP3', named('a.ogg', voices.mp3), 'a.mp3'],
    ['named .3ga', named('a.3ga', realFiles.samsungVoice), 'a.m4a'],
    ['named .oga', named('a.oga', voices.ogg), 'a.ogg'],
  ])('%s is taken', async (_what, file, name) => {
    const answer = await put(file);
    expect([answer.statusCode, answer.json().name, answer.json().kind], answer.body).toEqual([201, name, 'voice']);
  });

  test.each([
    ['a picture named .mp3', named('a.mp3', photograph), 'a JPEG picture'],
    ['a video named .webm', named('a.webm', webmOf('V_VP9')), 'a video'],
    ['a HEIC picture named .jpg', named('a.jpg', realFiles.heic), 'a HEIC picture'],
    ['a PDF named .jpg', named('a.jpg', samples.pdf), 'a PDF'],
  ])('is refused with the cause if it is %s', async (_what, file, cause) => {
    const answer = await put(file);
    expect([answer.statusCode, answer.json().type]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(answer.json().message).toContain(cause);
  });
});
