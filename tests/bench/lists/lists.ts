import { chromium } from '@playwright/test';
import { findBrowser } from '#build/browser.ts';
import { openDatabase } from '#server/platform/db/database.ts';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { type Figure, ms } from '../figure.ts';
import { mebibyte, memoryOf, sampleMemory } from '../memory.ts';
import { createOwners } from '../owners.ts';
import { type Site, startSite } from '../site.ts';
import { findOwner, writeLetters } from './filled-owner.ts';
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
/** Ten letters, for comparison. */
const few = 10;
/** Stands in one letter of each owner, at the end of its text. */
const rare = 'quince';

/** Lists of one owner with few and with many letters: what a browser and the other callers notice of them. */
export async function listFigures({ letters, isSmall }: { letters: number; isSmall: boolean }): Promise<Figure[]> {
  const site = await startSite();
  const postgres = await startEmbeddedPostgres({ dataDir: site.dataDir });
  const { db, close } = openDatabase({ connection: postgres.connection, maxConnections: 2, onError: rethrow });
  const browser = await chromium.launch({ executablePath: await findBrowser(), args: ['--no-sandbox'] });
  try {
    const counts = [few, Math.ceil(letters / 10), letters];
    const cookies = await createOwners(db, { dataDir: site.dataDir, count: counts.length, name: 'lists' });
    const figures: Figure[] = [];
    for (const [index, count] of counts.entries()) {
      const filled = await findOwner(db, { dataDir: site.dataDir, email: `lists-${index}@everkept.example` });
      await writeLetters(filled, { count, people: 1, rare });
      const owner = { letters: count, cookie: cookies[index] ?? '' };
      figures.push(
        ...(await serviceFigures(site, owner)),
        ...(await browserFigures(browser, site, { ...owner, rare })),
      );
    }
    // In small, the growth table fills and reads those.
    return isSmall ? figures : [...figures, ...(await otherFigures(site, db, counts))];
  } finally {
    await browser.close();
    await close();
    await postgres.stop();
    await site.stop();
  }
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
