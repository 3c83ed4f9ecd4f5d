import { randomBytes, randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createFilesWorld,
  type FileOwner,
  type FilesWorld,
} from '#server/features/documents/vault-files.test-world.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { messageSchema } from '#shared/contract/messages.ts';
import { createBrowser } from '#tests/support/app.ts';
import { samples } from '#tests/support/forms.ts';

let world: FilesWorld;

beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

const fields = { title: 'For Priya', content: 'The map is attached.', recipientEmail: 'priya@example.org' };
const map = { name: 'The map.pdf', content: samples.pdf, type: 'application/pdf' };
const letter = { name: 'letter.txt', content: samples.txt };
const post: ['POST', string] = ['POST', '/api/messages/with-attachment'];
const put = (id: string): ['PUT', string] => ['PUT', `/api/messages/${id}/with-attachment`];

async function write(owner: FileOwner, more: Record<string, string> = {}): Promise<string> {
  const answer = await owner.upload({ fields: { ...fields, ...more }, file: map }, post);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<{ id: string }>().id;
}

const download = (owner: FileOwner, id: string) => owner.browser.send('GET', `/api/messages/${id}/attachment`);
const bytesUsed = async (owner: FileOwner) =>
  (await owner.browser.send('GET', '/api/plan-limits')).json<{ storage: { current: number } }>().storage.current;

