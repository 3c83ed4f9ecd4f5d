import type { Principal } from '#server/features/accounts/accounts.service.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';

/** Who acts, and from where. */
export type Actor = { userId: string; origin: RequestOrigin };

/** Who acts, and what they have proved: a session alone must not decide when and by whom a release is confirmed. */
export type ProvenActor = Actor & Pick<Principal, 'authenticatedAt' | 'secondFactorAt'>;
