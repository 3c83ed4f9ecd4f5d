import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Vault, Vaults, WrappedKey } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { DeletionLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import type { SpendBudget } from './accounts.limits.ts';
import {
  findOwner,
  findOwnerByEmail,
  findOwnersByPhone,
  findVaultKey,
  findVaultKeys,
  lockOwnerRow,
  lockOwnerRows,
  type OwnerRow,
  type PlanState,
  storePlanRow,
} from './accounts.repository.ts';
import { type ActivityLog, createActivityLog } from './activity.service.ts';
import { type AdministeredAccounts, createAdministeredAccounts } from './administered.service.ts';
import { createAuthenticatorCodes } from './authenticator-codes.ts';
import { type Closings, createClosings } from './closing.service.ts';
import { type ConfirmationLinks, createConfirmationLinks } from './confirmation-links.service.ts';
import { createFreshSignIns, type FreshSignIns } from './fresh-sign-in.ts';
import { createGoogleSignIn, type Google, type GoogleSignIn } from './google-sign-in.service.ts';
import { createHandOvers, type HandOvers } from './hand-over.service.ts';
import type { HoldingsOf } from './holdings.ts';
import { createKnownDevices } from './known-devices.ts';
import { createMailboxProofs, type MailboxProofs } from './mailbox-proof.service.ts';
import { createPasskeyCeremonies } from './passkey-ceremonies.ts';
import { createPasswordReset, type PasswordReset } from './password-reset.service.ts';
import type { Passwords } from './passwords.ts';
import { createPhoneProofs, type PhoneProofs } from './phone.service.ts';
import { createProfiles, type Profiles, type SaveReleaseSettings } from './profile.service.ts';
import { createReauthentication, type Reauthentication } from './reauthentication.service.ts';
import { createRegistration, type Registration } from './registration.service.ts';
import { createSecondFactors, type SecondFactors } from './second-factors.service.ts';
import { createSecondStep, type SecondStep } from './second-step.service.ts';
import { createSessions, type Sessions } from './sessions.service.ts';
import { createSignIn, type SignIn } from './sign-in.service.ts';
import { createTries } from './tries.service.ts';
import { createVerifiedAddresses, type VerifiedAddresses } from './verified-address.ts';

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

export type AccountsDependencies = {
  db: Database;
  clock: Clock;
  vaults: Vaults;
  audit: Audit;
  notifications: Notifications;
  passwords: Passwords;
  spendBudget: SpendBudget;
  /** Seal and derive what a browser holds for us: tickets, and the mark of a known device. */
  serviceKeys: ServiceKeys;
  /** Counted by whoever may look into every feature's rows. */
  holdingsOf: HoldingsOf;
  ledger: Pick<DeletionLedger, 'append'>;
  /** The release feature's own use case. */
  saveReleaseSettings: SaveReleaseSettings;
  /** The public address, without a path. */
  baseUrl: string;
  /** The designated administrator's address; if there is one. */
  adminEmail: string | null | undefined;
  /** Whether texts reach anybody from here; they do unless this says no. */
  isTextingSetUp?: boolean;
  /** Left out where nobody signs in with Google. */
  google?: Google | undefined;
  /** See `createSessions`; for tests that move the clock. */
  clockReadEveryMs?: number;
  /** See `inEvenTime`. */
  answerFloorMs: number;
  /** Real time, which telephones count in; no test clock moves it. For tests. */
  nowMs?: () => number;
};

export type Accounts = ActivityLog &
  Registration &
  MailboxProofs &
  SignIn &
  PasswordReset &
  Reauthentication &
  FreshSignIns &
  AdministeredAccounts &
  SecondStep &
  SecondFactors &
  Sessions &
  Profiles &
  PhoneProofs &
  ConfirmationLinks &
  VerifiedAddresses &
  Pick<HandOvers, 'onHandOver'> &
  Closings & {
    /** Null where it is not configured. */
    google: GoogleSignIn | null;
    /** Takes the account's row until the end of the transaction: the first lock of every one that writes. */
    lockOwner(tx: Executor, userId: string): Promise<OwnerRow | null>;
    /** The same for several at once; those who are gone are left out. */
    lockOwners(tx: Executor, userIds: readonly string[]): Promise<OwnerRow[]>;
    ownerOf(executor: Executor, userId: string): Promise<OwnerRow | null>;
    /** By the address as it is stored: trimmed, in lower case. */
    ownerByEmail(executor: Executor, email: string): Promise<OwnerRow | null>;
    /** Gives an account its plan, and says how it is paid for. The owner's row is locked. */
    storePlan(tx: Executor, userId: string, state: PlanState, at: Date): Promise<void>;
    /** Everybody who has shown that this phone is theirs, in the form of E.164, however they wrote it. */
    ownersOfPhone(executor: Executor, phone: string): Promise<OwnerRow[]>;
    /**
     * The vault of an owner, for work that no request of theirs has caused. One whose key is damaged opens nothing, and
     * keeps nobody from what needs nothing of it. @throws AppError `NOT_FOUND`.
     */
    openVault(executor: Executor, userId: string): Promise<Vault>;
    /** The vaults of several owners, by their ids; those who are gone are left out. */
    openVaults(executor: Executor, userIds: readonly string[]): Promise<Map<string, Vault>>;
  };

/** Everything there is to do with an account; each group of use cases has a file of its own. */
export function createAccounts(deps: AccountsDependencies): Accounts {
  const activity = createActivityLog();
  const ceremonies = createPasskeyCeremonies(deps);
  const { answerFloorMs, nowMs = Date.now } = deps;
  const takeAuthenticatorCode = createAuthenticatorCodes({ vaults: deps.vaults, nowMs });
  const freshSignIns = createFreshSignIns(deps);
  const devices = createKnownDevices(deps.serviceKeys);
  const handOvers = createHandOvers({ ...deps, devices });
  const shared = {
    ...deps,
    hashToken: deps.serviceKeys.hashToken,
    ...freshSignIns,
    ...handOvers,
    devices,
    activity,
    ceremonies,
    takeAuthenticatorCode,
    answerFloorMs,
    nowMs,
  };
  const { askAddress, issueNotMeUrl, ...confirmationLinks } = createConfirmationLinks(shared);
  const phones = createPhoneProofs(shared);
  const sessions = createSessions(shared);
  const signingIn = { ...shared, sessions, tries: createTries(deps) };
  const { beginStep, ...secondStep } = createSecondStep(signingIn);
  const { renew, ...reauthentication } = createReauthentication(shared);

  return {
    ...activity,
    ...sessions,
    ...createRegistration({ ...shared, sessions, askAddress }),
    ...confirmationLinks,
    ...createVerifiedAddresses(deps),
    ...createMailboxProofs(shared),
    ...createSignIn({ ...signingIn, secondStep: { beginStep } }),
    ...secondStep,
    ...createPasswordReset({ ...shared, sessions, issueNotMeUrl }),
    ...reauthentication,
    ...freshSignIns,
    ...createSecondFactors({
      ...shared,
      sessions,
      knowsGoogle: deps.google !== undefined,
    }),
    ...createAdministeredAccounts({ ...shared, askAddress }),
    ...phones,
    ...createProfiles({ ...shared, phones }),
    ...createClosings(shared),
    onHandOver: handOvers.onHandOver,
    google: deps.google
      ? createGoogleSignIn({ ...signingIn, google: deps.google, secondStep: { beginStep }, renewal: { renew } })
      : null,
    lockOwner: lockOwnerRow,
    lockOwners: lockOwnerRows,
    ownerOf: findOwner,
    ownerByEmail: findOwnerByEmail,
    storePlan: storePlanRow,
    ownersOfPhone: findOwnersByPhone,
    async openVault(executor, userId) {
      const key = await findVaultKey(executor, userId);
      if (!key) throw notFound();
      return deps.vaults.openWhenNeeded(userId, key);
    },
    async openVaults(executor, userIds) {
      const keys = await findVaultKeys(executor, userIds);
      return new Map(keys.map((key) => [key.userId, deps.vaults.openWhenNeeded(key.userId, key)]));
    },
  };
}
