import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Vault, Vaults, WrappedKey } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import {
  findOwner,
  findOwnerByEmail,
  findOwners,
  findOwnersByMailbox,
  findOwnersByPhone,
  findVaultKey,
  findVaultKeys,
  insertAccount,
  insertVaultKey,
  lockOwnerRow,
  lockOwnerRows,
  type NewAccount,
  type OwnerRow,
  type PlanState,
  storePlanRow,
} from './accounts.repository.ts';
import { isDesignated } from './accounts.rules.ts';
import { type ActivityLog, createActivityLog } from './activity.service.ts';
import { type UserAnswer, userAnswerOf } from './user-answer.ts';

export type { OwnerRow, PlanState } from './accounts.repository.ts';
export type { ActivityType } from './activity.service.ts';

/** Who is signed in. */
export type Principal = {
  userId: string;
  /** Names the session in the list of devices; it is not the cookie's value. */
  sessionId: string;
  emailVerified: boolean;
  plan: PlanName;
  vaultKey: WrappedKey;
  /** When this person last proved who they are. */
  authenticatedAt: Date;
  /** The owner has asked for the account to be deleted: all they can do is to take that back. */
  isClosing?: boolean;
  /** When a second factor was given in this session; null where none was. */
  secondFactorAt: Date | null;
};

/** Somebody signed in who does something: in which session, and from where. */
export type SessionActor = { userId: string; sessionId: string; origin: RequestOrigin };

/** The account's row, its vault, and its signs of life: what every other feature needs of an owner. */
export type Accounts = ActivityLog & {
  /** Takes the account's row until the end of the transaction: the first lock of every one that writes. */
  lockOwner(tx: Executor, userId: string): Promise<OwnerRow | null>;
  /** The same for several at once; those who are gone are left out. */
  lockOwners(tx: Executor, userIds: readonly string[]): Promise<OwnerRow[]>;
  ownerOf(executor: Executor, userId: string): Promise<OwnerRow | null>;
  /** Returns these accounts, in no order and without a lock. */
  ownersOf(executor: Executor, userIds: readonly string[]): Promise<OwnerRow[]>;
  /** By the address as it is stored: trimmed, in lower case. */
  ownerByEmail(executor: Executor, email: string): Promise<OwnerRow | null>;
  /** Accounts in the mailbox of this address, however it is spelt; oldest first. */
  ownersByMailbox(executor: Executor, email: string): Promise<OwnerRow[]>;
  /** Everybody who has shown that this phone is theirs, in the form of E.164, however they wrote it. */
  ownersOfPhone(executor: Executor, phone: string): Promise<OwnerRow[]>;
  /** Opens an account with an empty vault. Gives its id, or null where the address is taken. */
  openAccount(tx: Executor, account: NewAccount): Promise<string | null>;
  /** Gives an account its plan, and says how it is paid for. The owner's row is locked. */
  storePlan(tx: Executor, userId: string, state: PlanState, at: Date): Promise<void>;
  /** Whether an account is the designated administrator's. */
  isDesignated(account: { email: string; emailVerified: boolean; mailboxProvenAt: Date | null }): boolean;
  /** The signed-in person as the web knows them. */
  describeUser(owner: OwnerRow): UserAnswer;
  /**
   * The vault of an owner, for work that no request of theirs has caused. One whose key is damaged opens nothing, and
   * keeps nobody from what needs nothing of it. @throws AppError `NOT_FOUND`.
   */
  openVault(executor: Executor, userId: string): Promise<Vault>;
  /** The vaults of several owners, by their ids; those who are gone are left out. */
  openVaults(executor: Executor, userIds: readonly string[]): Promise<Map<string, Vault>>;
};

type Dependencies = {
  vaults: Vaults;
  /** The designated administrator's address; if there is one. */
  adminEmail: string | null | undefined;
};

export function createAccounts({ vaults, adminEmail }: Dependencies): Accounts {
  const designated: Accounts['isDesignated'] = ({ mailboxProvenAt, ...account }) =>
    isDesignated({ ...account, isMailboxProven: mailboxProvenAt !== null }, adminEmail);

  return {
    ...createActivityLog(),
    lockOwner: lockOwnerRow,
    lockOwners: lockOwnerRows,
    ownerOf: findOwner,
    ownersOf: findOwners,
    ownerByEmail: findOwnerByEmail,
    ownersByMailbox: findOwnersByMailbox,
    ownersOfPhone: findOwnersByPhone,
    async openAccount(tx, account) {
      const userId = await insertAccount(tx, account);
      if (userId !== null) await insertVaultKey(tx, { userId, ...vaults.create(userId), at: account.at });
      return userId;
    },
    storePlan: storePlanRow,
    isDesignated: designated,
    describeUser: (owner) => userAnswerOf(owner, { isAdministrator: designated(owner) }),
    async openVault(executor, userId) {
      const key = await findVaultKey(executor, userId);
      if (!key) throw notFound();
      return vaults.openWhenNeeded(userId, key);
    },
    async openVaults(executor, userIds) {
      const keys = await findVaultKeys(executor, userIds);
      return new Map(keys.map((key) => [key.userId, vaults.openWhenNeeded(key.userId, key)]));
    },
  };
}
