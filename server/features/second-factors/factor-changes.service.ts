import { lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { SessionActor } from '#server/features/accounts/accounts.service.ts';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { WrappedKey } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { type FactorChange, factorChangedEmail } from './second-factors.emails.ts';
import { countFactors, recoveryCodesOf, replaceRecoveryCodes } from './second-factors.repository.ts';
import { offeredFactors } from './second-factors.rules.ts';

/** Somebody signed in who changes what protects their sign-in. */
export type FactorActor = SessionActor & { authenticatedAt: Date; vaultKey: WrappedKey };

/** What it needs of sessions, which stand above it: they ask for second factors themselves. */
export type FactorSessions = {
  /** Looks at the session itself. @throws AppError `UNAUTHENTICATED` where it has ended, `REAUTHENTICATION_REQUIRED`. */
  requireFreshSession(executor: Executor, actor: SessionActor): Promise<void>;
  /** Notes for a session that its holder gave a second factor. */
  markSecondFactor(tx: Executor, sessionId: string, at: Date): Promise<void>;
  /** No session of this owner counts as confirmed by a second factor any more. */
  unmarkSecondFactor(tx: Executor, userId: string): Promise<void>;
  /** Ends all sessions of an owner but the one given. */
  endAll(tx: Executor, userId: string, exceptSessionId?: string): Promise<void>;
};

/** A change under way: the owner's row is locked, and the session has proved enough for it. */
export type ChangeContext = { tx: Executor; owner: OwnerRow; at: Date };

/** What every change of an owner's second factors has in common. */
export type FactorChanges = {
  /** Runs a change under the owner's lock. @throws AppError `NOT_FOUND`, or as `requireFreshSession` does. */
  underLock<Result>(actor: FactorActor, work: (context: ChangeContext) => Promise<Result>): Promise<Result>;
  /** Writes a change into the log, mails it to the owner, and counts it as a sign of life. */
  note(context: ChangeContext, actor: FactorActor, change: FactorChange): Promise<void>;
  /** Makes ten recovery codes in place of all there were, and gives them. */
  putNewCodes(tx: Executor, userId: string, at: Date): Promise<string[]>;
  /**
   * What follows a factor that was added: this session has just shown it, no other one has shown the first, and somebody
   * with a factor has codes. Gives those where there were none.
   */
  added(context: ChangeContext, actor: FactorActor, change: FactorChange): Promise<string[] | null>;
  /** What follows a factor that was removed: codes that stand in for nothing go with the last one. */
  removed(context: ChangeContext, actor: FactorActor, change: FactorChange): Promise<void>;
};

export type FactorChangesDependencies = {
  db: Database;
  clock: Clock;
  serviceKeys: Pick<ServiceKeys, 'derive'>;
  audit: Audit;
  notifications: Notifications;
  activity: ActivityLog;
  sessions: FactorSessions;
  baseUrl: string;
};

export function createFactorChanges(deps: FactorChangesDependencies): FactorChanges {
  const { db, clock, audit, notifications, activity, sessions, serviceKeys, baseUrl } = deps;

  async function underLock<Result>(
    actor: FactorActor,
    work: (context: ChangeContext) => Promise<Result>,
  ): Promise<Result> {
    return db.transaction(async (tx) => {
      const owner = await lockOwnerRow(tx, actor.userId);
      if (!owner) throw notFound();
      await sessions.requireFreshSession(tx, actor);
      return work({ tx, owner, at: await clock.now(tx) });
    });
  }

  async function note({ tx, owner, at }: ChangeContext, { origin }: FactorActor, change: FactorChange): Promise<void> {
    const userId = owner.id;
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: 'accounts.second-factor',
      userId,
      subjectId: null,
      dedupeKey: `accounts.second-factor:${userId}:${change}:${at.toISOString()}`,
      at,
      to: { address: owner.email },
      mail: factorChangedEmail({ to: owner, change, baseUrl }),
    });
    const { action, details } = recorded[change];
    await audit.record(tx, { userId, action, resource: 'account', resourceId: userId, details, origin, at });
    await activity.recordActivity(tx, { userId, type: 'change', at, origin });
  }

  async function putNewCodes(tx: Executor, userId: string, at: Date): Promise<string[]> {
    const codes = newRecoveryCodes();
    await replaceRecoveryCodes(tx, {
      userId,
      hashes: codes.map((code) => hashRecoveryCode(serviceKeys, userId, code)),
      at,
    });
    return codes;
  }

  async function added(context: ChangeContext, actor: FactorActor, change: FactorChange): Promise<string[] | null> {
    const { tx, owner, at } = context;
    await sessions.markSecondFactor(tx, actor.sessionId, at);
    const { hasAuthenticator, passkeys } = await countFactors(tx, owner.id);
    if (Number(hasAuthenticator) + passkeys === 1) await sessions.endAll(tx, owner.id, actor.sessionId);
    await note(context, actor, change);
    const hasCodes = (await recoveryCodesOf(tx, owner.id)) !== null;
    return hasCodes ? null : putNewCodes(tx, owner.id, at);
  }

  async function removed(context: ChangeContext, actor: FactorActor, change: FactorChange): Promise<void> {
    const { tx, owner, at } = context;
    if (offeredFactors(await countFactors(tx, owner.id)).length === 0) {
      await replaceRecoveryCodes(tx, { userId: owner.id, hashes: [], at });
      await sessions.unmarkSecondFactor(tx, owner.id);
    }
    await note(context, actor, change);
  }

  return { underLock, note, putNewCodes, added, removed };
}

const recorded: Record<FactorChange, { action: string; details?: Record<string, string> }> = {
  'authenticator-added': { action: 'factor.add', details: { factor: 'authenticator' } },
  'authenticator-removed': { action: 'factor.remove', details: { factor: 'authenticator' } },
  'passkey-added': { action: 'factor.add', details: { factor: 'passkey' } },
  'passkey-removed': { action: 'factor.remove', details: { factor: 'passkey' } },
  'codes-renewed': { action: 'factor.codes_renewed' },
};
