import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, newFullOwner } from '#server/features/data-export/export.test-world.ts';
import {
  createFilesWorld,
  type FileOwner,
  type FilesWorld,
} from '#server/features/documents/vault-files.test-world.ts';
import { exportKeyHeader } from '#shared/contract/export.ts';
import { officePackage, openDocument, richText } from '#tests/support/files/real-files.ts';
import { type FormFile, formBody, photograph, samples, voices, webp } from '#tests/support/forms.ts';
import { contractRoutes } from '#tests/support/routes.ts';

/** Uploads of each kind that a run sends. */
const uploadsEach = 200;
/** Budgets and rooms for a vault are renewed after this many uploads: the test is about damage. */
const renewEvery = 10;
const retriesMax = 100;
const retryMs = 50;
const heic = readFileSync(new URL('../support/files/photograph.heic', import.meta.url));
const letter = { title: 'For Priya', content: 'Look at this.', recipientEmail: 'priya@example.org' };

let world: FilesWorld;
let owner: FileOwner;
let archive: { content: Buffer; key: string };
let exported: Buffer;
const uncaught: unknown[] = [];
const note = (error: unknown) => void uncaught.push(error);

beforeAll(async () => {
  process.on('uncaughtException', note);
  world = await createFilesWorld();
  owner = await world.newOwner('lifetime');
  const from = await newFullOwner(world, 'lifetime');
  // Long enough that an entry is read in several pieces.
  await from.upload({ file: { name: 'long.txt', content: Buffer.from(randomBytes(20_000).toString('hex')) } });
  const answer = await ask(from);
  archive = { content: answer.rawPayload, key: String(answer.headers[exportKeyHeader]) };
  exported = (await ask(from, { format: 'json' })).rawPayload;
});
afterAll(async () => {
  process.off('uncaughtException', note);
  await world.close();
});

type Target = { method: 'POST' | 'PUT'; path: string };
type Kind = {
  what: string;
  route: string;
  file: () => FormFile;
  fields?: () => Record<string, string>;
  target: () => Promise<Target>;
};

async function write(): Promise<string> {
  return (await owner.browser.send('POST', '/api/messages', { body: letter })).json<{ id: string }>().id;
}

async function enclosedPicture(): Promise<string> {
  const path = `/api/messages/${await write()}/enclosures`;
  const made = await owner.upload({ file: { name: 'a.jpg', content: photograph }, fields: {} }, ['POST', path]);
  return `${path}/${made.json<{ id: string }>().id}`;
}

const document = (name: string, content: Buffer): Kind => ({
  what: `a document of kind ${name}`,
  route: 'createDocument',
  file: () => ({ name: `deed.${name}`, content }),
  fields: () => ({ category: 'legal' }),
  target: async () => ({ method: 'POST', path: '/api/documents' }),
});

const enclosure = (name: string, content: Buffer): Kind => ({
  what: `an enclosure of kind ${name}`,
  route: 'addEnclosure',
  file: () => ({ name: `garden.${name}`, content }),
  target: async () => ({ method: 'POST', path: `/api/messages/${await write()}/enclosures` }),
});

const importOf = (what: string, content: () => Buffer, key: () => string | null): Kind => ({
  what,
  route: 'importData',
  file: () => ({ name: 'export', content: content() }),
  fields: (): Record<string, string> => (key() ? { key: String(key()) } : {}),
  target: async () => ({ method: 'POST', path: '/api/import-data' }),
});

const kinds: readonly Kind[] = [
  ...(['pdf', 'txt', 'docx', 'doc', 'png', 'mp4'] as const).map((name) => document(name, samples[name])),
  document('odt', openDocument()),
  document('rtf', richText()),
  // Its ending is corrected, and its main part is read from its content types.
  document('txt.doc', officePackage({ main: 'word/document2.xml' })),
  enclosure('jpg', photograph),
  enclosure('png', samples.png),
  enclosure('webp', webp),
  ...(['wav', 'mp3', 'm4a', 'ogg', 'webm'] as const).map((name) => enclosure(name, voices[name])),
  {
    what: 'the original of a picture',
    route: 'addOriginal',
    file: () => ({ name: 'IMG_0042.HEIC', content: heic }),
    target: async () => ({ method: 'POST', path: `${await enclosedPicture()}/original` }),
  },
  {
    what: 'a letter with a file',
    route: 'createMessageWithAttachment',
    file: () => ({ name: 'a map.pdf', content: samples.pdf }),
    fields: () => letter,
    target: async () => ({ method: 'POST', path: '/api/messages/with-attachment' }),
  },
  {
    what: 'another file of a letter',
    route: 'updateMessageWithAttachment',
    file: () => ({ name: 'a film.mov', content: samples.mov }),
    fields: () => letter,
    target: async () => ({ method: 'PUT', path: `/api/messages/${await write()}/with-attachment` }),
  },
  importOf(
    'an encrypted archive',
    () => archive.content,
    () => archive.key,
  ),
  importOf(
    'a JSON export',
    () => exported,
    () => null,
  ),
];

