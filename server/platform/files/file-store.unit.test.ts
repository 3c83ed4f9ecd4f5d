import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { objectStoreKeys, startObjectStore } from '#tests/support/servers/object-store.ts';
import {
  type Fault,
  type StrictObjectStore,
  startStrictObjectStore,
  strictStoreKeys,
} from '#tests/support/servers/strict-object-store.ts';
import { createDiskStore } from './disk-store.ts';
import {
  FileMissingError,
  type FileStore,
  FileStoreRefusedError,
  FileStoreUnreachableError,
  openFileStore,
} from './file-store.ts';
import { createMemoryStore } from './memory-store.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'everkept-files-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function openS3(): Promise<FileStore> {
  const bucket = 'vault';
  const server = await startObjectStore({ directory: await newFolder(), bucket });
  onTestFinished(() => server.close());
  return openFileStore({ dataDir: '/nowhere', s3: { bucket, endpoint: server.endpoint, ...objectStoreKeys } });
}

async function openStrictS3(keys = strictStoreKeys): Promise<{ store: FileStore; server: StrictObjectStore }> {
  const server = await startStrictObjectStore('vault');
  const s3 = { bucket: 'vault', endpoint: server.endpoint, ...keys };
  const store = await openFileStore({ dataDir: '/nowhere', s3 });
  onTestFinished(async () => {
    await store.close();
    await server.close();
  });
  return { store, server };
}

const drivers: [name: string, kind: FileStore['kind'], open: () => Promise<FileStore>][] = [
  ['memory', 'memory', async () => createMemoryStore()],
  ['disk', 'disk', async () => openFileStore({ dataDir: await newFolder() })],
  ['s3', 's3', openS3],
  ['strict s3', 's3', async () => (await openStrictS3()).store],
];

const dayMs = 86_400_000;
const streamOf = (...parts: (Buffer | Error)[]) =>
  Readable.from(
    (async function* () {
      for (const part of parts) {
        if (part instanceof Error) throw part;
        yield part;
      }
    })(),
    { objectMode: false },
  );

async function keysOf(store: FileStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list()) keys.push(key);
  return keys.toSorted();
}

describe.each(drivers)('the %s store', (_, kind, open) => {
  async function openForTest() {
    const store = await open();
    onTestFinished(() => store.close());
    return store;
  }

  it('gives back what it was given, byte for byte, in every size', async () => {
    const store = await openForTest();
    expect(store.kind).toBe(kind);
    for (const sizeBytes of [0, 1, 65_536, 12_000_000]) {
      const key = randomUUID();
      const content = randomBytes(sizeBytes);
      const cut = Math.floor(sizeBytes / 3);
      await store.put(key, streamOf(content.subarray(0, cut), content.subarray(cut)));
      expect(content.equals(await buffer(await store.read(key)))).toBe(true);
      expect(await store.sizeOf(key)).toBe(sizeBytes);
    }
  });

  it('reads a part, up to the end and behind it', async () => {
    const store = await openForTest();
    const key = randomUUID();
    await store.put(key, streamOf(Buffer.from('0123456789')));
    const read = async (start: number, end?: number) =>
      (await buffer(await store.read(key, end === undefined ? { start } : { start, end }))).toString();
    expect([await read(0, 1), await read(3, 5), await read(8, 99), await read(7)]).toEqual(['01', '345', '89', '789']);
    expect(await read(10)).toBe('');
  });

  it('lists and removes, missing keys included', async () => {
    const store = await openForTest();
    const [first, second] = [randomUUID(), randomUUID()];
    expect(await keysOf(store)).toEqual([]);
    for (const key of [first, second]) await store.put(key, streamOf(Buffer.from('x')));
    expect(await keysOf(store)).toEqual([first, second].toSorted());

    await store.remove(first);
    await store.remove(first);
    await store.remove(randomUUID());
    expect(await keysOf(store)).toEqual([second]);
    await expect(store.read(first)).rejects.toThrow(FileMissingError);
    await expect(store.sizeOf(first)).rejects.toThrow(FileMissingError);
  });

  it('keeps nothing of a stream that breaks, and says what broke it', async () => {
    const store = await openForTest();
    for (const sizeBytes of [10, 6_000_000]) {
      const key = randomUUID();
      const broken = streamOf(randomBytes(sizeBytes), new Error('the line went dead'));
      await expect(store.put(key, broken)).rejects.toThrow('the line went dead');
      await expect(store.read(key)).rejects.toThrow(FileMissingError);
    }
    expect(await keysOf(store)).toEqual([]);
  });

  it('removes nothing that is finished when it removes what never was', async () => {
    const store = await openForTest();
    const key = randomUUID();
    await store.put(key, streamOf(Buffer.from('whole')));
    expect(await store.removeUnfinished(new Date(Date.now() + dayMs))).toBe(0);
    expect((await buffer(await store.read(key))).toString()).toBe('whole');
  });

  it('takes no key that could be a path', async () => {
    const store = await openForTest();
    for (const key of ['', '..', '../../etc/passwd', 'a/b', `${randomUUID()}/x`, randomUUID().toUpperCase()]) {
      await expect(store.read(key)).rejects.toThrow(TypeError);
      await expect(store.put(key, streamOf())).rejects.toThrow(TypeError);
      await expect(store.remove(key)).rejects.toThrow(TypeError);
    }
  });
});

