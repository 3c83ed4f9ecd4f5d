import type { App } from '#server/app.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import {
  findVaultKey,
  findVaultKeys,
  insertAccount,
  insertVaultKey,
  type NewAccount,
  type OwnerRow,
} from './accounts.repository.ts';
import { isDesignated } from './accounts.rules.ts';
import { type UserAnswer, userAnswerOf } from './user-answer.ts';

/** Opens an account with an empty vault. Returns its id, or null if the address is taken. */
export async function openAccount({ vaults }: App, tx: Executor, account: NewAccount): Promise<string | null> {
  const userId = await insertAccount(tx, account);
  if (userId !== null) await insertVaultKey(tx, { userId, ...vaults.create(userId), at: account.at });
  return userId;
}

/** True if the account is the designated administrator's. */
export function isDesignatedAccount(
  { settings }: App,
  { mailboxProvenAt, ...account }: { email: string; emailVerified: boolean; mailboxProvenAt: Date | null },
): boolean {
  return isDesignated({ ...account, isMailboxProven: mailboxProvenAt !== null }, settings.adminEmail);
}

/** The signed-in person, as the web shows them. */
export function describeUser(app: App, owner: OwnerRow): UserAnswer {
  return userAnswerOf(owner, { isAdministrator: isDesignatedAccount(app, owner) });
}

/**
 * Opens an owner's vault for work that no request of theirs caused. If its key is damaged, every value in it is damaged, and
 * work that reads no value still succeeds. @throws AppError `NOT_FOUND`.
 */
export async function openVault({ vaults }: App, executor: Executor, userId: string): Promise<Vault> {
  const key = await findVaultKey(executor, userId);
  if (!key) throw notFound();
  return vaults.openWhenNeeded(userId, key);
}

/** Opens the vaults of these owners, by their ids. Owners who are gone are missing. */
export async function openVaults(
  { vaults }: App,
  executor: Executor,
  userIds: readonly string[],
): Promise<Map<string, Vault>> {
  const keys = await findVaultKeys(executor, userIds);
  return new Map(keys.map((key) => [key.userId, vaults.openWhenNeeded(key.userId, key)]));
}
