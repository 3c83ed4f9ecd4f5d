import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { sendDueLetters } from '#server/features/delivery/delivery.ts';
import { finishDueHalts } from '#server/features/delivery/halts.ts';
import { listSentLetters } from '#server/features/delivery/sent-letters.ts';
import { recipientsByMessage } from '#server/features/messages/recipients.repository.ts';
import { claimDue } from '#server/features/notifications/claims.repository.ts';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import type { Database } from '#server/platform/db/database.ts';
import { createSmtpMailer } from '#server/platform/mail/smtp-mailer.ts';
import { type AskedOwner, createAskedOwners } from '#tests/support/asked-owners.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { startMailServer } from '#tests/support/servers/mail-server.ts';

const origin = { ipAddress: '198.51.100.7', userAgent: null };
/** Number of mails that are sent at the same time. */
const lanesAtOnce = 6;

let everkept: Everkept;
let crowds = 0;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());
beforeEach(() => {
  everkept.mailer.answer(null);
});

/** An owner whose contact has just said yes: every letter is queued, and none has left. */
async function releasing(letters: number): Promise<AskedOwner> {
  const { database, masterKeys, releases } = everkept;
  crowds += 1;
  const crowd = { masterKeys, count: 1, name: `halt${crowds}`, contactsEach: 1, lettersEach: letters };
  const at = (await database.pool.query<{ at: Date }>('select clock_timestamp() as at')).rows[0]?.at ?? new Date();
  const [owner] = await createAskedOwners(database.db, { ...crowd, at });
  if (!owner) throw new Error('One owner was expected.');
  const tokenHash = everkept.hashToken(owner.portalTokens[0] ?? '');
  await releases.decide({ tokenHash, confirmed: true, reason: 'I was at the funeral.', origin });
  return owner;
}

