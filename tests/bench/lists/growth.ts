import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '#server/platform/db/database.ts';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { type Figure, median, ms } from '../figure.ts';
import { mebibyte, memoryOf, sampleMemory } from '../memory.ts';
import { createOwners } from '../owners.ts';
import { type Site, startSite } from '../site.ts';
import { fillOthers, findOwner, sendLetters, writeLetters } from './filled-owner.ts';
import { call } from './lists.calls.ts';

/** Calls of one owner that are measured in turn, so that a busy machine slows all of them. */
const rounds = 7;
const ownersPerInsert = 50_000;

type Call = { path: string; body?: object };

/** The calls that the pages of a vault make most, and the one that saves a letter. */
const calls: readonly Call[] = [
  { path: '/api/auth/user' },
  { path: '/api/release' },
  { path: '/api/dashboard/stats' },
  { path: '/api/plan-limits' },
  { path: '/api/messages/summary' },
  { path: '/api/messages/envelopes' },
  { path: '/api/documents/page' },
  { path: '/api/trusted-contacts' },
  { path: '/api/user/activity' },
  {
    path: '/api/messages',
    body: { title: 'For Nell', content: 'word '.repeat(40), recipientEmail: 'nell@family.example' },
  },
];

type Owner = { rows: number; cookie: string };
type Measured = { ms: number; bytes: number; addedBytes: number };

/**
 * Ten calls of owners with few and with many letters, recipients, documents and lines of the log. Then the calls of one
 * owner with many owners beside, and the release overview once all letters have left.
 */
export async function growthFigures(given: { rows: readonly number[]; owners: number }): Promise<Figure[]> {
  const site = await startSite();
  const postgres = await startEmbeddedPostgres({ dataDir: site.dataDir });
  const { db, close } = openDatabase({ connection: postgres.connection, maxConnections: 2, onError: rethrow });
  try {
    const owners = await fillOwners(db, site, given.rows);
    const alone = await measure(site, owners);
    const [few] = owners;
    if (!few) throw new Error('There is no owner to measure.');
    await addOwners(db, given.owners);
    const beside = await measure(site, [few]);
    const released = [];
    for (const index of owners.keys()) {
      const filled = await findOwner(db, { dataDir: site.dataDir, email: emailOf(index) });
      await sendLetters(filled);
    }
    for (const path of ['/api/release', '/api/release/deliveries?from=0']) {
      released.push(lineOf(path, (await measure(site, owners, [{ path }]))[0] ?? []));
    }
    return [
      { what: `${given.rows.join(', ')} rows of one owner`, figure: 'time; bytes; memory added' },
      ...calls.map((each, at) => lineOf(nameOf(each), alone[at] ?? [])),
      {
        what: `${given.rows[0]} rows without and with ${given.owners} owners beside`,
        figure: 'time; bytes; memory added',
      },
      ...calls.map((each, at) => lineOf(nameOf(each), [alone[at]?.[0], beside[at]?.[0]])),
      { what: `${given.rows.join(', ')} letters that have left`, figure: 'time; bytes; memory added' },
      ...released,
    ];
  } finally {
    await close();
    await postgres.stop();
    await site.stop();
  }
}

const nameOf = ({ path, body }: Call) => (body ? `POST ${path}` : path);
const emailOf = (index: number) => `growth-${index}@everkept.example`;

/** Each letter has a reader of its own. */
async function fillOwners(db: Database, { dataDir }: Site, rows: readonly number[]): Promise<Owner[]> {
  const cookies = await createOwners(db, { dataDir, count: rows.length, name: 'growth' });
  for (const [index, count] of rows.entries()) {
    const filled = await findOwner(db, { dataDir, email: emailOf(index) });
    await writeLetters(filled, { count, people: count });
    await fillOthers(filled, count);
  }
  return rows.map((count, index) => ({ rows: count, cookie: cookies[index] ?? '' }));
}

/** Owners with a letter each, whose sealed words are never opened. */
async function addOwners(db: Database, count: number): Promise<void> {
  for (let from = 1; from <= count; from += ownersPerInsert) {
    const to = Math.min(count, from + ownersPerInsert - 1);
    await db.transaction(async (tx) => {
      await tx.execute(sql`set local statement_timeout = 0`);
      await tx.execute(sql`
        with made as (
          insert into users (email, first_name, email_verified, next_step_at)
          select 'beside-' || number || '@everkept.example', 'Bench', true, now() + interval '1 year'
          from generate_series(${from}::int, ${to}::int) number
          returning id
        )
        insert into messages (id, user_id, title, content)
        select gen_random_uuid(), id, repeat('x', 60), repeat('x', 200) from made`);
      await tx.execute(sql`analyze users, messages`);
    });
  }
}

/** Measures each call for each owner: the middle time, and the most memory that its calls added. */
async function measure(site: Site, owners: readonly Owner[], which = calls): Promise<Measured[][]> {
  const found: Measured[][] = [];
  for (const { path, body } of which) {
    const times = owners.map((): number[] => []);
    const bytes: number[] = [];
    const added = owners.map(() => 0);
    for (let round = 0; round < rounds; round += 1) {
      for (const [at, { cookie }] of owners.entries()) {
        const before = await memoryOf(site.pid);
        const memory = sampleMemory(site.pid);
        try {
          const answered = await call(site, { cookie }, path, body);
          times[at]?.push(answered.tookMs);
          bytes[at] = answered.bytes;
        } finally {
          added[at] = Math.max(added[at] ?? 0, (await memory.end()) - before);
        }
      }
    }
    found.push(
      owners.map((_, at) => ({ ms: median(times[at] ?? []), bytes: bytes[at] ?? 0, addedBytes: added[at] ?? 0 })),
    );
  }
  return found;
}

function lineOf(what: string, found: readonly (Measured | undefined)[]): Figure {
  const measured = found.filter((each) => each !== undefined);
  const times = measured.map((each) => ms(each.ms)).join(', ');
  const bytes = measured.map((each) => `${(each.bytes / 1_000).toFixed(1)}`).join(', ');
  const memory = measured.map(({ addedBytes }) => (addedBytes / mebibyte).toFixed(0)).join(', ');
  return { what: `  ${what}`, figure: `${times}; ${bytes} kB; ${memory} MiB` };
}

function rethrow(error: Error): never {
  throw error;
}
