import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createFilesWorld,
  type FileOwner,
  type FilesWorld,
} from '#server/features/documents/vault-files.test-world.ts';
import { createRateLimits } from '#server/http/rate-limits.ts';
import { importLimits, importsPerDayMax } from '#shared/rules/imports.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { fileSize } from '#shared/rules/sizes.ts';
import { ask, newFullOwner } from './export.test-world.ts';
import { exportsPerDayMax } from './export.ts';
import { createGatedStore, type Exported, formOfImport, sendImport } from './import.test-world.ts';
import { importFile } from './import.ts';

const quarterOfAnHour = 1 / 24 / 4;
const chosen = { releaseMethod: 'trusted_contact', inactivityDays: 180 };
const awayUntil = new Date(Date.now() + 30 * dayMs).toISOString().slice(0, 10);
const preferences = { quorum: 2, waitingDays: 1, answerDays: 14 };
const chosenSettings = { ...chosen, ...preferences };

const gated = createGatedStore();
let world: FilesWorld;
let data: Exported;
let file: string;

/** An export of somebody who chose everything, with three letters, of which one is ready and has a file. */
beforeAll(async () => {
  world = await createFilesWorld({ store: gated.store });
  const from = await newFullOwner(world);
  await world.write(from, { title: 'A third', status: 'ready' });
  await from.browser.send('PUT', '/api/user/release-settings', { body: chosen });
  await from.browser.send('PUT', '/api/release/preferences', { body: { ...preferences, awayUntil } });
  file = (await ask(from, { format: 'json' })).body;
  data = JSON.parse(file);
});
afterAll(() => world.close());

const get = async (owner: FileOwner, path: string) => (await owner.browser.send('GET', path)).json();
const titlesOf = async (owner: FileOwner): Promise<[string, string][]> =>
  (await get(owner, '/api/messages')).map(({ title, status }: Record<string, string>) => [title, status]).toSorted();

async function settingsOf(owner: FileOwner) {
  const { releaseMethod, inactivityDays, quorum, waitingDays, answerDays } = await get(owner, '/api/release');
  return { releaseMethod, inactivityDays, quorum, waitingDays, answerDays };
}

async function signs(owner: FileOwner) {
  const { rows } = await world.database.db.execute(sql`
    select (select last_checkin_at from users where id = ${owner.userId}) as at,
      (select count(*)::int from audit_logs where user_id = ${owner.userId}) as acts`);
  return [rows, await world.kept()];
}

describe('into a smaller plan', () => {
  test('an import takes what fits, names what stays, and brings the rest after an upgrade, doubling nothing', async () => {
    const owner = await world.newOwner('free');
    await owner.browser.send('POST', '/api/messages', {
      body: { title: 'Mine', content: 'Here already.', recipientEmail: 'nell@family.example', category: 'personal' },
    });
    const first = (await sendImport(world, owner, file)).json();
    expect(first).toMatchObject({ messages: 1, documents: 0, contacts: 1, checklists: 0, alreadyThere: 0 });
    expect(first.stays).toMatchObject([
      { kind: 'message', title: 'For <Nell>', reason: expect.stringContaining('File attachments require Essential') },
      { kind: 'message', title: 'A draft', reason: expect.stringContaining('Free has room for 2 messages') },
      { kind: 'document', title: 'House & home', reason: expect.stringContaining('document vault') },
      { kind: 'checklists', title: 'Checklists' },
    ]);
    expect(await titlesOf(owner)).toEqual([
      ['A third', 'draft'],
      ['Mine', 'draft'],
    ]);

    await world.database.db.execute(sql`update users set plan = 'essential' where id = ${owner.userId}`);
    const rest = (await sendImport(world, owner, file)).json();
    expect(rest).toMatchObject({ messages: 2, documents: 1, contacts: 0, checklists: 1, alreadyThere: 2, stays: [] });
    expect((await sendImport(world, owner, file)).json()).toMatchObject({ messages: 0, documents: 0, alreadyThere: 5 });
    expect(await titlesOf(owner)).toHaveLength(4);
  });

  test('an import names the contacts for whom there is no place', async () => {
    const owner = await world.newOwner();
    const [one] = data.contacts;
    const contacts = Array.from({ length: 22 }, (_, at) => ({
      ...one,
      name: `Friend ${at}`,
      email: `f${at}@x.example`,
    }));
    const { contacts: added, stays } = (await sendImport(world, owner, JSON.stringify({ ...data, contacts }))).json();
    expect([added, stays.map(({ title }: { title: string }) => title)]).toEqual([20, ['Friend 20', 'Friend 21']]);
  });
});