/** Checks in within a transaction, on a connection that reports every statement. */
async function showLife(owner: AskedOwner, told: (statement: string) => void): Promise<void> {
  const watched: Database = drizzle({ client: everkept.database.pool, logger: { logQuery: told } });
  await watched.transaction(async (tx) => {
    await lockOwnerRow(tx, owner.userId);
    await recordActivity(everkept.opened, tx, { userId: owner.userId, type: 'manual', at: new Date() });
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

/** Waits until a connection to this database waits for a lock. */
async function untilSomebodyWaits(): Promise<void> {
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  while ((await everkept.database.pool.query(waiting)).rowCount === 0);
}

/** A return that waits, in the middle of its transaction, for what this statement has locked. */
async function returnHeldUp(owner: AskedOwner, lock: string, meanwhile: () => Promise<void>): Promise<void> {
  const holding = await everkept.database.pool.connect();
  try {
    await holding.query('begin');
    await holding.query(lock);
    const returning = showLife(owner, () => undefined);
    await Promise.race([untilSomebodyWaits(), returning]);
    await meanwhile();
    await holding.query('rollback');
    await returning;
  } finally {
    holding.release();
  }
}

/** Kinds of the mails that a worker without limits claims. */
async function claimAll(): Promise<string[]> {
  const now = new Date();
  const leaseUntil = new Date(now.getTime() + 300_000);
  const claim = { now, leaseUntil, except: [], hasMailRoom: true, hasCompanionRoom: true, served: null };
  const kinds: string[] = [];
  for (;;) {
    const row = await claimDue(everkept.database.db, claim);
    if (!row) return kinds;
    kinds.push(row.kind);
  }
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
  // Reading the deliveries is the next step, and another connection has locked one of them.
  await returnHeldUp(owner, `select from message_deliveries where user_id = '${owner.userId}' for update`, async () => {
    expect(await claimAll()).not.toContain('delivery.letter');
  });
  await dispatchDue(everkept.opened);
  expect(await lettersOf(owner)).toEqual(
    Array.from({ length: 12 }, () => ({ status: 'cancelled', wasClaimed: false })),
  );
});

// More than five hundred are written after the answer.
test.each([60, 600])(
  'while %d letters leave over SMTP, only letters in progress are handed over after the check-in is answered',
  async (letters) => {
    const owner = await releasing(letters);
    const readers = new Set(owner.readers);
    const { promise: allLanesWait, resolve: haveAllWait } = Promise.withResolvers<void>();
    const { promise: answered, resolve: beAnswered } = Promise.withResolvers<void>();
    let arrived = 0;
    let waiting = 0;
    const server = await startMailServer({
      async beforeAnswer({ envelope }) {
        if (!readers.has(envelope.to[0] ?? '')) return;
        arrived += 1;
        if (arrived < 20) return;
        waiting += 1;
        // A lane that is still before its question at DATA would have its letter withheld.
        if (waiting === lanesAtOnce) haveAllWait();
        await answered;
      },
    });
    const smtp = createSmtpMailer({ url: server.url, from: 'Everkept <hello@everkept.example>' });
    everkept.mailer.answer((mail) => smtp.send(mail));
    try {
      const dispatching = dispatchDue(everkept.opened);
      await allLanesWait;
      await everkept.ownersRelease.checkInByLink(owner.checkInToken, origin);
      const claimed = await claimedOf(owner);
      beAnswered();
      await dispatching;
      await dispatchDue(everkept.opened);

      await finishDueHalts(everkept.opened);
      await dispatchDue(everkept.opened);
      expect(await claimedOf(owner)).toEqual(claimed);
      const left = claimed.filter((wasClaimed) => wasClaimed).length;
      expect(left).toBeLessThan(60);
      // Recipients of a letter get another mail about the return.
      const mails = server.received.filter(({ mail }) => mail.subject?.endsWith('wrote a message for you'));
      const taken = mails.filter(({ envelope }) => readers.has(envelope.to[0] ?? ''));
      expect(taken).toHaveLength(left);
      // The letters are unopened: sent ones have a revoked link, and those in progress count as sent.
      expect(await lettersOf(owner)).toEqual(
        claimed.map((wasClaimed) => ({ status: wasClaimed ? 'withdrawn' : 'cancelled', wasClaimed })),
      );
    } finally {
      beAnswered();
      await smtp.close();
      await server.close();
    }
  },
);

describe('more letters than are written before the answer', () => {
  const many = 600;
  const statusesOf = async (owner: AskedOwner) => new Set((await lettersOf(owner)).map(({ status }) => status));
  const halts = async () => (await everkept.database.pool.query('select user_id from release_halts')).rowCount;
  const loggedOf = async ({ userId }: AskedOwner) =>
    (
      await everkept.database.pool.query(
        `select from audit_logs where user_id = $1 and action = 'delivery.cancelled'`,
        [userId],
      )
    ).rowCount;
  const mailsOf = async ({ userId }: AskedOwner) =>
    (
      await everkept.database.pool.query<{ status: string; mails: number }>(
        `select status, count(*)::int as mails from notifications where user_id = $1 and kind = 'delivery.letter' group by 1`,
        [userId],
      )
    ).rows;
  /** Number of letters that leave now. */
  const leaveAll = async () => {
    const letters = () =>
      everkept.mailer.sent.filter(({ subject }) => subject.endsWith('wrote a message for you')).length;
    const before = letters();
    await dispatchDue(everkept.opened);
    return letters() - before;
  };

  test('are stopped by it: none is taken or leaves, their owner reads that they are cancelled, and then it is written', async () => {
    const owner = await releasing(many);
    const answer = await everkept.ownersRelease.checkInByLink(owner.checkInToken, origin);
    expect(answer.halted).toEqual({ sent: 0, opened: 0, mayArrive: 0 });
    expect(await statusesOf(owner)).toEqual(new Set(['pending']));
    expect(await halts()).toBe(1);

    expect(await claimAll()).not.toContain('delivery.letter');
    expect(await leaveAll()).toBe(0);
    const { db } = everkept.database;
    const requestId = (await db.execute<{ request_id: string }>('select request_id from release_halts')).rows[0]
      ?.request_id;
    const shown = await listSentLetters(everkept.opened, db, {
      requestId: requestId ?? '',
      at: new Date(),
      from: 0,
      limit: many,
    });
    expect(new Set(shown.map(({ status }) => status))).toEqual(new Set(['cancelled']));
    const listed = await recipientsByMessage(db, owner.userId);
    expect(new Set([...listed.values()].flat().map(({ status }) => status))).toEqual(new Set(['cancelled']));

    expect(await finishDueHalts(everkept.opened)).toBe(1);
    expect(await statusesOf(owner)).toEqual(new Set(['cancelled']));
    expect(await mailsOf(owner)).toEqual([{ status: 'cancelled', mails: many }]);
    expect(await loggedOf(owner)).toBe(many);
    expect(await halts()).toBe(0);
    expect(await leaveAll()).toBe(0);
    expect(await finishDueHalts(everkept.opened), 'and once').toBe(0);
  });

  test('are kept from every worker from the first statement of the halt on, before anything is committed', async () => {
    const owner = await releasing(many);
    // Naming the release is the last step.
    await returnHeldUp(owner, 'lock table release_halts in share mode', async () => {
      expect(await claimAll()).not.toContain('delivery.letter');
    });
    expect(await leaveAll()).toBe(0);
    await finishDueHalts(everkept.opened);
    expect(await statusesOf(owner)).toEqual(new Set(['cancelled']));
  });

  test('are finished by the worker’s own round, and by two at once only once', async () => {
    const owner = await releasing(many);
    await everkept.ownersRelease.checkInByLink(owner.checkInToken, origin);
    const { opened: app } = everkept;
    await Promise.all([sendDueLetters(app, new Date()), sendDueLetters(app, new Date())]);
    expect(await statusesOf(owner)).toEqual(new Set(['cancelled']));
    expect(await loggedOf(owner)).toBe(many);
  });

  test('take the mail of a message with them that is deleted before it is written', async () => {
    const owner = await releasing(many);
    await everkept.ownersRelease.checkInByLink(owner.checkInToken, origin);
    const { pool } = everkept.database;
    await pool.query('delete from messages where id in (select id from messages where user_id = $1 limit 3)', [
      owner.userId,
    ]);
    await finishDueHalts(everkept.opened);
    expect(await mailsOf(owner)).toEqual([{ status: 'cancelled', mails: many }]);
    expect(await leaveAll()).toBe(0);
  });

  test('cost a return as many statements as twice as many', async () => {
    const counts: number[] = [];
    for (const letters of [many, 2 * many]) {
      const owner = await releasing(letters);
      let statements = 0;
      await showLife(owner, () => {
        statements += 1;
      });
      counts.push(statements);
    }
    expect(counts[1]).toBe(counts[0]);
    await finishDueHalts(everkept.opened);
  });
});
