import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '#tests/bench/figure.ts';
import { freePort } from '#tests/bench/site.ts';
import { containerParts, openStore, type Said, type Store } from './containers.ts';
import { atMost, type Drill, startDatabase } from './drill.ts';

const megabyte = 1_000_000;
const megabytesMax = 250;
const readyWithinMs = 30_000;
const stopSeconds = 40;
const images = { whole: 'everkept', slim: 'everkept:slim' };
/** Packages that build or test, and would be dead weight. */
const tools = ['vite', 'rolldown', 'esbuild', 'lightningcss', 'typescript', 'vitest', 'playwright-core', '@swc/core'];

export const imageDrill: Drill = {
  name: 'image',
  shows:
    'both images of the Dockerfile are built on a bare Debian and run, read-only, with and without a database of their own',
  needs: containerParts,
  takesMinutes: true,
  async run() {
    const store = await openStore();
    try {
      await store.makeBase();
      await store.build(images.whole);
      await store.build(images.slim, 'slim');
      return [
        ...(await weigh(store)),
        ...(await lookInto(store)),
        ...(await runAlone(store)),
        ...(await runOnDatabase(store)),
      ];
    } finally {
      await store.close();
    }
  },
};

async function weigh(store: Store): Promise<Figure[]> {
  const figures = Object.values(images).map(async (name) =>
    atMost(`${name}: above its base`, (await store.bytesAboveBase(name)) / megabyte, {
      goal: megabytesMax,
      unit: ' MB',
    }),
  );
  return Promise.all(figures);
}

/** Lists programs called node, tools, and differences between the list of parts and the image. */
const inventory = `
  const { readdirSync, readFileSync, existsSync } = require('node:fs');
  const path = require('node:path');
  const entries = readdirSync('node_modules', { recursive: true, withFileTypes: true });
  const isOf = ({ parentPath }) => /(?:^|\\/)node_modules(?:\\/@[^/]+)?\\/[^/@]+$/.test(parentPath);
  const manifests = entries.filter((entry) => entry.name === 'package.json' && isOf(entry));
  const there = manifests.map(({ parentPath }) => JSON.parse(readFileSync(path.join(parentPath, 'package.json'))));
  const named = JSON.parse(readFileSync('sbom.cdx.json')).components;
  const full = ({ group, name, version }) => (group ? group + '/' : '') + name + '@' + version;
  const [list, found] = [named, there].map((all) => new Set(all.map(full)));
  import('/app/server/bundle.mjs').then(({ freshBundle }) => console.log(JSON.stringify({
    user: process.getuid(),
    isBundled: freshBundle() !== undefined,
    nodes: entries.filter(({ name }) => name === 'node' || name === 'node.exe').filter((one) => one.isFile()).length,
    tools: ${JSON.stringify(tools)}.filter((name) => existsSync('node_modules/' + name)),
    packages: found.size,
    unlisted: [...found].filter((one) => !list.has(one)),
    absent: [...list].filter((one) => !found.has(one)),
  })));`;
type Inventory = {
  user: number;
  isBundled: boolean;
  nodes: number;
  tools: string[];
  packages: number;
  unlisted: string[];
  absent: string[];
};

async function lookInto(store: Store): Promise<Figure[]> {
  const figures = Object.values(images).map(async (name) => {
    const { text } = await store.run(name, { options: ['--entrypoint=node'], words: ['-e', inventory] });
    const inside = JSON.parse(text) as Inventory;
    return [
      { what: `${name}: user`, figure: String(inside.user), goal: '10001', met: inside.user === 10_001 },
      { what: `${name}: runs the bundled server`, ...yes(inside.isBundled) },
      atMost(`${name}: another Node.js`, inside.nodes, { goal: 0 }),
      atMost(`${name}: tools that build or test`, inside.tools.length, { goal: 0 }),
      { what: `${name}: packages`, figure: String(inside.packages) },
      atMost(`${name}: packages that its list of parts lacks ${inside.unlisted}`, inside.unlisted.length, { goal: 0 }),
    ];
  });
  return (await Promise.all(figures)).flat();
}

const email = 'silas@family.example';

