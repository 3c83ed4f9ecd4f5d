import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createFilesWorld,
  type FileOwner,
  type FilesWorld,
} from '#server/features/documents/vault-files.test-world.ts';
import { exportKeyHeader } from '#shared/contract/export.ts';
import { samples, segmentOf } from '#tests/support/forms.ts';
import { ask, auditOf, letterText, newFullOwner } from './export.test-world.ts';
import { type Exported, type Row, sendImport } from './import.test-world.ts';
import { importFile } from './import.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

const send = (owner: FileOwner, content: Buffer | string, key?: string) => sendImport(world, owner, content, { key });

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
const asDrafts = ({ messages, ...rest }: ReturnType<typeof contentOf>) => ({
  ...rest,
  messages: messages.map((message) => ({ ...message, status: 'draft' })),
});

describe('an import', () => {
  test('brings for whom letters are, and their order; an export of version 1 makes one recipient without a name', async () => {
    const [from, to, later] = [await world.newOwner(), await world.newOwner(), await world.newOwner()];
    const recipients = [
      { name: 'Nell', relation: 'my daughter', email: 'nell@family.example' },
      { name: null, relation: null, email: 'tom@family.example' },
    ];
    const choices = { showRecipients: true, position: 7, deliverOn: '2031-05-04', announceWait: true };
    const words = { title: 'For both', content: 'Words', recipients, ...choices };
    expect((await from.browser.send('POST', '/api/messages', { body: words })).statusCode).toBe(201);
    const text = (await ask(from, { format: 'json' })).body;
    expect((await send(to, text)).json()).toMatchObject({ messages: 1, alreadyThere: 0 });
    const facts = { recipients, recipientEmail: 'nell@family.example', ...choices };
    expect((await exported(to)).messages).toMatchObject([facts]);
    expect((await send(to, text)).json(), 'and once').toMatchObject({ messages: 0, alreadyThere: 1 });

    const old = JSON.parse(text);
    old.version = 1;
    for (const field of ['recipients', 'showRecipients', 'position', 'deliverOn', 'announceWait'])
      delete old.messages[0][field];
    await later.browser.send('POST', '/api/messages', { body: { ...words, title: 'There before', position: 3 } });
    expect((await send(later, JSON.stringify(old))).json()).toMatchObject({ messages: 1 });
    const taken = (await exported(later)).messages.find(({ title }) => title === 'For both');
    const nell = { name: null, relation: null, email: 'nell@family.example' };
    expect(taken).toMatchObject({ recipients: [nell], showRecipients: false, position: 4, deliverOn: null });
    expect((await send(later, JSON.stringify({ ...old, version: 4 }))).json().message).toBe(
      'This export has version 4, and this Everkept reads versions up to 3. Nothing was imported.',
    );
  });

  test('of JSON into an empty vault gives the same content, and once more adds nothing', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    const file = (await ask(from, { format: 'json' })).body;
    const sentBefore = world.mailer.sent.length;
    expect((await send(to, file)).json()).toMatchObject(everything);
    expect(contentOf(await exported(to))).toEqual(asDrafts(contentOf(await exported(from))));
    expect((await send(to, file)).json()).toMatchObject(nothing);
    await world.work();
    expect(world.mailer.sent).toHaveLength(sentBefore);
    expect(await auditOf(world, to.userId, 'import.create')).toMatchObject([everything, nothing]);
    expect((await exported(to)).contacts).toMatchObject([
      { isActive: false, isConfirmed: false, confirmationSentAt: null },
    ]);
  });

  test('reads addresses as people write them', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    const file = await exported(from);
    const recipients = [{ name: null, relation: null, email: 'Post@Müller.example' }];
    const message = { ...file.messages[0], recipients, recipientEmail: 'mailto:post@müller.example' };
    const contact = { ...file.contacts[0], email: 'Ada O’Shea <ada.o’shea@mail.example>' };
    const given = JSON.stringify({ ...file, messages: [message], contacts: [contact] });
    expect((await send(to, given)).json()).toMatchObject({ messages: 1, contacts: 1 });
    const taken = await exported(to);
    expect(taken.messages).toMatchObject([{ recipientEmail: 'post@xn--mller-kva.example' }]);
    expect(taken.contacts).toMatchObject([{ email: "ada.o'shea@mail.example" }]);
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
    expect((await send(to, archive.rawPayload, keyFile)).json()).toMatchObject(everything);
    expect(contentOf(await exported(to))).toEqual(asDrafts(contentOf(await exported(from))));
    expect((await send(from, archive.rawPayload, key.toLowerCase())).json()).toMatchObject(nothing);
  });

  test('brings what is said in a video, with the video', async () => {
    const [from, to] = [await world.newOwner('premium'), await world.newOwner('premium')];
    const fields = { title: 'The sea', content: 'Look.', recipientEmail: 'nell@family.example' };
    const said = { attachmentTranscript: 'This is the sea.' };
    const sea = { name: 'sea.mp4', content: samples.mp4 };
    await from.upload({ fields: { ...fields, ...said }, file: sea }, ['POST', '/api/messages/with-attachment']);
    expect((await send(to, JSON.stringify(await exported(from)))).json()).toMatchObject({ messages: 1 });
    expect((await exported(to)).messages).toMatchObject([said]);
  });

  test('brings what a browser has sealed as it is, words and envelope, and once', async () => {
    const [from, to] = [await world.newOwner(), await world.newOwner()];
    const content = Buffer.concat([Buffer.from('EKSEAL1\n'), Buffer.alloc(5_000, 7)]);
    const [salt, nonce, ciphertext] = ['A'.repeat(22), 'A'.repeat(16), 'A'.repeat(64)];
    const sealed = { version: 2, iterations: 600_000, salt, nonce, ciphertext, hint: 'The boat' };
    const fields = {
      title: 'x',
      content: '',
      recipientEmail: 'nell@family.example',
      encryptedContent: JSON.stringify(sealed),
    };
    const made = await from.upload({ fields, file: { name: 'envelope.sealed', content } }, [
      'POST',
      '/api/messages/with-attachment',
    ]);
    expect(made.statusCode, made.body).toBe(201);
    const text = JSON.stringify(await exported(from));
    expect((await send(to, text)).json()).toMatchObject({ messages: 1 });
    const [message] = (await exported(to)).messages;
    expect(message).toMatchObject({
      encryptedContent: sealed,
      attachment: { name: 'envelope.sealed', mimeType: 'application/octet-stream', base64: content.toString('base64') },
    });
    expect((await send(to, text)).json(), 'and once').toMatchObject({ messages: 0, alreadyThere: 1 });
  });

  test('of version 2, which knew neither pictures nor voice, comes in', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    const data = await exported(from);
    const older = { ...data, version: 2, messages: data.messages.map(({ enclosures: _, ...message }) => message) };
    expect((await send(to, JSON.stringify(older))).json()).toMatchObject({ messages: 2 });
    expect((await exported(to)).messages).toMatchObject([{ enclosures: [] }, { enclosures: [] }]);
  });

  test('takes the place that a camera wrote out of the pictures of letters', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    const data = await exported(from);
    const [first, ...others] = data.messages;
    const [voice, picture] = (first?.enclosures ?? []) as { file: Row }[];
    const place = segmentOf('ffe1', Buffer.from('Exif\0\0MM\0*51.5074N 0.1278W'));
    const content = Buffer.concat([samples.jpg.subarray(0, 2), place, samples.jpg.subarray(2)]);
    const facts = { name: 'garden.jpg', mimeType: 'image/jpeg', sizeBytes: content.length };
    const file = { ...picture?.file, ...facts, base64: content.toString('base64') };
    const text = JSON.stringify({
      ...data,
      messages: [{ ...first, enclosures: [voice, { ...picture, file }] }, ...others],
    });
    expect((await send(to, text)).json()).toMatchObject({ messages: 2 });
    const [message] = (await exported(to)).messages;
    const [, taken] = (message?.enclosures ?? []) as { file: { base64: string; sizeBytes: number } }[];
    expect(taken?.file.sizeBytes).toBe(content.length);
    expect(Buffer.from(taken?.file.base64 ?? '', 'base64').includes('51.5074N')).toBe(false);
    expect((await send(to, text)).json(), 'and once').toMatchObject({ messages: 0 });
  });

  test('takes a letter without those of its pictures that came without their bytes, and once', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    const data = await exported(from);
    const [first, ...others] = data.messages;
    const [voice, picture] = (first?.enclosures ?? []) as { file: Row }[];
    const { base64: _, ...file } = picture?.file ?? {};
    const enclosures = [voice, { ...picture, file: { ...file, problem: 'missing' } }];
    const damaged = JSON.stringify({ ...data, messages: [{ ...first, enclosures }, ...others] });
    expect((await send(to, damaged)).json()).toMatchObject({ messages: 2, withoutFile: 1 });
    expect((await exported(to)).messages[0]).toMatchObject({ enclosures: [{ kind: 'voice' }] });
    expect((await send(to, damaged)).json()).toMatchObject({ messages: 0 });
  });

  test.each([
    ['a voice that is called a picture', { kind: 'picture' }],
    ['a caption of nine hundred letters', { caption: 'x'.repeat(900) }],
    ['a place before the first paragraph', { afterParagraph: -1 }],
    ['a kind that there is not', { kind: 'film' }],
  ])('with %s is none, and leaves nothing', async (_what, change) => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    const before = await world.kept();
    const data = await exported(from);
    const [first, ...others] = data.messages;
    const [voice] = (first?.enclosures ?? []) as Row[];
    const wrong = { ...data, messages: [{ ...first, enclosures: [{ ...voice, ...change }] }, ...others] };
    expect((await send(to, JSON.stringify(wrong))).statusCode).toBe(400);
    expect(await world.kept()).toEqual(before);
  });

  test('leaves a letter out whole whose pictures the plan has no room for', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner('free')];
    const data = await exported(from);
    const [first] = data.messages;
    const bare = { ...data, messages: [{ ...first, attachment: null }] };
    expect((await send(to, JSON.stringify(bare))).json()).toMatchObject({
      messages: 0,
      stays: expect.arrayContaining([
        { kind: 'message', title: 'For <Nell>', reason: expect.stringContaining('Upgrade') },
      ]),
    });
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
    expect((await send(owner, file)).json()).toMatchObject({ ...nothing, messages: 1, alreadyThere: 3 });
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
    expect((await send(to, JSON.stringify(data))).json()).toMatchObject(everything);
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
    expect((await send(to, file)).json()).toMatchObject({ ...everything, documents: 0, withoutFile: 2 });
  });

  test('doubles no letter that came without its attachment, however often it is taken', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    // The same words once more, and never with a file: each answers for one.
    await world.write(from, { title: 'For <Nell>', content: letterText, recipientEmail: 'nell@family.example' });
    const file = (await ask(from, { format: 'json', includeDocuments: false })).body;
    const again = { ...nothing, withoutFile: 1 };
    expect((await send(to, file)).json()).toMatchObject({ messages: 3, withoutFile: 2 });
    expect((await send(to, file)).json()).toMatchObject(again);
    expect((await send(to, file)).json()).toMatchObject(again);
    expect((await exported(to)).messages).toHaveLength(3);

    // It is not known whether the file was left out or taken away, so the letter comes in beside the one there is.
    const whole = (await ask(from, { format: 'json' })).body;
    expect((await send(to, whole)).json()).toMatchObject({ messages: 1, documents: 1, withoutFile: 0 });
    expect((await send(to, whole)).json()).toMatchObject({ messages: 0, documents: 0, alreadyThere: 5 });
    expect((await send(to, file)).json()).toMatchObject({ messages: 0, documents: 0, withoutFile: 0 });
  });

  test('twice at once comes in once, and the others hear that one is being read', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner('premium')];
    const file = (await ask(from, { format: 'json' })).body;
    const answers = await Promise.all([send(to, file), send(to, file), send(to, file)]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 429, 429]);
    const refused = answers.find(({ statusCode }) => statusCode === 429);
    expect([refused?.headers['retry-after'], refused?.json().message]).toEqual([
      '60',
      expect.stringContaining('yours'),
    ]);
    expect((await exported(to)).messages).toHaveLength(2);
    expect((await exported(to)).documents).toHaveLength(1);
  });

  test('for the operator’s command finds the account by its address', async () => {
    const [from, to] = [await newFullOwner(world), await world.newOwner()];
    const file = (await ask(from, { format: 'json' })).rawPayload;
    expect(
      await importFile(
        world.opened,
        { email: to.email, content: Readable.from([file], { objectMode: false }) },
        { key: null },
      ),
    ).toMatchObject(everything);
    await expect(
      importFile(world.opened, { email: 'nobody@people.example', content: Readable.from([file]) }, { key: null }),
    ).rejects.toThrow(/no account/);
  });
});
