const minuteMs = 60_000;

/** Counts one use of something that has a name. @throws AppError `RATE_LIMITED` when its budget is spent. */
export type SpendBudget = (name: string, budget: { limit: number; windowMs: number }) => Promise<void>;

/** What can't be undone asks for a sign-in, or the password, no older than this. */
export const freshSignInMs = 10 * minuteMs;