/** A place in bytes, as a share of their length. */
const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const damage = fc.record({
  /** The file alone, or the form with it. */
  isForm: fc.boolean(),
  flips: fc.array(fc.record({ at: place, bit: fc.nat(7) }), { maxLength: 4 }),
  cut: fc.option(place, { nil: null }),
  /** The connection ends at this place of the form. */
  hangUp: fc.oneof({ arbitrary: fc.constant(null), weight: 7 }, { arbitrary: place, weight: 1 }),
});
type Damage = typeof damage extends fc.Arbitrary<infer One> ? One : never;

function damaged(content: Buffer, { flips, cut }: Damage): Buffer {
  const copy = Buffer.from(content);
  for (const { at, bit } of flips) {
    const index = Math.floor(at * copy.length);
    copy[index] = (copy[index] ?? 0) ^ (1 << bit);
  }
  return cut === null ? copy : copy.subarray(0, Math.floor(cut * copy.length));
}

let calls = 0;

/** Sends a form over a connection. Returns null if the connection ended as requested before the answer. */
async function send({ method, path }: Target, { body, type }: { body: Buffer; type: string }, hangUp: number | null) {
  calls += 1;
  const call = request({
    ...{ host: '127.0.0.1', port: world.port, method, path },
    headers: {
      'content-type': type,
      'content-length': body.length,
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': `10.7.${(calls >> 8) & 255}.${calls & 255}`,
      cookie: owner.browser.cookie ?? '',
    },
  });
  const answered = once(call, 'response');
  if (hangUp === null) call.end(body);
  else call.write(body.subarray(0, Math.max(1, Math.floor(hangUp * body.length))), () => call.destroy());
  try {
    const [response] = await answered;
    return { status: response.statusCode as number, body: (await json(response)) as { message?: string } };
  } catch (error) {
    if (hangUp !== null) return null;
    throw error;
  }
}

/** Nothing of earlier uploads is in the way: no day's budget, no full vault. */
async function renew(): Promise<void> {
  const { db } = world.database;
  await db.execute(sql`delete from rate_limits`);
  for (const table of ['messages', 'documents']) {
    await db.execute(sql`delete from ${sql.identifier(table)} where user_id = ${owner.userId}`);
  }
}

const seed = Number(process.env.DAMAGE_SEED ?? randomInt(2 ** 31));

describe(`damaged uploads (DAMAGE_SEED=${seed})`, () => {
  test('cover every route that takes a file', () => {
    const taking = contractRoutes.filter(({ route }) => route.form).map(({ name }) => name);
    expect([...new Set(kinds.map(({ route }) => route))].toSorted()).toEqual(taking.toSorted());
  });

  test.each(kinds)('$what is answered with a sentence, and the service lives', async (kind) => {
    const statuses = new Set<number>();
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(damage, async (how) => {
        // Rows that are there already would be left out of an import, with their files.
        if (sent % renewEvery === 0 || kind.route === 'importData') await renew();
        sent += 1;
        const file = kind.file();
        const content = Buffer.from(file.content);
        const form = formBody({
          fields: kind.fields?.() ?? {},
          file: { ...file, content: how.isForm ? content : damaged(content, how) },
        });
        const body = how.isForm ? damaged(form.body, how) : form.body;
        const target = await kind.target();
        let answer = await send(target, { ...form, body }, how.hangUp);
        // One import of an owner at a time: the one whose connection ended may not have noticed yet.
        for (let tries = 0; answer?.status === 429 && tries < retriesMax; tries += 1) {
          await sleep(retryMs);
          answer = await send(target, { ...form, body }, how.hangUp);
        }
        expect(uncaught).toEqual([]);
        if (!answer) return;
        statuses.add(answer.status);
        if (answer.status < 300) return;
        expect(answer.status, JSON.stringify(answer.body)).toBeGreaterThanOrEqual(400);
        expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
        expect(answer.status, answer.body.message).not.toBe(429);
        expect(answer.body.message).toMatch(/^[A-Z].*[.!]$/s);
      }),
      { numRuns: uploadsEach, seed },
    );
    expect((await owner.browser.send('GET', '/healthz')).statusCode).toBe(200);
    // Good ones are taken and bad ones are refused, or the damage would show nothing.
    expect([...statuses].some((status) => status < 300)).toBe(true);
    expect([...statuses].some((status) => status >= 400)).toBe(true);
  });
});
