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

/** Longest subject of a provider (OpenID Connect Core 1.0 §2). */
export const subjectLengthMax = 255;

/** True if a subject names one person: blank ones are shared by everybody, and longer ones may be cut. */
export function isUsableSubject(subject: string): boolean {
  return subject.trim() !== '' && subject.length <= subjectLengthMax;
}

/** Whether somebody who proved at `authenticatedAtMs` who they are may do what can't be undone. */
export function isFreshSignIn(authenticatedAtMs: number, nowMs: number, freshMs: number): boolean {
  return nowMs - authenticatedAtMs < freshMs;
}
