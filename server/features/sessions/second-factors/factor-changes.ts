import type { App } from '#server/app.ts';
import { lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { requireFreshSession } from '#server/features/sessions/fresh-sign-in.ts';
import { endAllSessions, markSecondFactor, unmarkSecondFactor } from '#server/features/sessions/sessions.ts';
import type { Principal } from '#server/http/principal.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { type FactorChange, factorChangedEmail } from './second-factors.emails.ts';
import { countFactors, recoveryCodesOf, replaceRecoveryCodes } from './second-factors.repository.ts';
import { offeredFactors } from './second-factors.rules.ts';

/** Call of an owner who changes the protection of their sign-in. */
export type FactorCall = { principal: Principal; origin: RequestOrigin };

/** A change in progress: the owner's row is locked, and the session is fresh. */
type ChangeContext = { tx: Executor; owner: OwnerRow; at: Date };

/** Runs a change under the owner's lock. @throws AppError `NOT_FOUND`, `UNAUTHENTICATED`, `REAUTHENTICATION_REQUIRED`. */
export function changeFactors<Result>(
  app: App,
  { principal }: FactorCall,
  work: (context: ChangeContext) => Promise<Result>,
): Promise<Result> {
  return app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, principal.userId);
    if (!owner) throw notFound();
    await requireFreshSession(app, tx, principal);
    return work({ tx, owner, at: await app.clock.now(tx) });
  });
}

/** Writes a change to the audit log, mails it to the owner, and counts it as a sign of life. */
export async function noteFactorChange(
  app: App,
  { tx, owner, at }: ChangeContext,
  { origin }: FactorCall,
  change: FactorChange,
): Promise<void> {
  const userId = owner.id;
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'accounts.second-factor',
    userId,
    subjectId: null,
    dedupeKey: `accounts.second-factor:${userId}:${change}:${at.toISOString()}`,
    at,
    to: { address: owner.email },
    mail: factorChangedEmail({ to: owner, change, baseUrl: app.baseUrl }),
  });
  const { action, details } = recorded[change];
  await recordAudit(app, tx, { userId, action, resource: 'account', resourceId: userId, details, origin, at });
  await recordActivity(app, tx, { userId, type: 'change', at, origin });
}

/** Makes ten recovery codes in place of the owner's earlier ones, and returns them. */
export async function renewCodes({ serviceKeys }: App, tx: Executor, userId: string, at: Date): Promise<string[]> {
  const codes = newRecoveryCodes();
  const hashes = codes.map((code) => hashRecoveryCode(serviceKeys, userId, code));
  await replaceRecoveryCodes(tx, { userId, hashes, at });
  return codes;
}

/**
 * Finishes the addition of a factor: this session has passed it, and the first factor ends all other sessions. Returns recovery
 * codes if the owner had none, and null otherwise.
 */
export async function finishAddition(
  app: App,
  context: ChangeContext,
  call: FactorCall,
  change: FactorChange,
): Promise<string[] | null> {
  const { tx, owner, at } = context;
  const { sessionId } = call.principal;
  await markSecondFactor(tx, sessionId, at);
  const { hasAuthenticator, passkeys } = await countFactors(tx, owner.id);
  if (Number(hasAuthenticator) + passkeys === 1) await endAllSessions(tx, owner.id, sessionId);
  await noteFactorChange(app, context, call, change);
  const hasCodes = (await recoveryCodesOf(tx, owner.id)) !== null;
  return hasCodes ? null : renewCodes(app, tx, owner.id, at);
}

/** Finishes the removal of a factor. With the last factor the recovery codes go. */
export async function finishRemoval(
  app: App,
  context: ChangeContext,
  call: FactorCall,
  change: FactorChange,
): Promise<void> {
  const { tx, owner, at } = context;
  if (offeredFactors(await countFactors(tx, owner.id)).length === 0) {
    await replaceRecoveryCodes(tx, { userId: owner.id, hashes: [], at });
    await unmarkSecondFactor(tx, owner.id);
  }
  await noteFactorChange(app, context, call, change);
}

const recorded: Record<FactorChange, { action: string; details?: Record<string, string> }> = {
  'authenticator-added': { action: 'factor.add', details: { factor: 'authenticator' } },
  'authenticator-removed': { action: 'factor.remove', details: { factor: 'authenticator' } },
  'passkey-added': { action: 'factor.add', details: { factor: 'passkey' } },
  'passkey-removed': { action: 'factor.remove', details: { factor: 'passkey' } },
  'codes-renewed': { action: 'factor.codes_renewed' },
};
