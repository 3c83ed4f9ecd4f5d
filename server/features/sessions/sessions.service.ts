import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { isDesignated } from '#server/features/accounts/accounts.rules.ts';
import type { SessionActor } from '#server/features/accounts/accounts.service.ts';
import { forgetDevices } from '#server/features/accounts/credentials.repository.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import { offeredFactorsOf } from '#server/features/second-factors/offered-factors.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { type HashToken, newToken } from '#server/platform/crypto/token.ts';
import type { WrappedKey } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import type { listSessions } from '#shared/contract/sessions.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import type { KnownDevices } from './known-devices.ts';
import {
  administratorAbsoluteMs,
  administratorIdleMs,
  keptSessionIdleMs,
  sessionAbsoluteMs,
  sessionIdleMs,
  sessionsMax,
  sessionTouchEveryMs,
  tidyBatch,
} from './sessions.limits.ts';
import {
  deleteEndedSessions,
  deleteSession,
  deleteSessionByToken,
  deleteSessionsOf,
  deleteSurplusSessions,
  findSession,
  insertSession,
  markSecondFactor,
  type Renewal,
  renewSession,
  type SessionList,
  sessionsOf,
  touchSessionRow,
  unmarkSecondFactor,
} from './sessions.repository.ts';
import { sessionEndMs, type Unproved, unprovedByAdministrator } from './sessions.rules.ts';
import { deleteSignInStepsOf } from './sign-in-steps.repository.ts';

export type SignedIn = {
  userId: string;
  sessionId: string;
  emailVerified: boolean;
  plan: PlanName;
  isAdministrator: boolean;
  unproved: Unproved | null;
  mustChangePassword: boolean;
  vaultKey: WrappedKey;
  authenticatedAt: Date;
  isClosing: boolean;
  isKept: boolean;
  secondFactorAt: Date | null;
};

export type Sessions = {
  /** Who a session token belongs to; null where it is unknown or its time is over. */
  findPrincipal(sessionToken: string): Promise<SignedIn | null>;
  /** Notes that a session was used, so that it does not fall idle; at most once a minute. */
  touchSession(sessionId: string): Promise<void>;
  /** Ends the session of this token, if there is one. */
  signOut(sessionToken: string, origin: RequestOrigin): Promise<void>;
  list(userId: string, currentSessionId: string): Promise<RouteAnswer<typeof listSessions>>;
  /** @throws AppError `NOT_FOUND` where the session is not one of this owner's. */
  end(actor: SessionActor, sessionId: string): Promise<void>;
  /** Signs all other devices out, and knows none of them any more. Gives what this one keeps; see `KnownDevices`. */
  endOthers(actor: SessionActor, device: string | null): Promise<string>;
  /** Starts a session and gives its token, which only the cookie will ever hold. */
  open(
    tx: Executor,
    start: {
      userId: string;
      origin: RequestOrigin;
      at: Date;
      hasSecondFactor: boolean;
      /** True if the person gave the password or a passkey; false if only a provider vouched for them. */
      isOwnProof: boolean;
      isKept: boolean;
    },
  ): Promise<string>;
  /** Ends the session of a token that came with a sign-in: the new one must not be one somebody else prepared. */
  dropToken(tx: Executor, sessionToken: string): Promise<void>;
  /** Ends all sessions of an owner but the one given, and every sign-in that waits for its second factor. */
  endAll(tx: Executor, userId: string, exceptSessionId?: string): Promise<void>;
  /**
   * Gives a session another token, as good as that of a new sign-in. The owner's row is locked.
   * @throws AppError `UNAUTHENTICATED` where it has ended.
   */
  renewToken(tx: Executor, renewal: Renewal): Promise<string>;
  /** Notes for a session that its holder gave a second factor. */
  markSecondFactor(tx: Executor, sessionId: string, at: Date): Promise<void>;
  /** No session of this owner counts as confirmed by a second factor any more. */
  unmarkSecondFactor(tx: Executor, userId: string): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  hashToken: HashToken;
  audit: Audit;
  devices: KnownDevices;
  /** The designated administrator's address, if there is one: their sessions are shorter. */
  adminEmail?: string | null | undefined;
  /** How long a reading of the clock serves for telling whether sessions are over. Every request would read it else. */
  clockReadEveryMs?: number;
};

type Found = NonNullable<Awaited<ReturnType<typeof findSession>>>;
type Standing = { isOver: boolean; unproved: Unproved | null };
const ordinary: Standing = { isOver: false, unproved: null };

const clockReadEveryMsDefault = 1_000;
/** Sessions whose last noted use a process keeps in mind. */
const touchedMax = 10_000;

async function endAll(tx: Executor, userId: string, exceptSessionId?: string): Promise<void> {
  await deleteSessionsOf(tx, userId, exceptSessionId);
  await deleteSignInStepsOf(tx, userId);
}

