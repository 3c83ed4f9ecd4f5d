const minuteMs = 60_000;

/** Counts one use of something that has a name. @throws AppError `RATE_LIMITED` when its budget is spent. */
export type SpendBudget = (name: string, budget: { limit: number; windowMs: number }) => Promise<void>;

/** Greatest age of the sign-in, or of the password, that an irreversible action accepts. */
export const freshSignInMs = 10 * minuteMs;
