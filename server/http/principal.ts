import type { WrappedKey } from '#server/platform/crypto/vault.ts';
import type { PlanName } from '#shared/rules/plans.ts';

/** Who is signed in, as far as a request needs to know. */
export type Principal = {
  userId: string;
  /** Names the session in the list of devices; it is not the cookie's value. */
  sessionId: string;
  emailVerified: boolean;
  plan: PlanName;
  /** True if this is the designated administrator. */
  isAdministrator: boolean;
  /** What the administrator has yet to prove before anything of administration opens; null for everybody else. */
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

/** Where a request came from, as the audit log and the list of devices show it. */
export type RequestOrigin = { ipAddress: string | null; userAgent: string | null };
