import { type ChildProcess, spawn } from 'node:child_process';
import { openDatabase } from '#server/platform/db/database.ts';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { type Figure, median, ms, ratio, ratioBelow } from './figure.ts';
import { connections, type Load, load, type Target } from './load.ts';
import { createOwners } from './owners.ts';
import { type Peer, startPeer } from './peer.ts';
import { end, freePort, ready, startSite } from './site.ts';

const ownersPerConnection = 4;
const messagesPerOwner = 10;
const goals = {
  read: { ofBare: 0.25, ofCeiling: 0.6, timesPeer: 1, p99TimesBare: 2.5 },
  write: { ofCeiling: 0.5 },
} satisfies Record<string, Goal>;
const letter = { title: 'For Nell', content: 'word '.repeat(40), recipientEmail: 'nell@ashworth.example' };

/**
 * Reading ten messages and writing one, signed in, in one run with three yardsticks. A bare route uses the same database. The
 * ceiling is a bare route that seals as much and chains one line of a log. The peer runs if a copy of it is here.
 */
export async function apiFigures({ isSmall }: { isSmall: boolean }): Promise<Figure[]> {
  const pace = { rounds: isSmall ? 1 : 3, isSmall };
  const site = await startSite();
  // The site's database: a second starter gets the running one.
  const postgres = await startEmbeddedPostgres({ dataDir: site.dataDir });
  const { db, close } = openDatabase({ connection: postgres.connection, maxConnections: 1, onError: rethrow });
  const barePort = await freePort();
  const bareUrl = `http://localhost:${barePort}/rows`;
  const ceilingUrl = `http://localhost:${barePort}/sealed-rows`;
  const bare = await startBare(barePort, postgres.connection);
  let peer: Peer | null = null;
  try {
    peer = await startPeer({ users: connections, messagesEach: messagesPerOwner });
    const cookies = await createOwners(db, { dataDir: site.dataDir, count: connections * ownersPerConnection });
    const messages = `${site.url}/api/messages`;
    const json = { 'content-type': 'application/json' };
    const ours = { ...json, origin: site.url };
    const body = JSON.stringify(letter);
    for (const cookie of cookies) await writeSome({ url: messages, headers: { ...ours, cookie }, body });
    await db.execute('analyze');
    await requireRows(messages, cookies[0] ?? '');

    const reads = await inTurn(pace, {
      ours: { url: messages, cookies },
      bare: { url: bareUrl },
      ceiling: { url: ceilingUrl },
      peer: peer?.list,
    });
    const saved = { method: 'POST', headers: json, body } as const;
    const writes = await inTurn(pace, {
      ours: { ...saved, url: messages, headers: ours, cookies },
      bare: { ...saved, url: bareUrl },
      ceiling: { ...saved, url: ceilingUrl },
      peer: peer?.save,
    });
    return [...figures('GET /api/messages', reads, goals.read), ...figures('POST /api/messages', writes, goals.write)];
  } finally {
    await end(bare);
    await peer?.stop();
    await close();
    await postgres.stop();
    await site.stop();
  }
}

type Turn<Measured> = { ours: Measured; bare: Measured; ceiling: Measured; peer: Measured | undefined };

/** A B A B …: a machine that slows down slows all. */
async function inTurn(
  { rounds, isSmall }: { rounds: number; isSmall: boolean },
  { ours, bare, ceiling, peer }: Turn<Target>,
): Promise<Turn<Load>[]> {
  const turns: Turn<Load>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    turns.push({
      bare: await load(bare, { isSmall }),
      ceiling: await load(ceiling, { isSmall }),
      ours: await load(ours, { isSmall }),
      peer: peer && (await load(peer, { isSmall })),
    });
  }
  return turns;
}

type Goal = { ofBare?: number; ofCeiling: number; timesPeer?: number; p99TimesBare?: number };

function figures(what: string, turns: Turn<Load>[], goal: Goal): Figure[] {
  const of = (read: (turn: Turn<Load>) => number) => median(turns.map(read));
  const all = turns.flatMap(({ ours, bare, ceiling, peer }) => [ours, bare, ceiling, ...(peer ? [peer] : [])]);
  const refused = all.reduce((sum, load) => sum + load.refused, 0);
  const rates = {
    ours: of((turn) => turn.ours.requestsPerSecond),
    bare: of((turn) => turn.bare.requestsPerSecond),
    ceiling: of((turn) => turn.ceiling.requestsPerSecond),
    peer: of((turn) => turn.peer?.requestsPerSecond ?? Number.NaN),
  };
  const p99 = { ours: of((turn) => turn.ours.p99Ms), bare: of((turn) => turn.bare.p99Ms) };
  return [
    ratio(`${what}, ratio to the ceiling`, rates.ours, rates.ceiling, goal.ofCeiling),
    ratio('  ratio to a bare route', rates.ours, rates.bare, goal.ofBare),
    Number.isNaN(rates.peer)
      ? { what: '  times what a peer does', figure: 'no copy of it here' }
      : ratio('  times what a peer does', rates.ours, rates.peer, goal.timesPeer),
    {
      what: '  requests a second (ceiling, bare, peer)',
      figure: `${rates.ours.toFixed(0)} (${[rates.ceiling, rates.bare, rates.peer].map(rateWords).join(', ')})`,
    },
    ratioBelow(`  p99 at ${connections} connections : the bare route's`, p99.ours, p99.bare, goal.p99TimesBare),
    { what: '  p99 (bare)', figure: `${ms(p99.ours)} (${ms(p99.bare)})` },
    { what: '  answers that were no success', figure: String(refused), goal: '0', met: refused === 0 },
  ];
}

function rateWords(rate: number): string {
  return Number.isNaN(rate) ? '–' : rate.toFixed(0);
}

async function writeSome({ url, headers, body }: { url: string; headers: Record<string, string>; body: string }) {
  for (let written = 0; written < messagesPerOwner; written += 1) {
    // From addresses of their own, so that the general budget of one is not spent.
    const address = `198.19.0.${written}`;
    const answer = await fetch(url, { method: 'POST', headers: { ...headers, 'x-forwarded-for': address }, body });
    if (!answer.ok) throw new Error(`The bench could not write a message: ${answer.status}.`);
  }
}

/** A fast answer to the wrong question would look like a good figure. */
async function requireRows(url: string, cookie: string): Promise<void> {
  const answer = await fetch(url, { headers: { cookie } });
  const rows: unknown = await answer.json();
  if (!Array.isArray(rows) || rows.length !== messagesPerOwner) throw new Error('The list does not hold ten messages.');
}

async function startBare(port: number, connection: object): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['tests/bench/bare-server.ts', String(port), JSON.stringify(connection)], {
    stdio: 'inherit',
  });
  await ready(`http://localhost:${port}/rows`, child);
  return child;
}

function rethrow(error: Error): never {
  throw error;
}
