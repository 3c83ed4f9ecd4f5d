import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { formBody, samples } from '#tests/support/forms.ts';

const mebibyte = 1_048_576;
const pieceBytes = 500_000;
/**
 * V8 collects unused buffers after about 64 MB, so that much may be in memory for a file of any length. The rest is for
 * other work of the process.
 */
const riseMaxBytes = 96 * mebibyte;
/** Rise that a second file may cause, independent of the number of bytes. */
const furtherRiseMaxBytes = 32 * mebibyte;

let database: TestDatabase;
let dataDir: string;
let child: ChildProcess;
let port: number;
let cookie: string;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'everkept-large-'));
  await start();
  cookie = await signIn();
});

afterAll(async () => {
  const ended = once(child, 'exit');
  child.send('stop');
  await ended;
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  child = fork(new URL('./files-child.fixture.ts', import.meta.url), {
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: dataDir, LOG_LEVEL: 'silent' },
    execArgv: [],
  });
  port = (await told<{ port: number }>()).port;
}

async function told<Words>(): Promise<Words> {
  const [words] = await once(child, 'message');
  return words as Words;
}

async function ask<Words>(question: string): Promise<Words> {
  const answer = told<Words>();
  child.send(question);
  return answer;
}

const headers = () => ({ cookie, 'sec-fetch-site': 'same-origin' });

async function signIn(): Promise<string> {
  const person = {
    email: 'sam@people.example',
    password: 'twelve lemons in a bowl',
    firstName: 'Sam',
    lastName: 'Ash',
  };
  const post = (path: string, body: object) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify(body),
    });
  await post('/api/register', { ...person, confirmPassword: person.password });
  await database.db.execute(sql`update users set plan = 'premium', email_verified = true`);
  const answer = await post('/api/login', person);
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Random film that never exists as a whole. It is generated in pieces, equally in each run. */
function* film(sizeBytes: number, untilBytes = sizeBytes): Generator<Buffer> {
  yield samples.mp4;
  const piece = Buffer.alloc(pieceBytes, 'not a single frame of it is real ');
  for (let left = sizeBytes - samples.mp4.length; left > sizeBytes - untilBytes; left -= piece.length) {
    yield left < piece.length ? piece.subarray(0, left) : piece;
  }
}

/** Begins an upload of `sizeBytes` and sends as much of it as `stopAfterBytes`, or all. */
async function upload(sizeBytes: number, stopAfterBytes = sizeBytes) {
  const { body, type } = formBody({ fields: { category: 'personal' }, file: { name: 'Hello.mp4', content: 'SPLIT' } });
  const at = body.indexOf('SPLIT');
  const length = body.length - 5 + sizeBytes;
  const sent = request({
    host: '127.0.0.1',
    port,
    path: '/api/documents',
    method: 'POST',
    headers: { ...headers(), 'content-type': type, 'content-length': length },
  });
  const answered = once(sent, 'response');
  // If the upload is cut off on purpose, the answer is not awaited.
  answered.catch(() => undefined);
  sent.on('error', () => undefined);
  sent.write(body.subarray(0, at));
  const pieces = Readable.from(film(sizeBytes, stopAfterBytes), { objectMode: false });
  pieces.pipe(sent, { end: false });
  await Promise.race([once(pieces, 'end'), once(sent, 'close')]);
  if (stopAfterBytes === sizeBytes) sent.end(body.subarray(at + 5));
  return { sent, answered };
}

async function uploadWhole(sizeBytes: number): Promise<string> {
  const { answered } = await upload(sizeBytes);
  const [response] = await answered;
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  const answer = JSON.parse(Buffer.concat(parts).toString());
  expect([response.statusCode, answer.fileSize]).toEqual([201, sizeBytes]);
  return answer.id;
}

async function downloadDigest(id: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/documents/${id}/download`, { headers: headers() });
  const hash = createHash('sha256');
  for await (const part of answer.body ?? []) hash.update(part);
  return hash.digest('hex');
}

function digestOf(pieces: Iterable<Buffer>): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

/** Names of all files in the store's folder, which the first upload creates. */
async function filesOnDisk(): Promise<string[]> {
  const folder = join(dataDir, 'files');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

test('a film of 200 MB goes in and out while memory rises by less than 96 MiB, and a second one adds less than 32', async () => {
  const sizeBytes = 200_000_000;
  // A small upload first, so that everything that is loaded once is there.
  await downloadDigest(await uploadWhole(100_000));
  await ask('peak');
  const { peakBytes: before } = await ask<{ peakBytes: number }>('peak');

  const id = await uploadWhole(sizeBytes);
  const { peakBytes: uploading } = await ask<{ peakBytes: number }>('peak');
  expect(uploading - before, `${(uploading - before) / mebibyte} MiB`).toBeLessThan(riseMaxBytes);

  expect(await downloadDigest(id)).toBe(digestOf(film(sizeBytes)));
  const { peakBytes: downloading } = await ask<{ peakBytes: number }>('peak');
  expect(downloading - before, `${(downloading - before) / mebibyte} MiB`).toBeLessThan(riseMaxBytes);

  await uploadWhole(sizeBytes);
  const { peakBytes: again } = await ask<{ peakBytes: number }>('peak');
  const known = Math.max(uploading, downloading);
  expect(again - known, `${(again - known) / mebibyte} MiB`).toBeLessThan(furtherRiseMaxBytes);
});

test('a film may have 250 MB, and not a byte more', async () => {
  await uploadWhole(250_000_000);
  const before = await filesOnDisk();
  const { sent, answered } = await upload(250_000_001);
  const [response] = await answered;
  expect(response.statusCode).toBe(413);
  sent.destroy();
  expect(await filesOnDisk()).toEqual(before);
});

test('a process that is killed while a film arrives leaves nothing after the housekeeping', async () => {
  const before = await filesOnDisk();
  await upload(100_000_000, 40_000_000);
  await expect.poll(async () => (await filesOnDisk()).length).toBe(before.length + 1);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  expect(await filesOnDisk()).toHaveLength(before.length + 1);

  await start();
  expect(await ask('sweep')).toEqual({ swept: 0 });
  await database.db.execute(sql`update file_objects set created_at = created_at - interval '7 hours'`);
  expect(await ask('sweep')).toEqual({ swept: 1 });
  expect((await filesOnDisk()).toSorted()).toEqual(before.toSorted());
  const { rows } = await database.db.execute<{ count: number }>(sql`select count(*)::int from file_objects`);
  expect(rows[0]?.count).toBe(before.length);
});
