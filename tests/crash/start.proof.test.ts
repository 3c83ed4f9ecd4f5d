import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, request as requestHttp } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort, ready } from '#tests/bench/site.ts';
import { startInstallation } from '#tests/e2e/support/installation.ts';

test('a start that fails ends, and leaves neither a worker nor a database behind', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-start-'));
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  try {
    const start = startInstallation({ DATA_DIR: dataDir, PORT: String(port) });
    await expect(start).rejects.toThrow(/ended while starting[\s\S]*listens at this address already/);
    await access(join(dataDir, 'postgres/cluster/PG_VERSION'));
    await expect(access(join(dataDir, 'postgres/cluster/postmaster.pid'))).rejects.toThrow('ENOENT');
  } finally {
    taken.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('a public address has neither outbox nor metrics for a proxy that hides the client’s address', async () => {
  const BASE_URL = 'http://vault.example';
  const site = await startInstallation({ BASE_URL, TEST_CLOCK: '' });
  // As nginx does with `proxy_pass http://127.0.0.1:PORT;` and nothing else: its own name for the host, no header more.
  const proxy = createHttpServer((request, response) => {
    const headers = { ...request.headers, host: new URL(site.url).host };
    const passed = requestHttp(`${site.url}${request.url}`, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const through = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  try {
    expect((await fetch(`${through}/readyz`)).status).toBe(200);
    // The application is sent for every path that is no file, and says that there is no such page.
    for (const origin of [through, site.url]) {
      expect(await (await fetch(`${origin}/outbox`)).text()).not.toContain('<h1>Outbox</h1>');
    }
    for (const path of ['/outbox.json', '/metrics']) {
      expect([path, (await fetch(through + path)).status]).toEqual([path, 404]);
      expect([path, (await fetch(site.url + path)).status]).toEqual([path, 404]);
    }
  } finally {
    proxy.close();
    await site.stop();
  }
});

test('behind a proxy there is no outbox, since every visitor would seem to come from this machine', async () => {
  const site = await startInstallation({ TRUST_PROXY: '127.0.0.1' });
  try {
    expect((await fetch(`${site.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${site.url}/outbox.json`)).status).toBe(404);
    // Without a proxy there is no client address. The command and the site know each other by the database's keys.
    await expect(site.everkept('doctor')).rejects.toThrow(
      /public address: This Everkept answers[\s\S]*the proxy sends no X-Forwarded-For/,
    );
  } finally {
    await site.stop();
  }
});

test('a site that is to end says so to balancers first, and answers everybody meanwhile', async () => {
  const site = await startInstallation({ DRAIN_SECONDS: '2' });
  const ended = site.end('SIGTERM');
  try {
    const readiness = await untilStatus(`${site.url}/readyz`, 503);
    expect(readiness).toMatchObject({
      ok: false,
      checks: { process: { ok: false, detail: 'This process is about to end.' } },
    });
    expect((await fetch(`${site.url}/healthz`)).status).toBe(200);
    await ended;
    await expect(fetch(`${site.url}/healthz`)).rejects.toThrow();
  } finally {
    await site.stop();
  }
});

test('npm start ends its server when npm itself is ended, though its shell passes no signal on', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-npm-'));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: String(port), DATA_DIR: dataDir };
  const npm = spawn('npm', ['start'], { env, stdio: 'ignore' });
  try {
    await ready(`${url}/readyz`, npm);
    npm.kill('SIGTERM');
    await expect(untilStatus(`${url}/healthz`, 503)).rejects.toThrow('fetch failed');
    await access(join(dataDir, 'postgres/cluster/PG_VERSION'));
    for (let tries = 0; tries < 100 && (await isThere(join(dataDir, 'postgres/cluster/postmaster.pid'))); tries += 1)
      await sleep(100);
    expect(await isThere(join(dataDir, 'postgres/cluster/postmaster.pid'))).toBe(false);
  } finally {
    npm.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** Polls until this status. @throws the network's error, once no server answers. */
async function untilStatus(url: string, status: number): Promise<unknown> {
  for (let tries = 0; ; tries += 1) {
    if (tries > 200) throw new Error(`${url} did not answer ${status}.`);
    const answer = await fetch(url);
    const body: unknown = await answer.json();
    if (answer.status === status) return body;
    await sleep(100);
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