describe('an attachment', () => {
  test('is sent with its message, shown, and given out as it was', async () => {
    const owner = await world.newOwner();
    const answer = await owner.upload(
      { fields: { ...fields, category: 'family', status: 'ready', visibleToTrustedContact: 'true' }, file: map },
      post,
    );
    expect(answer.statusCode).toBe(201);
    const message = messageSchema.encode(messageSchema.decode(answer.json()));
    expect(message).toMatchObject({
      ...fields,
      category: 'family',
      status: 'ready',
      visibleToTrustedContact: true,
      hasAttachment: true,
      attachmentOriginalName: 'The map.pdf',
      attachmentSize: samples.pdf.length,
      attachmentMimeType: 'application/pdf',
    });
    expect((await owner.browser.send('GET', '/api/messages')).json()).toEqual([message]);
    const file = await download(owner, message.id);
    expect(file.rawPayload.equals(samples.pdf)).toBe(true);
    expect(file.headers['content-disposition']).toContain('attachment; filename="The map.pdf"');
  });

  test('stays while the words change, gives way to another, and goes when it is not wanted', async () => {
    const owner = await world.newOwner();
    const before = await world.kept();
    const id = await write(owner);
    const change = (hasAttachment?: boolean) =>
      owner.browser.send('PUT', `/api/messages/${id}`, { body: { ...fields, title: 'Changed', hasAttachment } });

    for (const kept of [undefined, true]) {
      expect((await change(kept)).json()).toMatchObject({ title: 'Changed', hasAttachment: true });
      expect((await download(owner, id)).statusCode).toBe(200);
    }
    const replaced = await owner.upload({ fields, file: letter, isFileFirst: true }, put(id));
    expect(replaced.json()).toMatchObject({ title: 'For Priya', attachmentOriginalName: 'letter.txt' });
    expect((await download(owner, id)).rawPayload.equals(samples.txt)).toBe(true);
    expect(await world.kept()).toMatchObject({ attachments: (before.attachments ?? 0) + 1, files: before.files + 1 });

    expect((await change(false)).json()).toMatchObject({
      hasAttachment: false,
      attachmentOriginalName: null,
      attachmentSize: null,
      attachmentMimeType: null,
    });
    expect((await download(owner, id)).statusCode).toBe(404);
    expect(await world.kept()).toEqual(before);
  });

  test('has what is said in it in words, which stay with it, and go with it or with another in its place', async () => {
    const owner = await world.newOwner('premium');
    const sea = { name: 'sea.mp4', content: samples.mp4 };
    const said = { attachmentTranscript: 'Hello, Nell.\nThis is the sea.' };
    const made = await owner.upload({ fields: { ...fields, ...said }, file: sea }, post);
    expect(made.json()).toMatchObject(said);
    const { id } = made.json<{ id: string }>();
    const listed = async () => (await owner.browser.send('GET', '/api/messages')).json()[0].attachmentTranscript;
    const change = (more: object) => owner.browser.send('PUT', `/api/messages/${id}`, { body: { ...fields, ...more } });
    expect((await change({})).json()).toMatchObject(said);
    expect(await listed()).toBe(said.attachmentTranscript);
    const { rows } = await world.database.db.execute<{ sealed: string }>(
      sql`select attachment_transcript as sealed from messages where id = ${id}`,
    );
    expect(rows[0]?.sealed).not.toContain('Nell');

    expect((await change({ attachmentTranscript: 'Hello.' })).json().attachmentTranscript).toBe('Hello.');
    expect((await change({ attachmentTranscript: '' })).json().attachmentTranscript).toBeNull();
    await change({ attachmentTranscript: 'Hello.' });
    await owner.upload({ fields, file: map }, put(id));
    expect(await listed()).toBeNull();
    await change({ attachmentTranscript: 'Hello.' });
    await change({ hasAttachment: false });
    expect(await listed()).toBeNull();
    await change({ attachmentTranscript: 'Said in nothing.' });
    expect(await listed()).toBeNull();
    expect((await change({ attachmentTranscript: 'x'.repeat(30_001) })).statusCode).toBe(400);
  });

  test('goes with its message', async () => {
    const owner = await world.newOwner();
    const before = await world.kept();
    const id = await write(owner);
    expect((await owner.browser.send('DELETE', `/api/messages/${id}`)).statusCode).toBe(204);
    // It can be taken back for a while, and its file lies there as long.
    expect(await world.kept()).not.toEqual(before);
    expect((await owner.browser.send('DELETE', `/api/recently-deleted/message/${id}`)).statusCode).toBe(204);
    expect(await world.kept()).toEqual(before);
  });

  test('is nothing that a message can be told to have', async () => {
    const owner = await world.newOwner();
    const body = { ...fields, hasAttachment: true, attachmentPath: randomUUID(), attachmentSize: -5 };
    const answer = await owner.browser.send('POST', '/api/messages', { body });
    expect(answer.json()).toMatchObject({ hasAttachment: false, attachmentSize: null });
    expect((await download(owner, answer.json().id)).statusCode).toBe(404);
  });

  test('cannot be given to, or taken from, another owner or a delivered message', async () => {
    const owner = await world.newOwner();
    const stranger = await world.newOwner();
    const id = await write(owner);
    const before = await world.kept();
    expect((await download(stranger, id)).json()).toEqual((await download(stranger, randomUUID())).json());
    expect((await stranger.upload({ fields, file: letter }, put(id))).statusCode).toBe(404);

    await world.database.db.execute(sql`update messages set status = 'delivered' where id = ${id}`);
    expect((await owner.upload({ fields, file: letter }, put(id))).statusCode).toBe(409);
    expect(await world.kept()).toEqual(before);
    expect((await download(owner, id)).statusCode).toBe(200);
  });

  test('that cannot be sealed in another message: its name is refused there', async () => {
    const owner = await world.newOwner();
    const [first, second] = [await write(owner), await write(owner)];
    await world.database.db.execute(sql`
      update messages set attachment_original_name = (select attachment_original_name from messages where id = ${first})
      where id = ${second}`);
    expect((await download(owner, second)).json()).toMatchObject({ type: 'DAMAGED' });
  });

  test('whose file is another’s is not opened', async () => {
    const owner = await world.newOwner();
    const [first, second] = [await write(owner), await write(owner)];
    const pathOf = async (id: string) =>
      (
        await world.database.db.execute<{ path: string }>(
          sql`select attachment_path as path from messages where id = ${id}`,
        )
      ).rows[0]?.path ?? '';
    const [from, to] = [await pathOf(first), await pathOf(second)];
    world.store.files.set(to, world.store.files.get(from) ?? Buffer.alloc(0));
    expect((await download(owner, second)).json()).toMatchObject({ type: 'DAMAGED' });
  });
});

