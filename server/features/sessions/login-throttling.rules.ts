/** Wrong passwords in a row that cost nothing: people mistype. */
const freeLoginTries = 5;
const loginDelayFirstMs = 1_000;
const loginDelayMaxMs = 15 * 60_000;
/** Time without a try after which the count restarts. */
export const loginForgetMs = 24 * 3_600_000;

/** Delay before the next try after `failed` wrong passwords in a row: 1 s after five, doubling to 15 min. */
export function loginDelayMs(failed: number): number {
  if (failed < freeLoginTries) return 0;
  const doublings = Math.min(failed - freeLoginTries, 20);
  return Math.min(loginDelayFirstMs * 2 ** doublings, loginDelayMaxMs);
}

export type LoginAttempts = { failed: number; blockedUntilMs: number; lastTriedAtMs: number };

type LoginTry = { allowed: true; attempts: LoginAttempts } | { allowed: false; retryAfterSeconds: number };

/**
 * Decides if a password may be tried now. An allowed try counts as wrong beforehand, and is uncounted if it was right.
 * Parallel tries can't all pass on one reading of the count.
 */
export function tryLogin(attempts: LoginAttempts, nowMs: number): LoginTry {
  if (attempts.blockedUntilMs > nowMs) {
    return { allowed: false, retryAfterSeconds: Math.ceil((attempts.blockedUntilMs - nowMs) / 1000) };
  }
  const isForgotten = nowMs - attempts.lastTriedAtMs > loginForgetMs;
  const failed = (isForgotten ? 0 : attempts.failed) + 1;
  return { allowed: true, attempts: { failed, blockedUntilMs: nowMs + loginDelayMs(failed), lastTriedAtMs: nowMs } };
}
