import { productSlug } from '#shared/product.ts';
import { inactivityDaysDefault, type ReleaseMethod } from '#shared/rules/inactivity.ts';

/** Changes follow each other closely while somebody works; one sign of life an hour says as much. */
export const changeCheckinEveryMs = 3_600_000;

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

/** A name before the @ shorter than this turns up in ordinary words. */
const telltaleLengthMin = 6;

/**
 * What is wrong with a new password besides its length, as a sentence; null where nothing is. Any character may be
 * used and none must be. `isCommon` is asked with the password in lower case.
 */
export function passwordProblem(
  { password, email }: { password: string; email: string },
  isCommon: (lowered: string) => boolean,
): string | null {
  const lowered = password.toLowerCase();
  if (isCommon(lowered)) return 'Many people use this password, so it is easy to guess. Choose another one.';
  if (lowered.includes(productSlug)) return 'Choose a password that does not contain our name.';

  const [name = ''] = email.toLowerCase().split('@');
  const holdsAddress =
    lowered.includes(email.toLowerCase()) || (name.length >= telltaleLengthMin && lowered.includes(name));
  return holdsAddress ? 'Choose a password that does not contain your email address.' : null;
}

export type SafetySettings = { phone: string | null; releaseMethod: ReleaseMethod; inactivityDays: number };

/**
 * Whether an owner whose address is not verified yet may save these settings: each once, while it was not chosen. The
 * same choice again is no change, so that a repeated press, a lost answer or a save that was interrupted half-way
 * does not end in a refusal.
 */
export function maySaveUnverified(present: SafetySettings, wanted: SafetySettings): boolean {
  const mayPhone = present.phone === null || present.phone === wanted.phone;
  return mayPhone && (isUntouched({ ...present, phone: null }) || isSameRelease(present, wanted));
}

/** Whether these are the settings that every account starts with. */
export function isUntouched({ phone, releaseMethod, inactivityDays }: SafetySettings): boolean {
  return phone === null && releaseMethod === 'inactivity' && inactivityDays === inactivityDaysDefault;
}

function isSameRelease(one: SafetySettings, other: SafetySettings): boolean {
  return one.releaseMethod === other.releaseMethod && one.inactivityDays === other.inactivityDays;
}

/**
 * Whether an account is the designated administrator's: its address is the configured one, letter by letter once both
 * are in lower case, and whoever signs in to it reads its mailbox: an address that is merely verified may have been
 * registered by anybody, and its link opened by a scanner. What the account says of its own role is a label.
 */
export function isDesignated(
  { email, emailVerified, isMailboxProven }: { email: string; emailVerified: boolean; isMailboxProven: boolean },
  adminEmail: string | null | undefined,
): boolean {
  const designated = adminEmail?.trim().toLowerCase();
  return Boolean(designated) && emailVerified && isMailboxProven && email === designated;
}

/** What stands between the designated administrator and administration: a factor to set up, or one to pass. */
export type Unproved = 'no-second-factor' | 'second-factor';

/** Administration opens to a session that has passed a second factor; a password is too little to guard every account. */
export function unprovedByAdministrator(session: { hasSecondFactor: boolean; hasPassedIt: boolean }): Unproved | null {
  if (!session.hasSecondFactor) return 'no-second-factor';
  return session.hasPassedIt ? null : 'second-factor';
}

/** When a session ends if it is not used again, never later than its absolute end. */
export function sessionEndMs(
  session: { createdAtMs: number; usedAtMs: number },
  limits: { idleMs: number; absoluteMs: number },
): number {
  return Math.min(session.usedAtMs + limits.idleMs, session.createdAtMs + limits.absoluteMs);
}

/** Whether somebody who proved at `authenticatedAtMs` who they are may do what can't be undone. */
export function isFreshSignIn(authenticatedAtMs: number, nowMs: number, freshMs: number): boolean {
  return nowMs - authenticatedAtMs < freshMs;
}
