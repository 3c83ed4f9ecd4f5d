import { findVaultKey } from '#server/features/accounts/accounts.repository.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Vaults } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { PasskeyAnswer } from '#shared/contract/second-factors.ts';
import { stepOfCode } from './authenticator.ts';
import type { PasskeyAsked, PasskeyChallenges, PasskeyQuestion, UsedPasskey } from './passkey-challenges.ts';
import { passkeysOf, storePasskeyUse } from './passkeys.repository.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { recoveryCodeUsedEmail } from './second-factors.emails.ts';
import { countFactors, findAuthenticator, takeRecoveryCode, takeStep } from './second-factors.repository.ts';
import { openSecret } from './second-factors.sealing.ts';

/** Checks what somebody shows at a sign-in, or to confirm who they are. Each proof is used up by it. */
export type FactorChecks = {
  /** Asks for one of the passkeys of an owner, or for any where nobody is known yet. */
  askPasskey(asked: PasskeyAsked): Promise<PasskeyQuestion>;
  /** @throws AppError `UNAUTHENTICATED` for anything but a fresh answer to the question asked, by a key we know. */
  readPasskey(answer: PasskeyAnswer, asked: PasskeyAsked): Promise<UsedPasskey>;
  /** Writes the use of a passkey down. False where it was removed or used elsewhere meanwhile. The owner's row is locked. */
  recordPasskeyUse(tx: Executor, used: UsedPasskey, at: Date): Promise<boolean>;
  /** Whether a code is one that the owner's app shows now. */
  redeemAuthenticatorCode(tx: Executor, userId: string, code: string): Promise<boolean>;
  /** Whether a code is one of the owner's recovery codes. The owner is told of its use. */
  redeemRecoveryCode(tx: Executor, use: RecoveryCodeUse): Promise<boolean>;
};

type RecoveryCodeUse = { owner: OwnerRow; code: string; origin: RequestOrigin; at: Date };

type Dependencies = {
  db: Database;
  vaults: Vaults;
  serviceKeys: Pick<ServiceKeys, 'derive'>;
  audit: Audit;
  notifications: Notifications;
  passkeyChallenges: PasskeyChallenges;
  baseUrl: string;
  /** Real time, which telephones count in; no test clock moves it. */
  nowMs: () => number;
};

export function createFactorChecks(deps: Dependencies): FactorChecks {
  const { db, vaults, serviceKeys, audit, notifications, passkeyChallenges, baseUrl, nowMs } = deps;

  return {
    async askPasskey(asked) {
      return passkeyChallenges.ask(asked, asked.userId === null ? [] : await passkeysOf(db, asked.userId));
    },

    readPasskey: (answer, asked) => passkeyChallenges.read(answer, asked),

    recordPasskeyUse: (tx, { row, counter, isBackedUp }, at) =>
      storePasskeyUse(tx, { id: row.id, counterBefore: row.counter, counter, isBackedUp, at }),

    async redeemAuthenticatorCode(tx, userId, code) {
      const [app, key] = [await findAuthenticator(tx, userId), await findVaultKey(tx, userId)];
      if (!app?.confirmedAt || !key) return false;
      const step = stepOfCode(openSecret(vaults.open(userId, key), userId, app.secret), code, nowMs());
      return step !== null && takeStep(tx, userId, step);
    },

    async redeemRecoveryCode(tx, { owner, code, origin, at }) {
      const userId = owner.id;
      const codeHash = hashRecoveryCode(serviceKeys, userId, code);
      if (!(await takeRecoveryCode(tx, { userId, codeHash, at }))) return false;
      const { codesLeft } = await countFactors(tx, userId);
      await notifications.enqueue(tx, {
        channel: 'email',
        kind: 'accounts.recovery-code-used',
        userId,
        subjectId: null,
        dedupeKey: `accounts.recovery-code-used:${userId}:${at.toISOString()}`,
        at,
        to: { address: owner.email },
        mail: recoveryCodeUsedEmail({ to: owner, codesLeft, baseUrl }),
      });
      const entry = { userId, action: 'factor.code_used', resource: 'account', resourceId: userId };
      await audit.record(tx, { ...entry, details: { codesLeft }, origin, at });
      return true;
    },
  };
}
