import { randomUUID } from 'node:crypto';
import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import { checkNewPassword } from '#server/features/accounts/common-passwords.ts';
import type { Passwords } from '#server/features/accounts/passwords.ts';
import type { ConfirmationLinks } from '#server/features/registration/confirmation-links.service.ts';
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

/** What an administrator may do to an account. Who the administrator is, and the log, are the caller's concern. */
export type AccountChanges = {
  /** The hash of a password that its owner must change. @throws AppError `VALIDATION` for one that is easily guessed. */
  hashFirstPassword(choice: { email: string; password: string }): Promise<string>;
  /**
   * Opens an account for somebody, verified. Gives its id, or null where the address is taken. No stranger had a hand in it,
   * so what its person writes there is kept as if the mailbox had answered.
   */
  openFor(tx: Executor, account: OpenedAccount): Promise<string | null>;
  /**
   * Takes an address for verified by an operator's word, and asks its mailbox all the same. The account's row is locked.
   */
  vouchFor(tx: Executor, owner: OwnerRow, at: Date): Promise<void>;
  /** Changes an account whose row is locked; what stays as it is is not touched. */
  administer(tx: Executor, owner: OwnerRow, change: AccountChange, at: Date): Promise<void>;
};

type Dependencies = {
  accounts: Pick<Accounts, 'openAccount' | 'markVerified' | 'vouch'>;
  passwords: Passwords;
  confirmationLinks: Pick<ConfirmationLinks, 'askAddress'>;
};

export function createAccountChanges(deps: Dependencies): AccountChanges {
  const { accounts, passwords, confirmationLinks } = deps;

  async function vouchFor(tx: Executor, owner: OwnerRow, at: Date): Promise<void> {
    await accounts.vouch(tx, owner.id, at);
    if (owner.firstVerifiedAt === null) await confirmationLinks.askAddress(tx, { ...owner, at });
  }

  return {
    vouchFor,

    async hashFirstPassword(choice) {
      checkNewPassword(choice);
      return passwords.hash(choice.password);
    },

    async openFor(tx, { email, passwordHash, firstName, lastName, plan, role, at }) {
      const userId = await accounts.openAccount(tx, {
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
      await accounts.markVerified(tx, userId, at);
      return userId;
    },

    async administer(tx, owner, { plan, role, isEmailVerified }, at) {
      const userId = owner.id;
      if (plan !== owner.plan) await storeGrantedPlan(tx, { userId, plan, at });
      if (role !== owner.role) await storeRole(tx, { userId, role, at });
      if (isEmailVerified && !owner.emailVerified) await vouchFor(tx, owner, at);
      if (!isEmailVerified && owner.emailVerified) await storeUnverified(tx, userId, at);
    },
  };
}
