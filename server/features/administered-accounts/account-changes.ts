import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { openAccount } from '#server/features/accounts/accounts.ts';
import { markVerified, vouchForAddress } from '#server/features/accounts/activity.ts';
import { checkNewPassword } from '#server/features/accounts/common-passwords.ts';
import { sendConfirmationLinks } from '#server/features/registration/confirmation-links.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import type { RoleName } from '#shared/rules/roles.ts';
import { storeGrantedPlan, storeOpenedFor, storeRole, storeUnverified } from './account-changes.repository.ts';

export type OpenedAccount = {
  email: string;
  passwordHash: string;
  firstName: string;
  lastName: string;
  plan: PlanName;
  role: RoleName;
  at: Date;
};

export type AccountChange = { plan: PlanName; role: RoleName; isEmailVerified: boolean };

/** Hashes a password that its owner must change. @throws AppError `VALIDATION` if it is easily guessed. */
export async function hashFirstPassword(app: App, choice: { email: string; password: string }): Promise<string> {
  checkNewPassword(choice);
  return app.passwords.hash(choice.password);
}

/**
 * Opens a verified account for a person. Returns its id, or null if the address is taken. No stranger took part, so everything that
 * the person writes is kept as if the mailbox had answered.
 */
export async function openAccountFor(
  app: App,
  tx: Executor,
  { email, passwordHash, firstName, lastName, plan, role, at }: OpenedAccount,
): Promise<string | null> {
  const userId = await openAccount(app, tx, {
    id: randomUUID(),
    email,
    passwordHash,
    firstName,
    lastName,
    intendedPlan: null,
    at,
  });
  if (userId === null) return null;
  await storeOpenedFor(tx, { userId, plan, role, at });
  await markVerified(app, tx, userId, at);
  return userId;
}

/** Changes an account whose row is locked. It writes only the values that differ. */
export async function changeAccount(
  app: App,
  tx: Executor,
  owner: OwnerRow,
  { plan, role, isEmailVerified }: AccountChange,
  at: Date,
): Promise<void> {
  const userId = owner.id;
  if (plan !== owner.plan) await storeGrantedPlan(tx, { userId, plan, at });
  if (role !== owner.role) await storeRole(tx, { userId, role, at });
  if (isEmailVerified && !owner.emailVerified) await vouchFor(app, tx, owner, at);
  if (!isEmailVerified && owner.emailVerified) await storeUnverified(tx, userId, at);
}

/** Verifies an address on the word of an operator, and still emails its mailbox. The account's row is locked. */
export async function vouchFor(app: App, tx: Executor, owner: OwnerRow, at: Date): Promise<void> {
  await vouchForAddress(app, tx, owner.id, at);
  if (owner.firstVerifiedAt === null) await sendConfirmationLinks(app, tx, { ...owner, at });
}
