import { findVaultKey } from '#server/features/accounts/accounts.repository.ts';
import type { Vaults } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { stepOfCode } from './authenticator.ts';
import { findAuthenticator, takeStep } from './second-factors.repository.ts';
import { openSecret } from './second-factors.sealing.ts';

/** Whether a code is one that the owner's app shows now. It is used up with the question. */
export type TakeAuthenticatorCode = (tx: Executor, userId: string, code: string) => Promise<boolean>;

type Dependencies = {
  vaults: Vaults;
  /** Real time, which telephones count in; no test clock moves it. */
  nowMs: () => number;
};

export function createAuthenticatorCodes({ vaults, nowMs }: Dependencies): TakeAuthenticatorCode {
  return async (tx, userId, code) => {
    const [app, key] = [await findAuthenticator(tx, userId), await findVaultKey(tx, userId)];
    if (!app?.confirmedAt || !key) return false;
    const step = stepOfCode(openSecret(vaults.open(userId, key), userId, app.secret), code, nowMs());
    return step !== null && takeStep(tx, userId, step);
  };
}
