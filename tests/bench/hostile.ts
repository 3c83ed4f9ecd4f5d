import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { sql } from 'drizzle-orm';
import { openInstallation } from '#server/installation.ts';
import { readReportInThread } from '#server/platform/mail/read-report.ts';
import { setBook } from '#server/platform/pdf/set-book.ts';
import { readSettings } from '#server/settings.ts';
import { type Figure, ms } from './figure.ts';
import { askForHealth } from './health.ts';
import { mebibyte, memoryOf, sampleMemory } from './memory.ts';
import { createOwners } from './owners.ts';
import { startSite } from './site.ts';

/** Number of parallel inputs, and length of a letter in words and lines. */
type Amount = { times: number; letters: number };
const full: Amount = { times: 10, letters: 200_000 };
const small: Amount = { times: 2, letters: 2_000 };
const goals = { healthMs: 200, memoryMiB: 100 };

/**
 * Slow inputs for libraries, ten of each in parallel. Letters go through a running site. Pictures and mails go
 * through the thread pool of this process, which answers `/healthz` meanwhile.
 */
export async function hostileFigures({ isSmall }: { isSmall: boolean }): Promise<Figure[]> {
  const { times, letters } = isSmall ? small : full;
  const lines = letters / 2;
  const count = (number: number) => number.toLocaleString('en-GB');
  return [
    ...(await lettersAtSite(times, `letters of one word of ${count(letters)} letters, as PDF`, 'a'.repeat(letters))),
    ...(await lettersAtSite(times, `letters of ${count(lines)} short lines, as PDF`, 'a\n'.repeat(lines - 1))),
    ...(await lettersAtSite(
      times,
      `letters of ${count(letters)} Chinese characters at random, as PDF`,
      chinese(letters),
    )),
    ...(await lettersAtSite(times, `letters of ${count(letters)} Arabic letters at random, as PDF`, arabic(letters))),
    ...(await inProcess(times)),
  ];
}

/** Characters of nearly 100 font files, none like its neighbours. Each run has the same. */
const chinese = (length: number) => scattered(length, { first: 0x4e00, count: 6_000 });
/** Words of six letters that are joined, nearly each of which is new. */
const arabic = (length: number) => scattered(length, { first: 0x627, count: 20 }).replace(/(.{6})./gu, '$1 ');

function scattered(length: number, { first, count }: { first: number; count: number }): string {
  let seed = 1;
  return Array.from({ length }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return String.fromCharCode(first + (Math.floor(seed / 256) % count));
  }).join('');
}

async function lettersAtSite(times: number, what: string, content: string): Promise<Figure[]> {
  const site = await startSite();
  const installation = await openInstallation(
    readSettings({ DATA_DIR: site.dataDir, LOG_LEVEL: 'warn', PORT: new URL(site.url).port }),
  );
  try {
    const cookies = await createOwners(installation.db, { dataDir: site.dataDir, count: times + 1 });
    await installation.db.execute(sql`update users set plan = 'free'`);
    const headersOf = (number: number) => ({
      ...{ cookie: cookies[number] ?? '', origin: site.url, 'content-type': 'application/json' },
      'x-forwarded-for': `10.9.0.${number}`,
    });
    const post = (path: string, number: number, body: object) =>
      fetch(`${site.url}${path}`, { method: 'POST', headers: headersOf(number), body: JSON.stringify(body) });
    const letter = { title: 'Nell', recipientEmail: 'nell@family.example', category: 'personal', status: 'draft' };
    const exported = async (number: number) => {
      const answer = await post('/api/export-data', number, { format: 'pdf' });
      await answer.arrayBuffer();
      return answer.status;
    };
    for (let number = 0; number < times; number += 1) await post('/api/messages', number, { ...letter, content });
    // One book before, so that loading the code is not counted.
    await exported(times);
    return await measured(`${times} ${what}`, site, () =>
      Promise.all(cookies.slice(0, times).map((_, at) => exported(at))),
    );
  } finally {
    await installation.close();
    await site.stop();
  }
}

const head = Buffer.from('89504e470d0a1a0a0000000d494844520000000a0000000a080200000002eb5a8d', 'hex');
const chunk = (length: string, type: string) =>
  Buffer.concat([Buffer.from(length, 'hex'), Buffer.from(type), Buffer.alloc(12)]);
const emptyLines = Buffer.concat([Buffer.from('To: a@vault.example\r\n\r\n'), Buffer.alloc(256_000, '\n')]);
const pictures = {
  'pictures whose chunk lies of its length': Buffer.concat([
    head,
    chunk('00000000', 'IDAT'),
    chunk('fffffff4', 'eVIL'),
  ]),
  'pictures with an IDAT of 256 MB that is not there': Buffer.concat([head, chunk('10000000', 'IDAT')]),
};
const mails = {
  'mails of 256 kB of empty lines': emptyLines,
  'mails of 7,000 nested parts': Buffer.from('Content-Type: message/rfc822\r\n\r\n'.repeat(7_000)),
};

async function inProcess(times: number): Promise<Figure[]> {
  const server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const here = { url: `http://127.0.0.1:${port}`, pid: process.pid };
  try {
    const figures: Figure[] = [];
    await setPicture(head, 'before');
    await readReportInThread(emptyLines.subarray(0, 100));
    for (const [what, bytes] of Object.entries(pictures))
      figures.push(
        ...(await measured(`${times} ${what}, as PDF`, here, () => many(times, (at) => setPicture(bytes, String(at))))),
      );
    for (const [what, raw] of Object.entries(mails))
      figures.push(...(await measured(`${times} ${what}`, here, () => many(times, () => readReportInThread(raw)))));
    return figures;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const many = async (times: number, act: (at: number) => Promise<unknown>) => {
  await Promise.all(Array.from({ length: times }, (_, at) => act(at)));
  return [];
};

async function setPicture(bytes: Buffer, owner: string): Promise<void> {
  async function* steps() {
    yield [
      { do: 'begin', title: 'Nell', isPart: false } as const,
      { do: 'picture', bytes: new Uint8Array(bytes), otherwise: 'A picture.' } as const,
    ];
  }
  const input = { title: 'Nell', language: 'en-GB', size: 'A4', contentsPage: null } as const;
  await buffer(await setBook({ input, steps: steps(), owner, tooLarge: 'Too large.' }));
}

type Measured = { url: string; pid: number };

async function measured(what: string, { url, pid }: Measured, act: () => Promise<number[]>): Promise<Figure[]> {
  const beforeBytes = await memoryOf(pid);
  const memory = sampleMemory(pid);
  const health = await askForHealth(url);
  const begunMs = performance.now();
  const statuses = await act();
  const tookMs = performance.now() - begunMs;
  const slowestMs = await health.end();
  const grownMiB = ((await memory.end()) - beforeBytes) / mebibyte;
  const answered = statuses.length > 0 ? `, answered ${[...new Set(statuses)].join(', ')}` : '';
  return [
    { what: `${what}, at once`, figure: `${ms(tookMs)}${answered}` },
    {
      what: '  slowest answer of /healthz beside them',
      figure: ms(slowestMs),
      goal: `< ${goals.healthMs} ms`,
      met: slowestMs < goals.healthMs,
    },
    {
      what: '  memory that they added to the process',
      figure: `${grownMiB.toFixed(0)} MiB`,
      goal: `< ${goals.memoryMiB} MiB`,
      met: grownMiB < goals.memoryMiB,
    },
  ];
}
