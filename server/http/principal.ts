import type { WrappedKey } from '#server/platform/crypto/vault.ts';
import type { PlanName } from '#shared/rules/plans.ts';

/** The signed-in person, as requests need to know them. */
export type Principal = {
  userId: string;
  /** Names the session in the list of devices; it is not the cookie's value. */
  sessionId: string;
  emailVerified: boolean;
  plan: PlanName;
  /** True if this is the designated administrator. */
  isAdministrator: boolean;
  /** Proof that the administrator still owes before administration opens; null for all others. */
  unproved: 'no-second-factor' | 'second-factor' | null;
  /** True if the password was set by an administrator: nothing else is open until it is changed. */
  mustChangePassword: boolean;
  vaultKey: WrappedKey;
  /** Time when this person last proved who they are. */
  authenticatedAt: Date;
  /** The owner has asked for the account to be deleted: all they can do is to take that back. */
  isClosing?: boolean;
  /** True if they chose to stay signed in on this device. */
  isKept?: boolean;
  /** Time when a second factor was given in this session; null if none was. */
  secondFactorAt: Date | null;
};

/** Origin of a request, as shown in the audit log and the list of devices. */
export type RequestOrigin = { ipAddress: string | null; userAgent: string | null };