describe('plans', () => {
  test('without attachments, vault or video say what to do, before anything is stored', async () => {
    const before = await world.kept();
    const free = await world.newOwner('free');
    expect((await free.upload({ fields, file: map }, post)).json()).toEqual({
      message: 'File attachments require Essential plan or higher. Upgrade to attach documents to your messages.',
      type: 'FEATURE_NOT_IN_PLAN',
      upgradeRequired: true,
    });
    const vault = await free.upload({ file: map });
    expect([vault.statusCode, vault.json()]).toMatchObject([
      403,
      { type: 'FEATURE_NOT_IN_PLAN', upgradeRequired: true },
    ]);

    const essential = await world.newOwner('essential');
    for (const name of ['a.mp4', 'a.mov', 'a.webm']) {
      const answer = await essential.upload({ fields, file: { name, content: samples.mp4 } }, post);
      expect([answer.statusCode, answer.json()]).toMatchObject([403, { type: 'FEATURE_NOT_IN_PLAN' }]);
    }
    expect(await world.kept()).toEqual(before);
  });

  test.each(['premium', 'lifetime'] as const)('with video take it: %s', async (plan) => {
    const owner = await world.newOwner(plan);
    for (const kind of ['mp4', 'mov', 'webm'] as const) {
      const answer = await owner.upload({ fields, file: { name: `Hello.${kind}`, content: samples[kind] } }, post);
      expect(answer.statusCode, answer.body).toBe(201);
      expect(answer.json().attachmentMimeType).toMatch(/^video\//);
      const part = await owner.browser.send('GET', `/api/messages/${answer.json().id}/attachment`, {
        headers: { range: 'bytes=10-19' },
      });
      expect([part.statusCode, part.rawPayload.equals(samples[kind].subarray(10, 20))]).toEqual([206, true]);
    }
    const fake = await owner.upload({ fields, file: { name: 'a.mp4', content: '<!doctype html>' } }, post);
    expect(fake.statusCode).toBe(415);
  });

  test('tell what they have', async () => {
    const ask = async (owner: FileOwner, feature: string) =>
      (await owner.browser.send('GET', `/api/user/feature-access/${feature}`)).json();
    const [free, essential] = [await world.newOwner('free'), await world.newOwner('essential')];
    for (const feature of ['documentVault', 'templates', 'checklists']) {
      expect(await ask(free, feature)).toEqual({ hasAccess: false });
      expect(await ask(essential, feature)).toEqual({ hasAccess: true });
    }
    expect(await ask(essential, 'premiumTemplates')).toEqual({ hasAccess: false });
    for (const plan of ['premium', 'lifetime'] as const) {
      expect(await ask(await world.newOwner(plan), 'premiumTemplates')).toEqual({ hasAccess: true });
    }
    expect(await ask(essential, 'constructor')).toMatchObject({ type: 'NOT_FOUND' });
  });

  test('that lapsed still show and give out what is there, and take nothing more', async () => {
    const owner = await world.newOwner('essential');
    const id = (await owner.upload({ file: map })).json().id;
    await world.database.db.update(users).set({ plan: 'free' }).where(eq(users.id, owner.userId));
    expect((await owner.browser.send('GET', '/api/documents')).json()).toHaveLength(1);
    expect((await owner.browser.send('GET', `/api/documents/${id}/download`)).statusCode).toBe(200);
    expect((await owner.upload({ file: map })).statusCode).toBe(403);
    expect((await owner.browser.send('DELETE', `/api/documents/${id}`)).statusCode).toBe(204);
  });

  test('count a message with a file among the messages', async () => {
    const owner = await world.newOwner('essential');
    await Promise.all(Array.from({ length: 15 }, () => owner.upload({ fields, file: map }, post)));
    expect((await owner.browser.send('GET', '/api/messages')).json()).toHaveLength(10);
    const answer = await owner.upload({ fields, file: map }, post);
    expect([answer.statusCode, answer.json()]).toMatchObject([403, { type: 'MESSAGE_LIMIT_EXCEEDED', limit: 10 }]);
  });
});

describe('the room of a plan', () => {
  /** An owner on a plan of 500 MB whose documents come to all but this many bytes, as far as rows tell. */
  async function almostFull(freeBytes: number): Promise<FileOwner> {
    const owner = await world.newOwner('essential');
    const { id } = (await owner.upload({ file: map })).json();
    await world.database.db.execute(sql`update documents set file_size = ${500_000_000 - freeBytes} where id = ${id}`);
    return owner;
  }
  const file = (sizeBytes: number) => ({
    name: 'a.pdf',
    content: Buffer.concat([samples.pdf, randomBytes(sizeBytes - samples.pdf.length)]),
  });

  test('holds against a hundred uploads at once, of both kinds', async () => {
    const owner = await almostFull(100_000);
    const before = await world.kept();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        n % 2 ? owner.upload({ file: file(30_000) }) : owner.upload({ fields, file: file(30_000) }, post),
      ),
    );
    const taken = answers.filter(({ statusCode }) => statusCode === 201);
    expect(taken).toHaveLength(3);
    const refused = answers.find(({ statusCode }) => statusCode !== 201)?.json();
    expect(answers.every(({ statusCode }) => statusCode === 201 || statusCode === 403)).toBe(true);
    expect(refused).toMatchObject({ type: 'STORAGE_LIMIT_EXCEEDED', upgradeRequired: true, limit: 500 });
    expect(refused.current).toBeCloseTo(500, 0);
    expect(await world.kept()).toMatchObject({ objects: (before.objects ?? 0) + 3, files: before.files + 3 });
  });

  test('counts what a file replaces as free, and what is deleted', async () => {
    const owner = await almostFull(100_000);
    const first = await owner.upload({ fields, file: file(80_000) }, post);
    expect(first.statusCode).toBe(201);
    const { id } = first.json();
    expect((await owner.upload({ fields, file: file(100_000) }, put(id))).statusCode).toBe(200);
    const before = await world.kept();
    expect((await owner.upload({ fields, file: file(100_001) }, put(id))).statusCode).toBe(403);
    expect((await owner.upload({ file: file(100) })).statusCode).toBe(403);
    expect(await world.kept()).toEqual(before);
    expect(await bytesUsed(owner)).toBe(500);

    await owner.browser.send('DELETE', `/api/messages/${id}`);
    expect((await owner.upload({ file: file(100_000) })).statusCode).toBe(201);
  });
});