/** Sessions live in the database: every web process knows them, and ending one takes effect at once. */
export function createSessions({
  db,
  clock,
  hashToken,
  audit,
  devices,
  adminEmail,
  clockReadEveryMs,
}: Dependencies): Sessions {
  const cachedNow = cachedClock(clock, clockReadEveryMs ?? clockReadEveryMsDefault);
  const touched = new Map<string, number>();
  const firstEnd = (atMs: number, isKept: boolean) => {
    const idleMs = isKept ? keptSessionIdleMs : sessionIdleMs;
    return new Date(sessionEndMs({ createdAtMs: atMs, usedAtMs: atMs }, { idleMs, absoluteMs: sessionAbsoluteMs }));
  };

  /** The administrator sees every account, so their sessions are shorter and need a second factor. Their clock is never cached. */
  async function standingOfAdministrator(session: Found): Promise<Standing> {
    const [now, factors] = await Promise.all([clock.now(), offeredFactorsOf(db, session.userId)]);
    const used = { createdAtMs: session.createdAt.getTime(), usedAtMs: session.lastSeenAt.getTime() };
    const endMs = sessionEndMs(used, { idleMs: administratorIdleMs, absoluteMs: administratorAbsoluteMs });
    const proofs = {
      hasSecondFactor: factors.length > 0,
      hasPassedIt: session.secondFactorAt !== null,
    };
    return {
      isOver: endMs <= now.getTime(),
      unproved: unprovedByAdministrator(proofs),
    };
  }

  return {
    async findPrincipal(sessionToken) {
      const [found, now] = await Promise.all([findSession(db, hashToken(sessionToken)), cachedNow()]);
      if (!found || found.expire <= now) return null;
      const isMailboxProven = found.mailboxProvenAt !== null;
      const isAdministrator = isDesignated({ ...found, isMailboxProven }, adminEmail);
      const standing = isAdministrator ? await standingOfAdministrator(found) : ordinary;
      if (standing.isOver) return null;
      const { userId, sessionId, emailVerified, plan, tempPassword, authenticatedAt, secondFactorAt } = found;
      return {
        userId,
        sessionId,
        emailVerified,
        plan,
        isAdministrator,
        unproved: standing.unproved,
        mustChangePassword: tempPassword,
        authenticatedAt,
        secondFactorAt,
        isClosing: found.deletionRequestedAt !== null,
        isKept: found.isKept,
        vaultKey: { keyVersion: found.keyVersion, wrappedKey: found.wrappedKey },
      };
    },

    async touchSession(sessionId) {
      const at = await cachedNow();
      const touchedMs = touched.get(sessionId);
      // What this process has noted itself needs no statement to find out that there is nothing to note.
      if (touchedMs !== undefined && at.getTime() - touchedMs < sessionTouchEveryMs) return;

      if (touched.size >= touchedMax) touched.clear();
      touched.set(sessionId, at.getTime());
      await touchSessionRow(db, {
        sessionId,
        at,
        notAfter: new Date(at.getTime() - sessionTouchEveryMs),
        idleEnd: new Date(at.getTime() + sessionIdleMs),
        keptIdleEnd: new Date(at.getTime() + keptSessionIdleMs),
        absoluteMs: sessionAbsoluteMs,
      });
    },

    async signOut(sessionToken, origin) {
      const sid = hashToken(sessionToken);
      const found = await findSession(db, sid);
      if (!found) return;
      const { userId } = found;
      await db.transaction(async (tx) => {
        await lockOwnerRow(tx, userId);
        if (!(await deleteSessionByToken(tx, sid))) return;
        const at = await clock.now(tx);
        await audit.record(tx, { userId, action: 'session.end', resource: 'session', origin, at });
      });
    },

    async list(userId, currentSessionId) {
      const list: SessionList = await sessionsOf(db, { userId, now: await clock.now(), limit: sessionsMax });
      return list.map((session) => ({ ...session, isCurrent: session.id === currentSessionId }));
    },

    async end({ userId, origin }, sessionId) {
      await db.transaction(async (tx) => {
        await lockOwnerRow(tx, userId);
        if (!(await deleteSession(tx, userId, sessionId))) throw notFound();
        const at = await clock.now(tx);
        const entry = { userId, action: 'session.end', resource: 'session', resourceId: sessionId };
        await audit.record(tx, { ...entry, origin, at });
      });
    },

    async endOthers({ userId, sessionId, origin }, device) {
      return db.transaction(async (tx) => {
        const owner = await lockOwnerRow(tx, userId);
        if (!owner) throw notFound();
        await endAll(tx, userId, sessionId);
        const at = await clock.now(tx);
        await forgetDevices(tx, userId, at);
        await audit.record(tx, { userId, action: 'session.end_others', resource: 'session', origin, at });
        return devices.remember({ email: owner.email, devicesForgottenAt: at }, device);
      });
    },

    async open(tx, { userId, origin, at, hasSecondFactor, isOwnProof, isKept }) {
      const token = newToken();
      await deleteEndedSessions(tx, at, tidyBatch);
      await deleteSurplusSessions(tx, userId, sessionsMax - 1);
      await insertSession(tx, {
        sid: hashToken(token),
        userId,
        at,
        expire: firstEnd(at.getTime(), isKept),
        isKept,
        facts: origin,
        hasSecondFactor,
        isOwnProof,
      });
      return token;
    },

    dropToken: async (tx, sessionToken) => {
      await deleteSessionByToken(tx, hashToken(sessionToken));
    },

    endAll,

    async renewToken(tx, renewal) {
      const token = newToken();
      const isRenewed = await renewSession(tx, { ...renewal, sid: hashToken(token) });
      if (!isRenewed) throw new AppError('UNAUTHENTICATED', 'Sign in to continue.');
      return token;
    },

    markSecondFactor,
    unmarkSecondFactor,
  };
}

/** The clock's time, read at most every `readEveryMs`, with the time that this machine has counted since. */
function cachedClock(clock: Clock, readEveryMs: number): () => Promise<Date> {
  let read: { atMs: number; offsetMs: number } | undefined;

  return async () => {
    const machineMs = Date.now();
    if (read && Math.abs(machineMs - read.atMs) < readEveryMs) return new Date(machineMs + read.offsetMs);
    const now = await clock.now();
    read = { atMs: machineMs, offsetMs: now.getTime() - machineMs };
    return now;
  };
}
