import { setTimeout as sleep } from 'node:timers/promises';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { openDatabase } from '#server/platform/db/database.ts';
import type { Figure } from '#tests/bench/figure.ts';
import { createOwners } from '#tests/bench/owners.ts';
import { type Installation, startInstallation } from '#tests/e2e/support/installation.ts';
import { createAskedOwners } from '#tests/support/asked-owners.ts';
import { startMailServer, type TestMailServer } from '#tests/support/servers/mail-server.ts';
import { atMost, type Drill, startDatabase } from './drill.ts';

const ownersCount = 3;
const lettersEach = 50;
const letters = ownersCount * lettersEach;
/** Time of the mail server per mail, so that connections break in the middle. */
const mailMs = 400;
/** Number of sent letters when the connections go silent. */
const leftFirst = 24;
const watchMs = 150_000;
/** A letter whose question at DATA met a silent connection is tried again a minute later. Two tries may meet one. */
const arrivedGoalSeconds = 120;
const triedAgainMax = 5;
const askEveryMs = 250;

export const silentDatabaseDrill: Drill = {
  name: 'silent-database',
  shows: 'every open connection to the database goes silent in the middle of a release',
  needs: [],
  run,
};

async function run(): Promise<Figure[]> {
  const database = await startDatabase();
  const takenMs: number[] = [];
  const mail = await startMailServer({
    beforeAnswer: () => {
      takenMs.push(performance.now());
      return sleep(mailMs);
    },
  });
  const service = await startInstallation({
    DATABASE_URL: database.url,
    SMTP_URL: mail.url,
    TRUST_PROXY: '127.0.0.1',

    TICK_SECONDS: '60',
  });
  const own = openDatabase({ connection: database.connection, maxConnections: 2, onError: rethrow });
  try {
    const { dataDir } = service;
    const [cookie = ''] = await createOwners(own.db, { dataDir, count: 1 });
    const masterKeys = await loadMasterKeys({ dataDir });
    const crowd = { masterKeys, count: ownersCount, name: 'drill', contactsEach: 1, lettersEach, at: new Date() };
    const owners = await createAskedOwners(own.db, crowd);
    for (const { portalTokens } of owners) await confirm(service, portalTokens[0] ?? '');
    await until(() => mail.received.length >= leftFirst);

    const open = database.proxy.swallow();
    const startedMs = performance.now();
    const readers = new Set(owners.flatMap((owner) => owner.readers));
    const seen = await watch({ service, mail, cookie, startedMs, readers });
    // The last few are those that are tried again.
    const pauses = takenMs
      .slice(0, -triedAgainMax)
      .flatMap((at, index) => (at > startedMs ? [at - (takenMs[index - 1] ?? startedMs)] : []));
    return [
      { what: `connections that went silent, at ${seen.sentBefore} of ${letters} letters`, figure: String(open) },
      atMost('longest pause between two letters', Math.max(...pauses) / 1_000, { goal: 30, unit: ' s' }),
      atMost('until all had arrived', seen.allMs / 1_000, { goal: arrivedGoalSeconds, unit: ' s' }),
      atMost('until “I am here” was heard', seen.heardMs / 1_000, { goal: 10, unit: ' s' }),
      atMost('letters that did not arrive', letters - seen.arrived, { goal: 0 }),
      // As many as are on their way at once; the same mail each time, with the same Message-ID.
      atMost('letters that arrived twice', seen.twice, { goal: 6 }),
      atMost('ways in which nobody was told (/readyz, the log)', 2 - seen.told, { goal: 0 }),
    ];
  } finally {
    await own.close();
    await service.stop();
    await mail.close();
    await database.stop();
  }
}

type Scene = {
  service: Installation;
  mail: TestMailServer;
  cookie: string;
  startedMs: number;
  readers: ReadonlySet<string>;
};

/** Looks on until every letter has arrived, or until `watchMs` have passed. */
async function watch({ service, mail, cookie, startedMs, readers }: Scene) {
  const toReaders = () => mail.received.flatMap(({ envelope }) => envelope.to.filter((one) => readers.has(one)));
  const arrived = () => new Set(toReaders()).size;
  const sentBefore = arrived();
  const passedMs = () => performance.now() - startedMs;
  const never = () => Number.POSITIVE_INFINITY;
  const heard = until(() => checkIn(service, cookie)).then(passedMs, never);
  const readyTold = until(async () => /went silent/.test(await readiness(service))).then(
    () => 1,
    () => 0,
  );
  const allMs = await until(() => arrived() >= letters).then(passedMs, never);
  await sleep(1_000);
  const logTold = service.log.some((line) => line.includes('went silent and were closed')) ? 1 : 0;
  return {
    sentBefore,
    allMs,
    heardMs: await heard,
    told: (await readyTold) + logTold,
    arrived: arrived(),
    twice: toReaders().length - arrived(),
  };
}

async function checkIn({ url }: Installation, cookie: string): Promise<boolean> {
  const headers = { cookie, origin: url, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/checkin`, { method: 'POST', headers, body: '{}' });
  await answer.body?.cancel();
  return answer.ok;
}

async function readiness({ url }: Installation): Promise<string> {
  return (await fetch(`${url}/readyz`)).text();
}

async function confirm({ url }: Installation, token: string): Promise<void> {
  const answer = await fetch(`${url}/api/trusted-contact-admin/${token}/confirm-release`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ confirmed: true, reason: 'I was at the funeral.' }),
  });
  if (!answer.ok) throw new Error(`A contact was answered ${answer.status}: ${await answer.text()}`);
}

async function until(isSo: () => boolean | Promise<boolean>, withinMs = watchMs): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`It did not come to pass within ${withinMs / 1_000} s.`);
    await sleep(askEveryMs);
  }
}

function rethrow(error: Error): never {
  throw error;
}
