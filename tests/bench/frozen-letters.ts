import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { claimDue } from '#server/features/notifications/claims.repository.ts';
import { updateHolds } from '#server/features/notifications/frozen-mail.ts';
import type { MailKind } from '#server/mails.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { type Database, openDatabase } from '#server/platform/db/database.ts';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { migrateDatabase } from '#server/platform/db/migrate.ts';
import { createAskedOwners } from '#tests/support/asked-owners.ts';
import { type Figure, median, ms } from './figure.ts';
import { startSite } from './site.ts';

const goals = { claimRatio: 1.5, haltMs: 200 };
const repeats = 200;
const freeLetters = 50;
const letterKind: MailKind = 'delivery.letter';
const pollMs = 100;
const longestMs = 5 * 60_000;

/** Cost of frozen letters: a claim of letters that may leave beside them, and the answer to an owner who stops them. */
export async function frozenFigures({ letters }: { letters: number }): Promise<Figure[]> {
  return [...(await claimFigures(letters)), ...(await haltFigures(letters))];
}

async function claimFigures(frozenLetters: number): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  const opened = openDatabase({ connection: postgres.connection, maxConnections: 1, onError: rethrow });
  const { db } = opened;
  try {
    await migrateDatabase({ connection: postgres.connection });
    const [frozen, free] = [randomUUID(), randomUUID()];
    for (const [id, frozenAt] of [
      [frozen, sql`now()`],
      [free, sql`null`],
    ] as const)
      await db.execute(
        sql`insert into users (id, email, release_frozen_at) values (${id}, ${`${id}@people.example`}, ${frozenAt})`,
      );
    await queue(db, { userId: free, count: freeLetters, dueAgoSeconds: 60 });
    await db.execute(sql`analyze`);
    const without = await claimTime(db);
    // They wait longer than all that may leave, as after a week of standing still.
    await queue(db, { userId: frozen, count: frozenLetters, dueAgoSeconds: 7 * 86_400 });
    await db.execute(sql`analyze`);
    await updateHolds(db, new Date());
    const beside = await claimTime(db);
    return [
      {
        what: `a claim beside ${frozenLetters} frozen letters : without any`,
        figure: (beside / without).toFixed(2),
        goal: `≤ ${goals.claimRatio}`,
        met: beside / without <= goals.claimRatio,
      },
      { what: '  beside, without', figure: `${ms(beside)}, ${ms(without)}` },
    ];
  } finally {
    await opened.close();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

async function queue(
  db: Database,
  { userId, count, dueAgoSeconds }: { userId: string; count: number; dueAgoSeconds: number },
): Promise<void> {
  await db.execute(sql`insert into notifications
      (id, user_id, channel, kind, dedupe_key, message_id, not_before, next_attempt_at, created_at)
    select gen_random_uuid(), ${userId}::uuid, 'email', ${letterKind}, gen_random_uuid()::text, number::text, at, at, at
    from generate_series(1, ${count}) number, lateral (select now() - ${dueAgoSeconds} * interval '1 second' as at) due`);
}

/** Time of a claim, undone after each run. */
async function claimTime(db: Database): Promise<number> {
  const times: number[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const now = new Date();
    const claim = {
      now,
      leaseUntil: now,
      except: [],
      hasMailRoom: true,
      hasCompanionRoom: true,
      served: null,
    };
    await db
      .transaction(async (tx) => {
        const startedMs = performance.now();
        const row = await claimDue(tx, claim);
        times.push(performance.now() - startedMs);
        if (!row) throw new Error('A claim found no letter.');
        throw new Undone();
      })
      .catch((error: unknown) => {
        if (!(error instanceof Undone)) throw error;
      });
  }
  return median(times);
}

class Undone extends Error {}

/** All letters of one owner are on their way, few have left, and the owner presses Check in. */
async function haltFigures(letters: number): Promise<Figure[]> {
  // This mail server does not exist, so all mails wait.
  const site = await startSite({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Everkept <hello@everkept.example>' });
  const postgres = await startEmbeddedPostgres({ dataDir: site.dataDir });
  const { db, close } = openDatabase({ connection: postgres.connection, maxConnections: 2, onError: rethrow });
  try {
    const masterKeys = await loadMasterKeys({ dataDir: site.dataDir });
    const crowd = { masterKeys, count: 1, name: 'halt', contactsEach: 1, lettersEach: letters, at: new Date() };
    const [owner] = await createAskedOwners(db, crowd);
    if (!owner) throw new Error('There is nobody who could come back.');
    await db.execute(sql`analyze`);
    await press(`${site.url}/api/trusted-contact-admin/${owner.portalTokens[0]}/confirm-release`, {
      confirmed: true,
      reason: 'I was at the funeral.',
    });
    await until(db, sql`select count(*)::int as n from message_deliveries where status = 'pending'`, letters);
    const startedMs = performance.now();
    await press(`${site.url}/api/check-in/${owner.checkInToken}`, {});
    const tookMs = performance.now() - startedMs;
    return [
      {
        what: `answer to an owner who stops ${letters} letters`,
        figure: ms(tookMs),
        goal: `< ${goals.haltMs} ms`,
        met: tookMs < goals.haltMs,
      },
    ];
  } finally {
    await close();
    await postgres.stop();
    await site.stop();
  }
}

async function until(db: Database, count: ReturnType<typeof sql>, wanted: number): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const { rows } = await db.execute<{ n: number }>(count);
    if ((rows[0]?.n ?? 0) >= wanted) return;
    if (performance.now() - startedMs > longestMs)
      throw new Error(`${rows[0]?.n} of ${wanted} letters are on their way.`);
    await sleep(pollMs);
  }
}

async function press(url: string, body: unknown): Promise<void> {
  const { origin } = new URL(url);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`A press was answered ${answer.status}: ${await answer.text()}`);
}

function rethrow(error: Error): never {
  throw error;
}
