import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '#server/platform/db/database.ts';
import type { Figure } from '#tests/bench/figure.ts';
import { createOwners } from '#tests/bench/owners.ts';
import { freePort } from '#tests/bench/site.ts';
import { type Installation, startInstallation } from '#tests/e2e/support/installation.ts';
import { type Drill, type DrillDatabase, noneFailed, ownersRequests, startDatabase } from './drill.ts';
import { type FrontProxy, proxies, siteName, startProxy } from './proxies.ts';

const visitors = 8;
const requestsGoal = 800;
const pauseMs = 120;
/** HAProxy asks every two seconds, and believes the second answer. */
const drainSeconds = 6;
/** By then every proxy has found a site that is there again. */
const settleMs = 6_000;
const answerTimeoutMs = 30_000;

export const rollingRestartDrill: Drill = {
  name: 'rolling-restart',
  shows: 'two sites are restarted one after the other behind HAProxy, nginx and Caddy, and no visitor notices',
  needs: proxies.map(({ part }) => part),
  async run() {
    const database = await startDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'everkept-rolling-'));
    try {
      // Tables are made by one before others come.
      await (await startInstallation({ ...settings, DATABASE_URL: database.url, DATA_DIR: dataDir })).end('SIGTERM');
      const figures = await Promise.all(proxies.map((proxy) => restartBehind(proxy, database, dataDir)));
      return figures.flat();
    } finally {
      await database.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};

const settings = {
  ...{ ROLE: 'web', BASE_URL: `https://${siteName}`, TRUST_PROXY: '127.0.0.1', DRAIN_SECONDS: String(drainSeconds) },
  ...{ TEST_CLOCK: '', TICK_SECONDS: '', DATABASE_POOL_SIZE: '6' },
};

async function restartBehind(proxy: FrontProxy, database: DrillDatabase, dataDir: string): Promise<Figure[]> {
  const ports = [await freePort(), await freePort()] as const;
  const start = (port: number) =>
    startInstallation({ ...settings, DATABASE_URL: database.url, DATA_DIR: dataDir }, { at: port });
  const sites: Installation[] = [await start(ports[0]), await start(ports[1])];
  const front = await startProxy(proxy, ports);
  const own = openDatabase({ connection: database.connection, maxConnections: 1, onError: () => undefined });
  try {
    const cookies = await createOwners(own.db, { dataDir, count: visitors, name: proxy.name.toLowerCase() });
    // Until the proxy has found both.
    await sleep(settleMs);
    const load = visit(
      front.port,
      // Over TLS it has the name that browsers take from this host alone.
      cookies.map((cookie) => `__Host-${cookie}`),
    );
    for (const [index, port] of ports.entries()) {
      await sites[index]?.end('SIGTERM');
      sites[index] = await start(port);
      await sleep(settleMs);
    }
    const { sent, failed } = await load.stop();
    return [
      {
        what: `${proxy.name}: requests while both were restarted`,
        figure: String(sent),
        goal: `≥ ${requestsGoal}`,
        met: sent >= requestsGoal,
      },
      ...noneFailed(`${proxy.name}: of these, failed`, failed),
    ];
  } finally {
    await own.close();
    await front.stop();
    for (const site of sites) await site.end('SIGTERM');
  }
}

const requests = [...ownersRequests, { path: '/' }];

/** Visitors who read and write over kept connections, until they are stopped. */
function visit(port: number, cookies: readonly string[]) {
  const failed = new Map<string, number>();
  let sent = 0;
  let isStopped = false;
  const lanes = cookies.map(async (cookie, number) => {
    // Each has its own address, because their requests exceed the budget of one.
    const agent = new Agent({
      keepAlive: true,
      maxSockets: 1,
      rejectUnauthorized: false,
      localAddress: `127.0.0.${10 + number}`,
    });
    while (!isStopped) {
      const kind = requests[sent % requests.length] ?? { path: '/api/user' };
      sent += 1;
      const outcome = await send({ port, agent, cookie, ...kind }).catch((error: Error) => error.message);
      if (outcome !== null) failed.set(`${kind.path}: ${outcome}`, (failed.get(`${kind.path}: ${outcome}`) ?? 0) + 1);
      await sleep(pauseMs);
    }
    agent.destroy();
  });
  return {
    async stop() {
      isStopped = true;
      await Promise.all(lanes);
      return { sent, failed };
    },
  };
}

type Request = { port: number; agent: Agent; cookie: string; path: string; body?: object };

/** Fault of the answer; null if there is none. */
function send({ port, agent, cookie, path, body }: Request): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const text = body && JSON.stringify(body);
    const headers = {
      ...{ host: siteName, cookie, origin: `https://${siteName}` },
      ...(text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {}),
    };
    const way = { host: '127.0.0.1', port, servername: siteName, agent, path, headers, timeout: answerTimeoutMs };
    const sending = request({ ...way, method: text ? 'POST' : 'GET' }, (answer) => {
      let said = '';
      answer.on('data', (chunk: Buffer) => (said += chunk.toString()));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve((answer.statusCode ?? 0) < 300 ? null : `${answer.statusCode} ${said.slice(0, 80)}`),
      );
    });
    sending.on('timeout', () => sending.destroy(new Error('no answer in time')));
    sending.on('error', reject);
    sending.end(text);
  });
}