describe('what an import is told to do', () => {
  test('a preview says what would come, what would stay and both settings, and leaves nothing', async () => {
    const owner = await world.newOwner('free');
    const [before, now] = [await signs(owner), await settingsOf(owner)];
    const answer = (await sendImport(world, owner, file, { preview: true })).json();
    expect(answer).toMatchObject({ isPreview: true, messages: 2, readyMessages: 1, contacts: 1, documents: 0 });
    expect(answer.stays).toHaveLength(3);
    expect(answer.settings).toMatchObject({ inExport: chosenSettings, areTaken: false });
    expect(answer.settings.now).toMatchObject({ ...now, answerDays: expect.toBeOneOf([null, now.answerDays]) });
    expect(await signs(owner)).toEqual(before);
    expect(await get(owner, '/api/trusted-contacts')).toEqual([]);
  });

  test('without a tick letters come as drafts and the settings stay, with both they come as they were', async () => {
    const owner = await world.newOwner();
    const before = await settingsOf(owner);
    await sendImport(world, owner, file);
    expect((await titlesOf(owner)).map(([, status]) => status)).toEqual(['draft', 'draft', 'draft']);
    expect(await settingsOf(owner)).toEqual(before);

    const other = await world.newOwner();
    const answer = await sendImport(world, other, file, { takeSettings: true, asReady: true });
    expect(answer.json().settings.areTaken).toBe(true);
    expect((await titlesOf(other)).map(([, status]) => status)).toEqual(['draft', 'ready', 'ready']);
    expect(await settingsOf(other)).toEqual(chosenSettings);
    expect((await get(other, '/api/release')).awayUntil).toBe(awayUntil);
    // A number that nobody has proven to be theirs answers in nobody's name.
    expect((await get(other, '/api/user')).phone).toBeNull();
  });

  test('a day until which somebody was away is not taken once it is over, nor where it lies too far ahead', async () => {
    const owner = await world.newOwner();
    for (const days of [-3, 200]) {
      const account = { ...data.account, awayUntil: new Date(Date.now() + days * dayMs).toISOString() };
      const answer = await sendImport(world, owner, JSON.stringify({ ...data, account }), { takeSettings: true });
      expect(answer.json().settings).toMatchObject({ areTaken: true, inExport: { awayUntil: account.awayUntil } });
      expect((await get(owner, '/api/release')).awayUntil).toBeNull();
    }
  });

  test('an export that lacks a setting, as another service may write it, is taken without them', async () => {
    const owner = await world.newOwner();
    const { releaseQuorum: _, ...account } = data.account;
    const answer = await sendImport(world, owner, JSON.stringify({ ...data, account }), { takeSettings: true });
    expect(answer.json()).toMatchObject({ messages: 3, settings: { inExport: null, areTaken: false } });
    const wild = { ...data, account: { ...data.account, releaseWaitingDays: 400 } };
    expect((await sendImport(world, owner, JSON.stringify(wild), { takeSettings: true })).statusCode).toBe(400);
  });

  test('an operator’s import takes over settings where nothing is sooner by them and nothing is under way, and says so', async () => {
    const importFor = ({ email }: FileOwner) =>
      importFile(world.opened, { email, content: Readable.from([file]) }, { key: null, takeSettings: true });
    const change = (owner: FileOwner, columns: string) =>
      world.database.db.execute(sql`update users set ${sql.raw(columns)} where id = ${owner.userId}`);
    const lastSign = async ({ userId }: FileOwner) =>
      (await world.database.db.execute(sql`select last_checkin_at as at from users where id = ${userId}`)).rows;

    const patient = await world.newOwner();
    const before = [await settingsOf(patient), await lastSign(patient)];
    // One waiting day in place of three.
    expect((await importFor(patient)).settings).toMatchObject({ inExport: chosenSettings, areTaken: false });
    expect([await settingsOf(patient), await lastSign(patient)]).toEqual(before);
    await change(patient, 'release_waiting_days = 0');
    for (const sooner of ['inactivity_days = 365', 'release_quorum = 3', 'release_answer_days = 30']) {
      await change(patient, sooner);
      expect((await importFor(patient)).settings.areTaken, sooner).toBe(false);
      await change(patient, 'inactivity_days = 90, release_quorum = 1, release_answer_days = null');
    }
    expect((await importFor(patient)).settings.areTaken).toBe(true);
    expect(await settingsOf(patient)).toEqual(chosenSettings);

    const silent = await world.newOwner();
    await change(
      silent,
      "release_waiting_days = 0, last_checkin_at = now() - interval '50 days', next_step_at = now()",
    );
    await world.releases.sweep();
    expect((await get(silent, '/api/release')).state).toBe('reminded');
    expect((await importFor(silent)).settings.areTaken, 'while a release is open').toBe(false);
    const owned = await sendImport(world, silent, file, { takeSettings: true });
    expect(owned.json().settings.areTaken, 'by its owner, who is back with it').toBe(true);
  });

  test('settings and ready letters ask for a fresh sign-in, a plain import and a look do not', async () => {
    const owner = await world.newOwner();
    await world.jump(quarterOfAnHour);
    const before = [await signs(owner), await settingsOf(owner)];
    for (const choice of [{ takeSettings: true }, { asReady: true }]) {
      const answer = await sendImport(world, owner, file, choice);
      expect([answer.statusCode, answer.json().type]).toEqual([403, 'REAUTHENTICATION_REQUIRED']);
    }
    expect([await signs(owner), await settingsOf(owner)]).toEqual(before);
    expect((await sendImport(world, owner, file, { preview: true })).statusCode).toBe(200);
    expect((await sendImport(world, owner, file)).statusCode).toBe(200);
  });
});

