import type { RequestOrigin } from '#server/features/audit/record.ts';
import type { WrappedKey } from '#server/platform/crypto/vault.ts';
import type { PlanName } from '#shared/rules/plans.ts';

/** The signed-in user. */
export type Principal = {
  userId: string;
  /** Names the session in the list of devices; it is not the cookie's value. */
  sessionId: string;
  emailVerified: boolean;
  plan: PlanName;
  vaultKey: WrappedKey;
  /** Last time at which the user proved their identity. */
  authenticatedAt: Date;
  /** True if the owner has requested the deletion of the account. Then only undoing it is allowed. */
  isClosing?: boolean;
  /** Time of the second factor in this session; null if there was none. */
  secondFactorAt: Date | null;
};

export type SessionActor = { userId: string; sessionId: string; origin: RequestOrigin };