/** As `docker run -p 3000:3000 -v data:/data everkept` does. */
async function runAlone(store: Store): Promise<Figure[]> {
  const port = await freePort();
  const options = ['-p', `127.0.0.1:${port}:3000`, '-v', `${randomUUID()}:/data`];
  await store.start('alone', images.whole, { options });
  const readyMs = await untilReady(port);
  const registered = await ask(port, '/api/register', {
    ...{ email, firstName: 'Silas', lastName: 'Reed', password: `pear-tree-${randomUUID()}` },
  });
  const health = await checkHealth(store, 'alone', images.whole);
  const unasked = await ask(port, '/outbox');
  const fromHost = await mailsFor(store, 'alone', port);
  const address = await store.podman(
    'inspect',
    'alone',
    '-f',
    '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
  );
  const neighbour = await store.run(images.whole, {
    options: ['--entrypoint=node'],
    words: ['-e', asking(address.text)],
  });
  const stoppedMs = await timed(() => store.podman('stop', '-t', String(stopSeconds), 'alone'));
  const ended = await store.podman('inspect', 'alone', '-f', '{{.State.ExitCode}}');
  // Another container with the same volume, as after a new release.
  await store.start('again', images.whole, { options });
  await untilReady(port);
  const afterwards = await mailsFor(store, 'again', port);
  await store.podman('rm', '-f', '-t', '5', 'again');
  return [
    atMost('alone: ready after', readyMs / 1_000, { goal: readyWithinMs / 1_000, unit: ' s' }),
    isSame('alone: registering answers', registered.status, 201),
    isSame('alone: mails that the host finds in the outbox', fromHost, 1),
    isSame('alone: the outbox answers the host without the key', unasked.status, 404),
    isSame('alone: the outbox answers another container', neighbour.text, '404'),
    isSame('alone: its own check of health ends with', health, 0),
    atMost('alone: stopped after', stoppedMs / 1_000, { goal: stopSeconds, unit: ' s' }),
    isSame('alone: and ended with', ended.text, '0'),
    isSame('alone: mails after it was made anew with the same volume', afterwards, 1),
  ];
}

/** Runs what the image says of its health, as an engine does from time to time. */
async function checkHealth(store: Store, container: string, image: string): Promise<number> {
  const { text } = await store.podman('image', 'inspect', image, '-f', '{{json .HealthCheck.Test}}');
  const [, ...command] = JSON.parse(text) as string[];
  return (await store.podman('exec', container, ...command)).code;
}

/** Asks for the outbox in the name under which the host may see it. */
const asking = (address: string) => `require('node:http').get({
  host: '${address}', port: 3000, path: '/outbox', headers: { host: 'localhost:3000' },
}, ({ statusCode }) => console.log(statusCode));`;

/** Site and worker apart, on a PostgreSQL elsewhere; and what the slim image says without one. */
async function runOnDatabase(store: Store): Promise<Figure[]> {
  const without = await store.run(images.slim);
  const database = await startDatabase();
  const ports = { web: await freePort(), worker: await freePort() };
  const data = randomUUID();
  try {
    for (const [role, port] of Object.entries(ports)) {
      const env = { ROLE: role, PORT: String(port), HOST: '127.0.0.1', DATABASE_URL: database.url };
      const settings = Object.entries(env).map(([name, value]) => `--env=${name}=${value}`);
      await store.start(role, images.slim, { options: ['--network=host', '-v', `${data}:/data`, ...settings] });
      await untilReady(port);
    }
    const page = await ask(ports.web, '/');
    const health = await Promise.all(['web', 'worker'].map((name) => checkHealth(store, name, images.slim)));
    const figures = await ask(ports.worker, '/metrics');
    await store.podman('stop', '--all', '-t', String(stopSeconds));
    return [
      isSame('slim, without a database: ends with', without.code, 1),
      { what: 'slim, without a database: names the setting', ...yes(saysSetting(without)) },
      isSame('slim: the site answers', page.status, 200),
      isSame('slim: healthy are, of site and worker', health.filter((code) => code === 0).length, 2),
      isSame('slim: the worker’s figures answer', figures.status, 200),
    ];
  } finally {
    await database.stop();
  }
}

const saysSetting = ({ text }: Said) => text.includes('Set DATABASE_URL') && text.includes('slim');
const yes = (isSo: boolean) => ({ figure: isSo ? 'yes' : 'no', goal: 'yes', met: isSo });

function isSame(what: string, value: string | number, goal: string | number): Figure {
  return { what, figure: String(value), goal: String(goal), met: value === goal };
}

/** With the key that the container has printed at its start. */
async function mailsFor(store: Store, container: string, port: number): Promise<number> {
  const { text: log } = await store.podman('logs', container);
  const [, key = ''] = /outbox\?key=([\w-]+)/.exec(log) ?? [];
  const { text } = await ask(port, `/outbox.json?key=${key}`);
  return (JSON.parse(text) as { to: { address: string } }[]).filter(({ to }) => to.address === email).length;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

async function untilReady(port: number): Promise<number> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < 2 * readyWithinMs) {
    const status = await ask(port, '/readyz').then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return performance.now() - startedMs;
    await sleep(100);
  }
  throw new Error(`Nothing was ready at port ${port}.`);
}

/** On a new connection, because a proxy in front keeps connections after its container ends. */
function ask(port: number, path: string, body?: object): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const json = body && JSON.stringify(body);
    const headers = { host: 'localhost:3000', ...(json ? { 'content-type': 'application/json' } : {}) };
    const sending = request({ host: '127.0.0.1', port, path, headers, method: json ? 'POST' : 'GET', agent: false });
    sending.on('error', reject);
    sending.on('response', (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sending.end(json);
  });
}
