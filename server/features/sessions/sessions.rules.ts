/** Missing step of the designated administrator: a factor to set up, or one to pass. */
export type Unproved = 'no-second-factor' | 'second-factor';

/** Administration opens to a session that has passed a second factor; a password is too little to guard every account. */
export function unprovedByAdministrator(session: { hasSecondFactor: boolean; hasPassedIt: boolean }): Unproved | null {
  if (!session.hasSecondFactor) return 'no-second-factor';
  return session.hasPassedIt ? null : 'second-factor';
}

/** Time at which an unused session ends, never later than its absolute end. */
export function sessionEndMs(
  session: { createdAtMs: number; usedAtMs: number },
  limits: { idleMs: number; absoluteMs: number },
): number {
  return Math.min(session.usedAtMs + limits.idleMs, session.createdAtMs + limits.absoluteMs);
}

/** True if a sign-in at `authenticatedAtMs` is fresh enough for actions that can't be undone. */
export function isFreshSignIn(authenticatedAtMs: number, nowMs: number, freshMs: number): boolean {
  return nowMs - authenticatedAtMs < freshMs;
}
