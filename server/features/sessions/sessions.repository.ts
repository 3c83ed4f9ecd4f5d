import { and, asc, desc, eq, gt, inArray, lte, ne, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared } from '#server/platform/db/prepared.ts';
import { type SessionFacts, sessions, users, vaultKeys } from '#server/schema/accounts.tables.ts';

/** All data of the signed-in user that a request needs, in one statement. */
const sessionBySid = prepared((executor) =>
  executor
    .select({
      userId: users.id,
      sessionId: sessions.publicId,
      email: users.email,
      emailVerified: users.emailVerified,
      mailboxProvenAt: users.mailboxProvenAt,
      tempPassword: users.tempPassword,
      plan: users.plan,
      deletionRequestedAt: users.deletionRequestedAt,
      authenticatedAt: sessions.authenticatedAt,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
      secondFactorAt: sessions.secondFactorAt,
      expire: sessions.expire,
      isKept: sessions.isKept,
      keyVersion: vaultKeys.keyVersion,
      wrappedKey: vaultKeys.wrappedKey,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(vaultKeys, eq(vaultKeys.userId, sessions.userId))
    .where(eq(sessions.sid, sql.placeholder('sid')))
    .prepare('session_by_sid'),
);

export async function findSession(executor: Executor, sid: string) {
  const [row] = await sessionBySid(executor).execute({ sid });
  return row ?? null;
}

const sessionTouched = prepared((executor) =>
  executor
    .update(sessions)
    .set({
      lastSeenAt: sql`${sql.placeholder('at')}::timestamptz`,
      expire: sql`least(case when ${sessions.isKept} then ${sql.placeholder('keptIdleEnd')}::timestamptz else ${sql.placeholder('idleEnd')}::timestamptz end, ${sessions.createdAt} + ${sql.placeholder('absoluteMs')}::bigint * interval '1 millisecond')`,
    })
    .where(
      and(
        eq(sessions.publicId, sql.placeholder('sessionId')),
        sql`${sessions.lastSeenAt} <= ${sql.placeholder('notAfter')}::timestamptz`,
      ),
    )
    .prepare('session_touched'),
);

/** Notes a use at `at`, unless one after `notAfter` is noted already. */
export async function touchSessionRow(
  executor: Executor,
  touch: { sessionId: string; at: Date; notAfter: Date; idleEnd: Date; keptIdleEnd: Date; absoluteMs: number },
): Promise<void> {
  await sessionTouched(executor).execute(touch);
}

export async function insertSession(
  tx: Executor,
  session: {
    sid: string;
    userId: string;
    at: Date;
    expire: Date;
    facts: SessionFacts;
    hasSecondFactor: boolean;
    isOwnProof: boolean;
    isKept: boolean;
  },
): Promise<void> {
  const { sid, userId, at, expire, facts, hasSecondFactor, isOwnProof, isKept } = session;
  const sess = { ipAddress: facts.ipAddress, userAgent: facts.userAgent };
  const proofs = {
    authenticatedAt: at,
    secondFactorAt: hasSecondFactor ? at : null,
    ownProofAt: isOwnProof ? at : null,
  };
  await tx.insert(sessions).values({ sid, sess, userId, expire, isKept, createdAt: at, lastSeenAt: at, ...proofs });
}

export type Renewal = { sessionId: string; userId: string; at: Date; isOwnProof: boolean };

/**
 * Gives a session of this owner another token, and records a new proof of identity. `isOwnProof`: by the password or a
 * passkey.
 */
export async function renewSession(
  tx: Executor,
  { sessionId, userId, sid, at, isOwnProof }: Renewal & { sid: string },
): Promise<boolean> {
  const renewed = await tx
    .update(sessions)
    .set({ sid, authenticatedAt: at, lastSeenAt: at, ...(isOwnProof ? { ownProofAt: at } : {}) })
    .where(and(eq(sessions.publicId, sessionId), eq(sessions.userId, userId)))
    .returning({ id: sessions.publicId });
  return renewed.length > 0;
}

/** Factors that were proved in this session of the owner; null if it has ended. */
export async function findProved(
  executor: Executor,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<{ userId: string; authenticatedAt: Date; secondFactorAt: Date | null; ownProofAt: Date | null } | null> {
  const { authenticatedAt, secondFactorAt, ownProofAt } = sessions;
  const [row] = await executor
    .select({ userId: sessions.userId, authenticatedAt, secondFactorAt, ownProofAt })
    .from(sessions)
    .where(and(eq(sessions.publicId, sessionId), eq(sessions.userId, userId)));
  return row ?? null;
}

/** Returns true if the session existed. */
export async function deleteSessionByToken(tx: Executor, sid: string): Promise<boolean> {
  const gone = await tx.delete(sessions).where(eq(sessions.sid, sid)).returning({ sid: sessions.sid });
  return gone.length > 0;
}

/** Returns true if the owner had this session. */
export async function deleteSession(tx: Executor, userId: string, sessionId: string): Promise<boolean> {
  const gone = await tx
    .delete(sessions)
    .where(and(eq(sessions.publicId, sessionId), eq(sessions.userId, userId)))
    .returning({ id: sessions.publicId });
  return gone.length > 0;
}

export async function deleteSessionsOf(tx: Executor, userId: string, exceptSessionId?: string): Promise<void> {
  const mine = eq(sessions.userId, userId);
  await tx.delete(sessions).where(exceptSessionId ? and(mine, ne(sessions.publicId, exceptSessionId)) : mine);
}

/** Deletes sessions that ended before `now`, at most `limit`. Rows that another process is deleting are skipped. */
export async function deleteEndedSessions(tx: Executor, now: Date, limit: number): Promise<void> {
  const ended = tx
    .select({ sid: sessions.sid })
    .from(sessions)
    .where(lte(sessions.expire, now))
    .orderBy(asc(sessions.expire))
    .limit(limit)
    .for('update', { skipLocked: true });
  await tx.delete(sessions).where(inArray(sessions.sid, ended));
}

/** Keeps the `keep` sessions of an owner that were used last. */
export async function deleteSurplusSessions(tx: Executor, userId: string, keep: number): Promise<void> {
  const surplus = tx
    .select({ sid: sessions.sid })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.lastSeenAt))
    .offset(keep);
  await tx.delete(sessions).where(inArray(sessions.sid, surplus));
}

type SessionList = {
  id: string;
  createdAt: Date;
  lastSeenAt: Date;
  ipAddress: string | null;
  userAgent: string | null;
}[];

/** The sessions of an owner that are good, the one used last first. */
export async function sessionsOf(
  executor: Executor,
  { userId, now, limit }: { userId: string; now: Date; limit: number },
): Promise<SessionList> {
  const rows = await executor
    .select({
      id: sessions.publicId,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
      sess: sessions.sess,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expire, now)))
    .orderBy(desc(sessions.lastSeenAt))
    .limit(limit);
  return rows.map(({ sess, ...row }) => ({ ...row, ipAddress: sess.ipAddress, userAgent: sess.userAgent }));
}

/** Notes for a session that its holder gave a second factor. */
export async function markSecondFactor(tx: Executor, sessionId: string, at: Date): Promise<void> {
  await tx.update(sessions).set({ secondFactorAt: at }).where(eq(sessions.publicId, sessionId));
}

/** Clears the second factor from all sessions of an owner who has none any more. */
export async function unmarkSecondFactor(tx: Executor, userId: string): Promise<void> {
  await tx.update(sessions).set({ secondFactorAt: null }).where(eq(sessions.userId, userId));
}
