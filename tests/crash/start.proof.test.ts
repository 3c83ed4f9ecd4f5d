import { once } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

test('behind a proxy there is no outbox, since every visitor would seem to come from this machine', async () => {
  const site = await startInstallation({ TRUST_PROXY: '127.0.0.1' });
  try {
    expect((await fetch(`${site.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${site.url}/outbox.json`)).status).toBe(404);
  } finally {
    await site.stop();
  }
});
