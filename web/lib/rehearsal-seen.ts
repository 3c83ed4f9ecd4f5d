const key = 'everkept-rehearsal-seen';

/** True if the rehearsal was looked at in this browser; looking sends nothing, so the service does not hear of it. */
export function hasLookedAtRehearsal(): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

export function noteRehearsalSeen(): void {
  try {
    localStorage.setItem(key, 'yes');
  } catch {
    // A browser that keeps nothing shows the step again, which does no harm.
  }
}
