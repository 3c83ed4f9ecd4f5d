import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { startStrictObjectStore, strictStoreKeys } from '#tests/support/servers/strict-object-store.ts';
import { openFileStore } from './file-store.ts';

test('a disk is well before its first file and after it, and not once its folder is gone', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-ready-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const store = await openFileStore({ dataDir });
  await store.check();
  await store.put(crypto.randomUUID(), Readable.from([Buffer.from('x')], { objectMode: false }));
  await store.check();
  await rm(dataDir, { recursive: true });
  await expect(store.check()).rejects.toThrow();
});

test('object storage is well while it knows us and answers', async () => {
  const server = await startStrictObjectStore('vault');
  const s3 = { bucket: 'vault', endpoint: server.endpoint, ...strictStoreKeys };
  const known = await openFileStore({ dataDir: '/nowhere', s3 });
  const unknown = await openFileStore({ dataDir: '/nowhere', s3: { ...s3, accessKeyId: 'SOMEBODY' } });
  onTestFinished(async () => {
    await known.close();
    await unknown.close();
    await server.close();
  });
  await known.check();
  expect(server.objects.size).toBe(0);
  await expect(unknown.check()).rejects.toThrow();
  server.fault = () => ({ status: 500, code: 'InternalError' });
  await expect(known.check(AbortSignal.timeout(2_000))).rejects.toThrow();
});

test('a store that takes the connection and says nothing is given up after its time, tries and all', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const store = await openFileStore({
    dataDir: '/nowhere',
    s3: { bucket: 'vault', endpoint, ...strictStoreKeys, silenceMs: 200 },
  });
  onTestFinished(async () => {
    await store.close();
    silent.closeAllConnections();
    silent.close();
  });
  const startedMs = performance.now();
  await expect(store.sizeOf(crypto.randomUUID())).rejects.toThrow('We cannot reach our file store');
  expect(performance.now() - startedMs).toBeLessThan(30_000);
});
