import type { SpendBudget } from '#server/features/accounts/accounts.limits.ts';
import { createAccounts } from '#server/features/accounts/accounts.service.ts';
import type { Passwords } from '#server/features/accounts/passwords.ts';
import { createAccountChanges } from '#server/features/administered-accounts/account-changes.service.ts';
import { createAccountsAdmin } from '#server/features/administered-accounts/accounts-admin.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import { createClosings } from '#server/features/registration/closing.service.ts';
import { createConfirmationLinks } from '#server/features/registration/confirmation-links.service.ts';
import { createHandOvers } from '#server/features/registration/hand-over.service.ts';
import type { HoldingsOf } from '#server/features/registration/holdings.ts';
import { createAccountForIdentity } from '#server/features/registration/identity-accounts.service.ts';
import { createMailboxProofs } from '#server/features/registration/mailbox-proof.service.ts';
import { createPasswordReset } from '#server/features/registration/password-reset.service.ts';
import { createPhoneProofs } from '#server/features/registration/phone.service.ts';
import { createProfiles, type SaveReleaseSettings } from '#server/features/registration/profile.service.ts';
import { createRegistration } from '#server/features/registration/registration.service.ts';
import { createFactorChecks } from '#server/features/second-factors/factor-checks.service.ts';
import { createPasskeyChallenges } from '#server/features/second-factors/passkey-challenges.ts';
import { createSecondFactors } from '#server/features/second-factors/second-factors.service.ts';
import { createExternalSignIn } from '#server/features/sessions/external-sign-in.service.ts';
import { createFreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import { createKnownDevices } from '#server/features/sessions/known-devices.ts';
import { createLoginThrottling } from '#server/features/sessions/login-throttling.service.ts';
import { createReauthentication } from '#server/features/sessions/reauthentication.service.ts';
import { createSecondStep } from '#server/features/sessions/second-step.service.ts';
import { createSessions } from '#server/features/sessions/sessions.service.ts';
import { createSignIn } from '#server/features/sessions/sign-in.service.ts';
import { createVerifiedAddresses } from '#server/features/sessions/verified-address.ts';
import { linkForSession, type WaysInDependencies } from '#server/features/ways-in/ways-in.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Vaults } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { NamedProvider } from '#server/platform/identity/identity-provider.ts';
import type { DeletionLedger } from '#server/platform/ledger/deletion-ledger.ts';

export type AccountDependencies = {
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
  /** Whom people can sign in with; left out where nobody does. */
  identityProviders?: readonly NamedProvider[];
  /** See `createSessions`; for tests that move the clock. */
  clockReadEveryMs?: number;
  /** See `inConstantTime`. */
  answerFloorMs: number;
  /** Real time, which telephones count in; no test clock moves it. For tests. */
  nowMs?: () => number;
};

export type AccountServices = ReturnType<typeof createAccountServices>;

/**
 * What somebody does with their own account, innermost first: the account's row and vault, second factors, sessions,
 * registration, and what an administrator or an operator does to accounts. Each is a service of its own.
 */
export function createAccountServices(given: AccountDependencies) {
  const providers = given.identityProviders ?? [];
  const deps = { ...given, nowMs: given.nowMs ?? Date.now, hashToken: given.serviceKeys.hashToken };
  const accounts = createAccounts(deps);
  const shared = { ...deps, accounts, activity: accounts };

  const passkeyChallenges = createPasskeyChallenges(deps);
  const factorChecks = createFactorChecks({ ...deps, passkeyChallenges });

  const devices = createKnownDevices(deps.serviceKeys);
  const freshSignIns = createFreshSignIns(deps);
  const sessions = createSessions({ ...deps, devices });
  const throttling = createLoginThrottling(deps);
  const signingIn = { ...shared, devices, freshSignIns, sessions, throttling, factorChecks };
  const secondStep = createSecondStep(signingIn);
  const reauthentication = createReauthentication(signingIn);
  const secondFactors = createSecondFactors({
    ...shared,
    passkeyChallenges,
    sessions: { ...sessions, requireFreshSession: freshSignIns.requireFreshSession },
    providers,
  });

  const waysIn: WaysInDependencies = { ...signingIn, providers };
  const confirmationLinks = createConfirmationLinks(deps);
  const handOvers = createHandOvers({ ...shared, devices });
  const phoneProofs = createPhoneProofs(shared);
  const registering = { ...signingIn, confirmationLinks, handOvers, identityLinks: waysIn };
  const accountFor = createAccountForIdentity(registering);
  const accountChanges = createAccountChanges(registering);

  return {
    accounts,
    sessions,
    freshSignIns,
    signIn: createSignIn({ ...signingIn, secondStep }),
    secondStep,
    reauthentication,
    waysIn,
    external: createExternalSignIn({
      ...signingIn,
      providers,
      secondStep,
      reauthentication,
      accountFor,
      linkForSession: (tx, returned) => linkForSession(waysIn, tx, returned),
    }),
    verifiedAddresses: createVerifiedAddresses(deps),
    secondFactors,
    registration: createRegistration(registering),
    confirmationLinks,
    mailboxProofs: createMailboxProofs(shared),
    passwordReset: createPasswordReset(registering),
    profiles: createProfiles({ ...registering, phones: phoneProofs }),
    phoneProofs,
    handOvers,
    closings: createClosings(signingIn),
    accountChanges,
    accountsAdmin: createAccountsAdmin({ ...shared, accountChanges }),
  };
}
