/** Wrong passwords in a row that cost nothing: people mistype. */
const freeLoginTries = 5;
const loginDelayFirstMs = 1_000;
const loginDelayMaxMs = 15 * 60_000;
/** Counting starts anew when an address was left alone for so long. */
export const loginForgetMs = 24 * 3_600_000;

/** How long the next try must wait after `failed` wrong passwords in a row: 1 s after five, doubling to 15 min. */
export function loginDelayMs(failed: number): number {
  if (failed < freeLoginTries) return 0;
  const doublings = Math.min(failed - freeLoginTries, 20);
  return Math.min(loginDelayFirstMs * 2 ** doublings, loginDelayMaxMs);
}

export type LoginAttempts = { failed: number; blockedUntilMs: number; lastTriedAtMs: number };

type LoginTry = { allowed: true; attempts: LoginAttempts } | { allowed: false; retryAfterSeconds: number };

/**
 * Whether another password may be tried now. A try that is allowed is counted as wrong beforehand, and forgotten
 * once it proved right, so that many tries at the same instant cannot all pass on one reading of the count.
 */
export function tryLogin(attempts: LoginAttempts, nowMs: number): LoginTry {
  if (attempts.blockedUntilMs > nowMs) {
    return { allowed: false, retryAfterSeconds: Math.ceil((attempts.blockedUntilMs - nowMs) / 1000) };
  }
  const isForgotten = nowMs - attempts.lastTriedAtMs > loginForgetMs;
  const failed = (isForgotten ? 0 : attempts.failed) + 1;
  return { allowed: true, attempts: { failed, blockedUntilMs: nowMs + loginDelayMs(failed), lastTriedAtMs: nowMs } };
}
