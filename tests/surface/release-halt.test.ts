import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { claimDue } from '#server/features/notifications/claims.repository.ts';
import type { Database } from '#server/platform/db/database.ts';
import { createSmtpMailer } from '#server/platform/mail/smtp-mailer.ts';
import { type AskedOwner, createAskedOwners } from '#tests/support/asked-owners.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { startMailServer } from '#tests/support/servers/mail-server.ts';

const origin = { ipAddress: '198.51.100.7', userAgent: null };

let everkept: Everkept;
let crowds = 0;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());
beforeEach(() => {
  everkept.mailer.answer(null);
});

/** Somebody whose contact has just said yes: every letter is on its way, and none has left. */
async function releasing(letters: number): Promise<AskedOwner> {
  const { database, masterKeys, services } = everkept;
  crowds += 1;
  const crowd = { masterKeys, count: 1, name: `halt${crowds}`, contactsEach: 1, lettersEach: letters };
  const at = (await database.pool.query<{ at: Date }>('select clock_timestamp() as at')).rows[0]?.at ?? new Date();
  const [owner] = await createAskedOwners(database.db, { ...crowd, at });
  if (!owner) throw new Error('One owner was expected.');
  const tokenHash = everkept.hashToken(owner.portalTokens[0] ?? '');
  await services.releases.decide({ tokenHash, confirmed: true, reason: 'I was at the funeral.', origin });
  return owner;
}

/** In the transaction of a check-in, on a connection of which every statement is told. */
async function showLife(owner: AskedOwner, told: (statement: string) => void): Promise<void> {
  const { accounts } = everkept.services;
  const watched: Database = drizzle({ client: everkept.database.pool, logger: { logQuery: told } });
  await watched.transaction(async (tx) => {
    await accounts.lockOwner(tx, owner.userId);
    await accounts.recordActivity(tx, { userId: owner.userId, type: 'manual', at: new Date() });
  });
}

type Row = { status: string; wasClaimed: boolean };
const lettersOf = async ({ userId }: AskedOwner): Promise<Row[]> =>
  (
    await everkept.database.pool.query<Row>(
      `select d.status, n.attempts > 0 as "wasClaimed"
       from message_deliveries d join notifications n on n.subject_id = d.mail_id and n.kind = 'delivery.letter'
       where d.user_id = $1 order by d.id`,
      [userId],
    )
  ).rows;
const claimedOf = async (owner: AskedOwner) => (await lettersOf(owner)).map(({ wasClaimed }) => wasClaimed);

/** Until somebody in this database waits for a lock. */
async function untilSomebodyWaits(): Promise<void> {
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  while ((await everkept.database.pool.query(waiting)).rowCount === 0);
}

/** What a worker takes that has room for everything. */
async function claimAll() {
  const now = new Date();
  const leaseUntil = new Date(now.getTime() + 300_000);
  return claimDue(everkept.database.db, {
    now,
    leaseUntil,
    except: [],
    held: [],
    hasMailRoom: true,
    served: null,
    limit: 1_000,
  });
}

test('a return stops two hundred letters with as many statements as three', async () => {
  const counts: number[] = [];
  for (const letters of [3, 200]) {
    const owner = await releasing(letters);
    let statements = 0;
    await showLife(owner, () => {
      statements += 1;
    });
    counts.push(statements);
    expect(await lettersOf(owner)).toEqual(
      Array.from({ length: letters }, () => ({ status: 'cancelled', wasClaimed: false })),
    );
  }
  expect(counts[1]).toBe(counts[0]);
});

test('from the first statement of the halt on no letter is taken, although nothing is committed yet', async () => {
  const owner = await releasing(12);
  const { pool } = everkept.database;
  const holding = await pool.connect();
  try {
    // Reading the deliveries is what comes next, and somebody has one of them.
    await holding.query('begin');
    await holding.query('select from message_deliveries where user_id = $1 for update', [owner.userId]);
    const returning = showLife(owner, () => undefined);
    await Promise.race([untilSomebodyWaits(), returning]);
    expect((await claimAll()).map(({ kind }) => kind)).not.toContain('delivery.letter');
    await holding.query('rollback');
    await returning;
  } finally {
    holding.release();
  }
  await everkept.services.notifications.dispatchDue();
  expect(await lettersOf(owner)).toEqual(
    Array.from({ length: 12 }, () => ({ status: 'cancelled', wasClaimed: false })),
  );
});

test('while letters leave over SMTP, nothing is handed over after the check-in is answered but what was under way', async () => {
  const owner = await releasing(60);
  const readers = new Set(owner.readers);
  const { promise: halfSent, resolve: beHalfSent } = Promise.withResolvers<void>();
  const { promise: answered, resolve: beAnswered } = Promise.withResolvers<void>();
  let arrived = 0;
  const server = await startMailServer({
    async beforeAnswer({ envelope }) {
      if (!readers.has(envelope.to[0] ?? '')) return;
      arrived += 1;
      if (arrived < 20) return;
      beHalfSent();
      await answered;
    },
  });
  const smtp = createSmtpMailer({ url: server.url, from: 'Everkept <hello@everkept.example>' });
  everkept.mailer.answer((mail) => smtp.send(mail));
  try {
    const dispatching = everkept.services.notifications.dispatchDue();
    await halfSent;
    await everkept.services.ownersRelease.checkInByLink(owner.checkInToken, origin);
    const claimed = await claimedOf(owner);
    beAnswered();
    await dispatching;
    await everkept.services.notifications.dispatchDue();

    expect(await claimedOf(owner)).toEqual(claimed);
    const left = claimed.filter((wasClaimed) => wasClaimed).length;
    expect(left).toBeLessThan(60);
    // Whoever got one is told of the return by another mail.
    const letters = server.received.filter(({ mail }) => mail.subject?.endsWith('wrote a message for you'));
    const taken = letters.filter(({ envelope }) => readers.has(envelope.to[0] ?? ''));
    expect(taken).toHaveLength(left);
    // Nobody has opened any of them: what left has a dead link, and what was under way is known to have left.
    expect(await lettersOf(owner)).toEqual(
      claimed.map((wasClaimed) => ({ status: wasClaimed ? 'withdrawn' : 'cancelled', wasClaimed })),
    );
  } finally {
    beAnswered();
    await smtp.close();
    await server.close();
  }
});
