import { randomUUID } from 'node:crypto';
import { chromium } from '@playwright/test';
import { eq } from 'drizzle-orm';
import { findBrowser } from '#build/browser.ts';
import { sealRecipient } from '#server/features/messages/recipients.sealing.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import { type Database, openDatabase } from '#server/platform/db/database.ts';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';
import { type Figure, ms } from '../figure.ts';
import { mebibyte, memoryOf, sampleMemory } from '../memory.ts';
import { createOwners } from '../owners.ts';
import { type Site, startSite } from '../site.ts';
import { browserFigures, type Owner } from './lists.browser.ts';
import { call, healthBeside, kilobytes, listsAtOnce, timesOf } from './lists.calls.ts';
import { otherFigures } from './other-lists.ts';

const goals = {
  taskMs: 100,
  keyMs: 50,
  resultsMs: 1_000,
  firstBytes: 60_000,
  healthMs: 50,
  memoryBytes: 60 * mebibyte,
};
const rowsPerInsert = 500;
/** Ten letters, for comparison. */
const few = 10;
/** Stands in one letter of each owner, at the end of its text. */
const rare = 'quince';
const words = 'The blue tin has the photographs. Go to the sea, and take the dog with you. '.repeat(12);

/** Lists of one owner with few and with many letters: what a browser and the other callers notice of them. */
export async function listFigures({ letters }: { letters: number }): Promise<Figure[]> {
  const site = await startSite();
  const postgres = await startEmbeddedPostgres({ dataDir: site.dataDir });
  const { db, close } = openDatabase({ connection: postgres.connection, maxConnections: 2, onError: rethrow });
  const browser = await chromium.launch({ executablePath: await findBrowser(), args: ['--no-sandbox'] });
  try {
    const counts = [few, Math.ceil(letters / 10), letters];
    const cookies = await createOwners(db, { dataDir: site.dataDir, count: counts.length, name: 'lists' });
    const figures: Figure[] = [];
    for (const [index, count] of counts.entries()) {
      await writeLetters(db, { dataDir: site.dataDir, email: `lists-${index}@everkept.example`, count });
      const owner = { letters: count, cookie: cookies[index] ?? '' };
      figures.push(
        ...(await serviceFigures(site, owner)),
        ...(await browserFigures(browser, site, { ...owner, rare })),
      );
    }
    return [...figures, ...(await otherFigures(site, db, counts))];
  } finally {
    await browser.close();
    await close();
    await postgres.stop();
    await site.stop();
  }
}

type Writing = { dataDir: string; email: string; count: number };

/** Letters of 900 characters to one person, written by SQL. */
async function writeLetters(db: Database, { dataDir, email, count }: Writing): Promise<void> {
  const [owner] = await db
    .select({ userId: users.id, key: vaultKeys })
    .from(users)
    .innerJoin(vaultKeys, eq(vaultKeys.userId, users.id))
    .where(eq(users.email, email));
  if (!owner) throw new Error(`There is no owner ${email}.`);
  const { userId, key } = owner;
  const vault = createVaults(await loadMasterKeys({ dataDir })).open(userId, key);
  const nell = { name: 'Nell', relation: 'my daughter', email: 'nell@family.example' };
  const made = Array.from({ length: count }, (_, number) => {
    const id = randomUUID();
    const seal = (column: string, text: string) => vault.seal({ table: 'messages', column, rowId: id }, text);
    const content = seal('content', number === 0 ? `${words}${rare}` : words);
    const createdAt = new Date(Date.UTC(2026, 0, 1) + number * 60_000);
    const letter = { id, userId, title: seal('title', `Letter ${number}`), content, position: number + 1, createdAt };
    return { letter, recipient: { ...sealRecipient(vault, randomUUID(), nell), messageId: id, position: 1 } };
  });
  for (let at = 0; at < count; at += rowsPerInsert) {
    const some = made.slice(at, at + rowsPerInsert);
    await db.insert(messages).values(some.map(({ letter }) => letter));
    await db.insert(messageRecipients).values(some.map(({ recipient }) => recipient));
  }
  await db.execute('analyze');
}

async function serviceFigures(site: Site, owner: Owner): Promise<Figure[]> {
  const { letters } = owner;
  const list = await timesOf(() => call(site, owner, '/api/messages/envelopes'));
  const search = await timesOf(() => call(site, owner, '/api/messages/search', { words: rare }));
  const whole = await timesOf(() => call(site, owner, '/api/messages'));
  const summary = await timesOf(() => call(site, owner, '/api/messages/summary'));
  const idle = await memoryOf(site.pid);
  const memory = sampleMemory(site.pid);
  const besideSearches = await healthBeside(site, () => call(site, owner, '/api/messages/search', { words: rare }));
  const besidePages = await healthBeside(site, () => call(site, owner, '/api/messages/envelopes'));
  const besideLists = await healthBeside(site, () => call(site, owner, '/api/messages'));
  const added = (await memory.end()) - idle;
  const beside = Math.max(besideSearches, besidePages, besideLists);
  return [
    {
      what: `${letters} letters: bytes of the first page`,
      figure: kilobytes(list.bytes),
      goal: `< ${kilobytes(goals.firstBytes)}`,
      met: list.bytes < goals.firstBytes,
    },
    {
      what: '  first page; a search of all texts; dashboard’s summary',
      figure: [list, search, summary].map(({ tookMs }) => ms(tookMs)).join('; '),
    },
    { what: '  GET /api/messages, compressed', figure: `${ms(whole.tookMs)}, ${kilobytes(whole.bytes)}` },
    {
      what: `  slowest /healthz beside ${listsAtOnce} searches; pages; whole lists`,
      figure: [besideSearches, besidePages, besideLists].map(ms).join('; '),
      goal: `< ${goals.healthMs} ms`,
      met: beside < goals.healthMs,
    },
    {
      what: '  memory that they added',
      figure: `${(added / mebibyte).toFixed(0)} MiB`,
      goal: `< ${goals.memoryBytes / mebibyte} MiB`,
      met: added < goals.memoryBytes,
    },
  ];
}

function rethrow(error: Error): never {
  throw error;
}
