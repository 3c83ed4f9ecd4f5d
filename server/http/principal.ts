import type { WrappedKey } from '#server/platform/crypto/vault.ts';
import type { PlanName } from '#shared/rules/plans.ts';

/** Who is signed in, as far as a request needs to know. */
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

/** Where a request came from, as the audit log and the list of devices show it. */
export type RequestOrigin = { ipAddress: string | null; userAgent: string | null };
