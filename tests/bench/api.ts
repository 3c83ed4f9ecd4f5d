import { type ChildProcess, spawn } from 'node:child_process';
import { openDatabase } from '#server/platform/db/database.ts';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { type Figure, median, ms, ratio } from './figure.ts';
import { connections, type Load, load, type Target } from './load.ts';
import { createOwners } from './owners.ts';
import { type Peer, startPeer } from './peer.ts';
import { end, freePort, ready, startSite } from './site.ts';

const rounds = 3;
const ownersPerConnection = 4;
const messagesPerOwner = 10;
const goals = { read: { ratio: 0.3, p99Ms: 25, timesPeer: 5 }, write: { ratio: 0.2, timesPeer: 4 } };
const letter = { title: 'For Nell', content: 'word '.repeat(40), recipientEmail: 'nell@ashworth.example' };

/**
 * Reading ten messages and writing one, signed in. Each is a ratio to a bare route on the same database, and is
 * compared with the peer product, if that is installed.
 */
export async function apiFigures(): Promise<Figure[]> {
  const site = await startSite();
  // The site's database: a second starter gets the running one.
  const postgres = await startEmbeddedPostgres({ dataDir: site.dataDir });
  const { db, close } = openDatabase({ connection: postgres.connection, maxConnections: 1, onError: rethrow });
  const barePort = await freePort();
  const bareUrl = `http://localhost:${barePort}/rows`;
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

    const reads = await inTurn({ url: messages, cookies }, { url: bareUrl }, peer?.list);
    const writes = await inTurn(
      { url: messages, method: 'POST', headers: ours, body, cookies },
      { url: bareUrl, method: 'POST', headers: json, body },
      peer?.save,
    );
    return [...figures('GET /api/messages', reads, goals.read), ...figures('POST /api/messages', writes, goals.write)];
  } finally {
    await end(bare);
    await peer?.stop();
    await close();
    await postgres.stop();
    await site.stop();
  }
}

type Turn = { ours: Load; bare: Load; peer: Load | null };

/** A B A B …: a machine that slows down slows both. */
async function inTurn(ours: Target, bare: Target, peer?: Target): Promise<Turn[]> {
  const turns: Turn[] = [];
  for (let round = 0; round < rounds; round += 1)
    turns.push({ bare: await load(bare), ours: await load(ours), peer: peer ? await load(peer) : null });
  return turns;
}

type Goal = { ratio: number; timesPeer: number; p99Ms?: number };

function figures(what: string, turns: Turn[], goal: Goal): Figure[] {
  const of = (read: (turn: Turn) => number) => median(turns.map(read));
  const refused = turns.reduce(
    (sum, { ours, bare, peer }) => sum + ours.refused + bare.refused + (peer?.refused ?? 0),
    0,
  );
  const ours = of((turn) => turn.ours.requestsPerSecond);
  const bare = of((turn) => turn.bare.requestsPerSecond);
  const p99Ms = of((turn) => turn.ours.p99Ms);
  const oursMs = `${ms(of((turn) => turn.ours.p50Ms))}, ${ms(p99Ms)}`;
  const bareMs = `${ms(of((turn) => turn.bare.p50Ms))}, ${ms(of((turn) => turn.bare.p99Ms))}`;
  const p99Goal = goal.p99Ms === undefined ? {} : { goal: `p99 < ${goal.p99Ms} ms`, met: p99Ms < goal.p99Ms };
  return [
    ratio(`${what}, ratio to a bare route`, ours, bare, goal.ratio),
    { what: '  requests a second (bare)', figure: `${ours.toFixed(0)} (${bare.toFixed(0)})` },
    { what: `  p50, p99 at ${connections} connections (bare)`, figure: `${oursMs} (${bareMs})`, ...p99Goal },
    besidePeer(
      ours,
      of(({ peer }) => peer?.requestsPerSecond ?? Number.NaN),
      goal.timesPeer,
    ),
    { what: '  answers that were no success', figure: String(refused), goal: '0', met: refused === 0 },
  ];
}

/** Empty where there is none to run beside. */
function besidePeer(ours: number, peer: number, goal: number): Figure {
  const what = '  times what a peer does (its requests a second)';
  if (Number.isNaN(peer)) return { what, figure: '' };
  return {
    what,
    figure: `${(ours / peer).toFixed(1)} (${peer.toFixed(0)})`,
    goal: `≥ ${goal}`,
    met: ours / peer >= goal,
  };
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
