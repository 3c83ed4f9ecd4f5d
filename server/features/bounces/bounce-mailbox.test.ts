import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { App } from '#server/app.ts';
import { unsealPayload } from '#server/features/notifications/notifications.payload.ts';
import { reportBytesMax } from '#server/platform/mail/report-limits.ts';
import { bounceMailbox } from '#server/schema/bounces.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { AppError } from '#shared/contract/errors.ts';
import { openTestApp, type TestParts } from '#tests/support/installation/open-test-app.ts';
import { startImapServer, type TestImapServer } from '#tests/support/servers/imap-server.ts';
import { readReturnedMails, unreadMaxMs } from './bounce-mailbox.ts';
import type { Receipt } from './returned-mail.ts';

let opened: TestParts;
let server: TestImapServer;
let nowMs: number;
const received: string[] = [];
const looks: { troubledSinceMs: number | null }[] = [];
const warnings: object[] = [];
let failure: Error | null = null;

beforeAll(async () => {
  const now = async () => new Date(nowMs);
  opened = await openTestApp({
    environment: { ADMIN_EMAIL: 'operator@everkept.example' },
    parts: { clock: { now, recent: now } },
  });
});
afterAll(() => opened.database.close());
beforeEach(async () => {
  for (const table of [bounceMailbox, notifications]) await opened.app.db.delete(table);
  server = await startImapServer();
  nowMs = Date.now();
  failure = null;
  for (const list of [received, looks, warnings]) list.length = 0;
});
afterEach(() => server.close());

async function receive(_app: App, raw: Uint8Array): Promise<Receipt> {
  if (failure) throw failure;
  const text = Buffer.from(raw).toString('utf8').trim();
  received.push(text);
  if (text.startsWith('reply')) return 'reply';
  if (text.startsWith('costly')) return 'too_costly';
  return text.startsWith('report') ? 'taken_back' : 'not_ours';
}

/** Reads the mailbox once. */
async function look(mailboxUrl = server.url): Promise<void> {
  const log = Object.assign(pino({ level: 'silent' }), { warn: (details: object) => void warnings.push(details) });
  const found = await readReturnedMails({ ...opened.app, log }, mailboxUrl, receive);
  if (found) looks.push(found);
}

/** Words of the mails to the operator, each on one line. */
async function told(): Promise<string[]> {
  const rows = await opened.app.db.select().from(notifications);
  return rows.map(({ id, payload }) => {
    const mail = unsealPayload(opened.app.serviceKeys, id, payload ?? Buffer.alloc(0));
    return ('text' in mail ? mail.text : '').replace(/\s+/g, ' ');
  });
}

const deliver = (...texts: string[]) => {
  for (const text of texts) server.deliver(Buffer.from(`${text}\r\n`));
};

test('each mail is read once, and only reports about our mails are marked as read', async () => {
  deliver('report 1', 'a letter to a person', 'report 2', 'reply');
  await look();
  expect(received).toEqual(['report 1', 'a letter to a person', 'report 2', 'reply']);
  expect([...server.seen], 'a reply stays unread for a person').toEqual([1, 3]);
  await look();
  deliver('report 3');
  await look();
  expect(received.slice(4), 'the new one alone').toEqual(['report 3']);
  expect(looks.every(({ troubledSinceMs }) => troubledSinceMs === null)).toBe(true);
});

test('a mail that could not be read is read again in the next round', async () => {
  deliver('report 1', 'report 2');
  failure = new Error('The database is away.');
  await look();
  expect([...server.seen]).toEqual([]);
  failure = null;
  await look();
  expect(received).toEqual(['report 1', 'report 2']);
  await look();
  expect(received).toHaveLength(2);
  expect(await told()).toEqual([]);
});

test.each(['no', 'close'] as const)(
  'a mail that the server does not return (%s) delays no other, and after three rounds the operator is notified',
  async (how) => {
    deliver('report 1', 'report 2', 'report 3');
    server.poison(1, how);
    for (let round = 0; round < 4; round += 1) await look();
    expect(received.toSorted()).toEqual(['report 2', 'report 3']);
    deliver('report 4');
    server.fetched.length = 0;
    await look();
    expect(received).toContain('report 4');
    expect(server.fetched, 'the one that fails is left out').toEqual([4]);
    expect(await told()).toEqual([expect.stringContaining('Its number there is 1 (UID)')]);
    await look();
    expect(looks.at(-1)?.troubledSinceMs).toBeNull();
  },
);

test('one mail that takes too much to read stops no other, stays unread, and is reported to the operator once', async () => {
  deliver('report 1', 'costly', 'report 2');
  for (let round = 0; round < 3; round += 1) await look();
  expect(received, 'it is read once').toEqual(['report 1', 'costly', 'report 2']);
  expect([...server.seen]).toEqual([1, 3]);
  const words = 'Its number there is 2 (UID). It names an email of ours, and needs more';
  expect(await told()).toEqual([expect.stringContaining(words)]);
  expect(warnings).toEqual([{ uid: 2, why: 'too_costly' }]);
  expect(looks.every(({ troubledSinceMs }) => troubledSinceMs === null)).toBe(true);
});

test('a mail is reported again if the mailbox was rebuilt and gives its number to another mail', async () => {
  deliver('report 1');
  await look();
  deliver('costly');
  await look();
  server.rebuild();
  await look();
  expect(await told()).toHaveLength(2);
});

test('a mailbox whose server returns no mail is in trouble, and loses none', async () => {
  deliver(...Array.from({ length: 30 }, (_, number) => `report ${number}`));
  for (let uid = 1; uid <= 30; uid += 1) server.poison(uid, 'no');
  await look();
  expect(warnings).toHaveLength(1);
  expect(looks).toEqual([]);
});

test('a mail that comes while we are too busy to read it is no broken mail, and is read in a later round', async () => {
  deliver('report 1', 'report 2');
  failure = new AppError('UNAVAILABLE', 'Too many jobs wait.');
  for (let round = 0; round < 4; round += 1) await look();
  failure = null;
  await look();
  expect(received).toEqual(['report 1', 'report 2']);
  expect(await told()).toEqual([]);
});

test('a mailbox that was rebuilt, or is another one, is read from its beginning', async () => {
  deliver('report 1');
  await look();
  server.rebuild();
  await look();
  expect(received).toEqual(['report 1', 'report 1']);
  await look(server.url.replace('INBOX', 'Bounces'));
  expect(received).toHaveLength(3);
});

test('only the beginning of a mail of many megabytes is read', async () => {
  server.deliver(Buffer.concat([Buffer.from('report '), Buffer.alloc(3_000_000, 'x')]));
  await look();
  expect(received[0]?.length).toBe(reportBytesMax);
});

test('an unreadable mailbox is recorded, and reported to the operator after six hours', async () => {
  deliver('report 1');
  await look();
  const readAtMs = nowMs;
  server.lockOut();
  deliver('report 2');
  nowMs += unreadMaxMs - 1;
  await look();
  expect(warnings).toHaveLength(1);
  expect(looks).toHaveLength(1);
  nowMs += 1;
  await look();
  expect(looks.at(-1)?.troubledSinceMs).toBe(readAtMs);
  expect(JSON.stringify(warnings), 'no name and no password').not.toContain('secret');
});
