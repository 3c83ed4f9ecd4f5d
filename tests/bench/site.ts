import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Site = { url: string; dataDir: string; pid: number; stop(): Promise<void> };

const startTimeoutMs = 180_000;
const pollMs = 100;

/**
 * The product as an operator starts it, in its own directory. Every answer is logged, to /dev/null, so that reading
 * the log costs the measuring process nothing. `apart` runs the worker in its own process, like compose.yaml.
 */
export async function startSite(extra: Record<string, string> = {}, { apart = false } = {}): Promise<Site> {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-bench-'));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const workerPort = await freePort();
  const start = (role: 'all' | 'web' | 'worker') => {
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      NODE_ENV: 'production',
      BASE_URL: url,
      PORT: String(role === 'worker' ? workerPort : port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'info',
      // The load comes from many addresses, since the budgets are for each of them.
      TRUST_PROXY: '127.0.0.1',
      DRAIN_SECONDS: '0',
      ROLE: role,
      ...extra,
    };
    return spawn(process.execPath, ['server/start.mjs', 'serve'], { env, stdio: 'ignore' });
  };

  const site = start(apart ? 'web' : 'all');
  const children = [site];
  const stop = async () => {
    for (const child of children.toReversed()) await end(child);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    if (apart) {
      await ready(`${url}/healthz`, site);
      const worker = start('worker');
      children.push(worker);
      await ready(`http://localhost:${workerPort}/readyz`, worker);
    }
    await ready(`${url}/readyz`, site);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, dataDir, pid: site.pid ?? 0, stop };
}

/** Waits for the first good answer of this address, which `child` is to give. */
export async function ready(address: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The server of ${address} ended with ${child.exitCode}.`);
    const isReady = await fetch(address).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  await end(child);
  throw new Error(`${address} did not answer in time.`);
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

/** A free port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  return address.port;
}