describe('what an import may cost', () => {
  test('a file above the plan is refused as soon as its length is known, before any of it is read', async () => {
    const owner = await world.newOwner('free');
    const before = await world.kept();
    const { fileBytesMax } = importLimits.free;
    const call = world.connect(owner, '/api/import-data', {
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': fileBytesMax + 2_000_000,
    });
    const answered = new Promise<number | undefined>((resolve) =>
      call.once('response', ({ statusCode }) => resolve(statusCode)),
    );
    call.on('error', () => {});
    call.flushHeaders();
    expect(await answered).toBe(413);
    call.destroy();
    expect(await world.kept()).toEqual(before);
  });

  test('a file whose length was not told ends at the plan’s limit', async () => {
    const owner = await world.newOwner('free');
    const before = await world.kept();
    const answer = await sendImport(world, owner, Buffer.alloc(importLimits.free.fileBytesMax + 1, 32));
    expect([answer.statusCode, answer.json().message]).toEqual([
      413,
      expect.stringContaining(fileSize(importLimits.free.fileBytesMax)),
    ]);
    expect(await world.kept()).toEqual(before);
  });

  test('text is counted by plan: what is too much for Free is taken on a larger one', async () => {
    const long = JSON.stringify({ ...data, auditLog: ['a'.repeat(importLimits.free.textBytesMax)] });
    const [free, essential] = [await world.newOwner('free'), await world.newOwner()];
    expect((await sendImport(world, free, long)).statusCode).toBe(413);
    // Long enough to be read beside the event loop.
    expect((await sendImport(world, essential, long)).json()).toMatchObject({ messages: 3, documents: 1 });
  });

  // The first file of an import is the upload. A letter’s attachment, voice and picture and a document follow.
  test.each([
    ['attachment', 2],
    ['voice', 3],
    ['picture', 4],
    ['document', 5],
  ])(
    'an import whose connection closes while its %s is stored changes nothing and frees its turn',
    async (_, count) => {
      const owner = await world.newOwner();
      const before = [await signs(owner), await titlesOf(owner)];
      const { body, type } = formOfImport(file);
      const closed = new Promise<void>((resolve) =>
        world.app.server.once('connection', (socket) => socket.once('close', () => resolve())),
      );
      const stop = gated.stopAt(count);
      const call = world.connect(owner, '/api/import-data', { 'content-type': type, 'content-length': body.length });
      call.on('error', () => {});
      call.end(body);
      await stop.isReached;
      call.destroy();
      await closed;
      await setImmediate();
      stop.goOn();
      // Turned away until the turn of the first import is free.
      await expect.poll(async () => (await sendImport(world, owner, file, { preview: true })).statusCode).toBe(200);
      expect([await signs(owner), await titlesOf(owner)]).toEqual(before);
      expect((await sendImport(world, owner, file)).json()).toMatchObject({ messages: 3, documents: 1 });
    },
  );

  test('so many a day and no more, whatever became of them', async () => {
    const owner = await world.newOwner('free');
    const statuses: number[] = [];
    for (let count = 0; count <= importsPerDayMax; count += 1) {
      statuses.push((await sendImport(world, owner, 'none')).statusCode);
    }
    expect([new Set(statuses.slice(0, -1)), statuses.at(-1)]).toEqual([new Set([400]), 429]);
  });

  test('and so many exports a day, each of which reads the whole vault', async () => {
    const owner = await world.newOwner('free');
    const limits = createRateLimits({ db: world.database.db });
    for (let count = 0; count < exportsPerDayMax; count += 1) {
      await limits.spend(`export ${owner.userId}`, { limit: exportsPerDayMax, windowMs: 86_400_000 });
    }
    expect((await ask(owner, { format: 'json' })).statusCode).toBe(429);
    expect((await ask(await world.newOwner('free'), { format: 'json' })).statusCode).toBe(200);
  });
});
