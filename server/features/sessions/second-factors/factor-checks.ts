import type { App } from '#server/app.ts';
import { findVaultKey, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { stepOfCode } from './authenticator.ts';
import { type PasskeyAsked, type PasskeyQuestion, passkeyQuestion, type UsedPasskey } from './passkey-challenges.ts';
import { passkeysOf, storePasskeyUse } from './passkeys.repository.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { recoveryCodeUsedEmail } from './second-factors.emails.ts';
import { countFactors, findAuthenticator, takeRecoveryCode, takeStep } from './second-factors.repository.ts';
import { openSecret } from './second-factors.sealing.ts';

type RecoveryCodeUse = { owner: OwnerRow; code: string; origin: RequestOrigin; at: Date };

/** Asks for a passkey of an owner, or for any passkey if the owner is not known yet. */
export async function askPasskey(app: App, asked: PasskeyAsked): Promise<PasskeyQuestion> {
  return passkeyQuestion(app, asked, asked.userId === null ? [] : await passkeysOf(app.db, asked.userId));
}

/** Records the use of a passkey. False if it was removed or used elsewhere meanwhile. The owner's row is locked. */
export function recordPasskeyUse(tx: Executor, { row, counter, isBackedUp }: UsedPasskey, at: Date): Promise<boolean> {
  return storePasskeyUse(tx, { id: row.id, counterBefore: row.counter, counter, isBackedUp, at });
}

/** True if the owner's app shows this code now. The code is used up. */
export async function redeemAuthenticatorCode(
  { vaults, realNowMs }: App,
  tx: Executor,
  userId: string,
  code: string,
): Promise<boolean> {
  const [authenticator, key] = [await findAuthenticator(tx, userId), await findVaultKey(tx, userId)];
  if (!authenticator?.confirmedAt || !key) return false;
  const secret = openSecret(vaults.open(userId, key), userId, authenticator.secret);
  const step = stepOfCode(secret, code, realNowMs());
  return step !== null && takeStep(tx, userId, step);
}

/** True if this is one of the owner's recovery codes. The code is used up, and the owner is emailed. */
export async function redeemRecoveryCode(
  app: App,
  tx: Executor,
  { owner, code, origin, at }: RecoveryCodeUse,
): Promise<boolean> {
  const userId = owner.id;
  const codeHash = hashRecoveryCode(app.serviceKeys, userId, code);
  if (!(await takeRecoveryCode(tx, { userId, codeHash, at }))) return false;
  const { codesLeft } = await countFactors(tx, userId);
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'accounts.recovery-code-used',
    userId,
    subjectId: null,
    dedupeKey: `accounts.recovery-code-used:${userId}:${at.toISOString()}`,
    at,
    to: { address: owner.email },
    mail: recoveryCodeUsedEmail({ to: owner, codesLeft, baseUrl: app.baseUrl }),
  });
  const entry = { userId, action: 'factor.code_used', resource: 'account', resourceId: userId };
  await recordAudit(app, tx, { ...entry, details: { codesLeft }, origin, at });
  return true;
}