describe('the disk store', () => {
  it('leaves no half file, and makes whole ones private', async () => {
    const dataDir = await newFolder();
    const store = createDiskStore({ dataDir });
    const key = randomUUID();
    await store.put(key, streamOf(Buffer.from('x')));
    await expect(store.put(randomUUID(), streamOf(Buffer.from('x'), new Error('broken')))).rejects.toThrow('broken');

    expect(await readdir(join(dataDir, 'files', 'unfinished'))).toEqual([]);
    const path = join(dataDir, 'files', key.slice(0, 2), key);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(dataDir, 'files'))).mode & 0o777).toBe(0o700);
  });

  it('removes what a process has left that was killed while it wrote', async () => {
    const dataDir = await newFolder();
    const store = createDiskStore({ dataDir });
    const key = randomUUID();
    const endless = new Readable({ read() {} });
    const written = store.put(key, endless);
    written.catch(() => undefined);
    endless.push(randomBytes(100_000));
    const unfinished = join(dataDir, 'files', 'unfinished');
    await expect.poll(() => readdir(unfinished).catch(() => [])).toEqual([key]);

    expect(await keysOf(store)).toEqual([]);
    // A moved clock does not move the clock of the file system.
    await utimes(join(unfinished, key), new Date(), new Date());
    expect(await store.removeUnfinished(new Date(Date.now() - dayMs))).toBe(0);
    expect(await readdir(unfinished)).toEqual([key]);
    await utimes(join(unfinished, key), new Date(), new Date(Date.now() - 2 * dayMs));
    expect(await store.removeUnfinished(new Date(Date.now() - dayMs))).toBe(1);
    expect(await readdir(unfinished)).toEqual([]);
    await store.remove(key);
    endless.destroy(new Error('over'));
    await expect(written).rejects.toThrow('over');
  });
});

describe('the s3 store', () => {
  it('says so when it cannot be reached', async () => {
    const s3 = { bucket: 'vault', endpoint: 'http://127.0.0.1:9', region: 'x', accessKeyId: 'a', secretAccessKey: 'b' };
    const store = await openFileStore({ dataDir: '/nowhere', s3 });
    onTestFinished(() => store.close());
    await expect(store.read(randomUUID())).rejects.toThrow(FileStoreUnreachableError);
    await expect(store.put(randomUUID(), streamOf(Buffer.from('x')))).rejects.toMatchObject({ status: 503 });
  });

  it('aborts an upload whose stream breaks in the middle of its parts', async () => {
    const { store, server } = await openStrictS3();
    const broken = streamOf(randomBytes(11_000_000), new Error('the line went dead'));
    await expect(store.put(randomUUID(), broken)).rejects.toThrow('the line went dead');
    expect(server.asked.some((asked) => asked.includes('partNumber=2'))).toBe(true);
    expect([server.uploads.size, server.objects.size]).toEqual([0, 0]);
  });

  it('keeps nothing where the store refuses the last step, and says that it cannot be reached', async () => {
    const { store, server } = await openStrictS3();
    server.fault = (asked) =>
      asked.startsWith('POST') && asked.includes('uploadId') ? { status: 400, code: 'InvalidPart' } : null;
    const key = randomUUID();
    await expect(store.put(key, streamOf(randomBytes(6_000_000)))).rejects.toThrow(FileStoreUnreachableError);
    await expect(store.read(key)).rejects.toThrow(FileMissingError);
    expect(server.uploads.size).toBe(0);
  });

  it('removes unaborted uploads of every page, and leaves young and foreign ones', async () => {
    const { store, server } = await openStrictS3();
    const long = new Date(Date.now() - 2 * dayMs);
    const begin = (key: string, initiated: Date) =>
      server.uploads.set(randomUUID(), { key, initiated, parts: new Map([[1, randomBytes(10)]]) });
    for (let count = 0; count < 5; count += 1) begin(`files/${randomUUID()}`, long);
    begin('files/young', new Date());
    begin('backups/another', long);
    expect(await store.removeUnfinished(new Date(Date.now() - dayMs))).toBe(5);
    expect([...server.uploads.values()].map(({ key }) => key).toSorted()).toEqual(['backups/another', 'files/young']);
  });

  it('does without a list of uploads where the store or its rights give none', async () => {
    const { store, server } = await openStrictS3();
    server.fault = (asked) => (asked.startsWith('GET ?uploads') ? { status: 501, code: 'NotImplemented' } : null);
    expect(await store.removeUnfinished(new Date())).toBe(0);
    await store.remove(randomUUID());
  });

  it('tries once more when the store asks it to slow down, or breaks off', async () => {
    const { store, server } = await openStrictS3();
    const trouble: (Fault | null)[] = [{ status: 503, code: 'SlowDown' }, null, 'cut', null];
    server.fault = () => trouble.shift() ?? null;
    const key = randomUUID();
    await store.put(key, streamOf(Buffer.from('kept')));
    expect(await store.sizeOf(key)).toBe(4);
    expect(server.asked.filter((asked) => asked.startsWith('PUT'))).toHaveLength(2);
  });

  it('fails to read what breaks off in the middle, rather than giving half', async () => {
    const { store, server } = await openStrictS3();
    const key = randomUUID();
    await store.put(key, streamOf(randomBytes(200_000)));
    server.fault = () => 'cut';
    await expect(store.read(key).then(buffer)).rejects.toThrow();
  });

  it.each([
    [{ ...strictStoreKeys, accessKeyId: 'SOMEBODY' }, 'InvalidAccessKeyId'],
    [{ ...strictStoreKeys, secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
  ])('says that it was refused, and by which word: %j', async (keys, code) => {
    const { store } = await openStrictS3(keys);
    const refusal = await store.put(randomUUID(), streamOf(Buffer.from('x'))).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(FileStoreRefusedError);
    expect(refusal).toMatchObject({ code, status: 503 });
  });
});