describe('after a release', () => {
  test('recipients get the attachment by their link, and contacts the visible documents by theirs', async () => {
    const owner = await world.newOwner('essential');
    const reader = `reader.${owner.email}`;
    const ada = `ada.${owner.email}`;
    await write(owner, { recipientEmail: reader, status: 'ready' });
    const visible = await owner.upload({
      fields: { category: 'legal', name: 'Will', visibleToTrustedContact: 'true' },
      file: map,
    });
    const hidden = await owner.upload({ fields: { category: 'legal', name: 'A secret' }, file: letter });
    await owner.browser.send('PUT', '/api/user/release-settings', {
      body: { releaseMethod: 'trusted_contact', inactivityDays: 90 },
    });
    await world.befriend(owner, { name: 'Ada Shah', email: ada });
    await world.live(91);

    const visitor = createBrowser(world.app);
    const portal = `/api/trusted-contact-admin/${world.tokenFor(ada, '/trusted-contact-admin/')}`;
    const page = await visitor.send('GET', portal);
    const { id: documentId } = visible.json<{ id: string }>();
    expect(page.json()).toMatchObject({
      documents: [{ id: documentId, name: 'Will', sizeBytes: samples.pdf.length, mimeType: 'application/pdf' }],
      documentsUntil: null,
    });
    expect(page.body).not.toContain('A secret');
    expect((await visitor.send('GET', `${portal}/documents/${documentId}`)).statusCode).toBe(404);

    const reason = 'I was at the funeral.';
    await visitor.send('POST', `${portal}/confirm-release`, { body: { confirmed: true, reason } });
    await world.work();
    const link = `/api/message-delivery/${world.tokenFor(reader, '/message/')}`;
    await visitor.send('POST', `${link}/opened`);
    expect((await visitor.send('GET', link)).json().attachment).toEqual({
      name: 'The map.pdf',
      sizeBytes: samples.pdf.length,
      pictureSize: null,
      mimeType: 'application/pdf',
      transcript: '',
    });
    const attachment = await visitor.send('GET', `${link}/attachment`, { headers: { range: 'bytes=0-4' } });
    expect([attachment.statusCode, attachment.body]).toEqual([206, '%PDF-']);
    expect(attachment.headers['x-robots-tag']).toContain('noindex');

    const document = await visitor.send('GET', `${portal}/documents/${documentId}`);
    expect(document.rawPayload.equals(samples.pdf)).toBe(true);
    for (const id of [hidden.json().id, randomUUID(), 'x']) {
      expect((await visitor.send('GET', `${portal}/documents/${id}`)).statusCode).toBe(404);
    }

    await world.live(31);
    expect((await visitor.send('GET', `${link}/attachment`)).statusCode).toBe(404);
    expect((await visitor.send('GET', `${portal}/documents/${documentId}`)).statusCode).toBe(404);
  });
});
