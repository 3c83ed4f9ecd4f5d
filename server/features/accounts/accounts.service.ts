import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Vault, Vaults, WrappedKey } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import type { SpendBudget } from './accounts.limits.ts';
import { findOwner, findOwnerByEmail, findVaultKey, lockOwnerRow, type OwnerRow } from './accounts.repository.ts';
import { type ActivityLog, createActivityLog } from './activity.service.ts';
import { evenTimeMs } from './even-time.ts';
import { createGoogleSignIn, type Google, type GoogleSignIn } from './google-sign-in.service.ts';
import { createPasswordReset, type PasswordReset } from './password-reset.service.ts';
import type { Passwords } from './passwords.ts';
import { createProfiles, type Profiles, type SaveReleaseSettings } from './profile.service.ts';
import { createReauthentication, type Reauthentication } from './reauthentication.service.ts';
import { createRegistration, type Registration } from './registration.service.ts';
import { createSessions, type Sessions } from './sessions.service.ts';
import { createSignIn, type SignIn } from './sign-in.service.ts';

export type { OwnerRow } from './accounts.repository.ts';
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
};

export type AccountsDependencies = {
  db: Database;
  clock: Clock;
  vaults: Vaults;
  audit: Audit;
  notifications: Notifications;
  passwords: Passwords;
  spendBudget: SpendBudget;
  /** The release feature's own use case. */
  saveReleaseSettings: SaveReleaseSettings;
  /** The public address, without a path. */
  baseUrl: string;
  /** The designated administrator's address; if there is one. */
  adminEmail: string | null | undefined;
  /** Left out where nobody signs in with Google. */
  google?: Google | undefined;
  /** See `createSessions`; for tests that move the clock. */
  clockReadEveryMs?: number;
  /** See `inEvenTime`; for tests that are not about it. */
  answerFloorMs?: number;
};

export type Accounts = ActivityLog &
  Registration &
  SignIn &
  PasswordReset &
  Reauthentication &
  Sessions &
  Profiles & {
    /** Null where it is not configured. */
    google: GoogleSignIn | null;
    /** Takes the account's row until the end of the transaction: the first lock of every one that writes. */
    lockOwner(tx: Executor, userId: string): Promise<OwnerRow | null>;
    ownerOf(executor: Executor, userId: string): Promise<OwnerRow | null>;
    /** By the address as it is stored: trimmed, in lower case. */
    ownerByEmail(executor: Executor, email: string): Promise<OwnerRow | null>;
    /** The vault of an owner, for work that no request of theirs has caused. @throws AppError `NOT_FOUND`. */
    openVault(executor: Executor, userId: string): Promise<Vault>;
  };

/** Everything there is to do with an account; each group of use cases has a file of its own. */
export function createAccounts(deps: AccountsDependencies): Accounts {
  const activity = createActivityLog();
  const shared = { ...deps, activity, answerFloorMs: deps.answerFloorMs ?? evenTimeMs };
  const sessions = createSessions(shared);

  return {
    ...activity,
    ...sessions,
    ...createRegistration(shared),
    ...createSignIn({ ...shared, sessions }),
    ...createPasswordReset({ ...shared, sessions }),
    ...createReauthentication(shared),
    ...createProfiles(shared),
    google: deps.google ? createGoogleSignIn({ ...shared, google: deps.google, sessions }) : null,
    lockOwner: lockOwnerRow,
    ownerOf: findOwner,
    ownerByEmail: findOwnerByEmail,
    async openVault(executor, userId) {
      const key = await findVaultKey(executor, userId);
      if (!key) throw notFound();
      return deps.vaults.open(userId, key);
    },
  };
}
