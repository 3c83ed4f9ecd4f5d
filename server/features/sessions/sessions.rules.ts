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
