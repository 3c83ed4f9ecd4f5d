import { dayMs } from '#shared/rules/inactivity.ts';

/** Restore that stopped the installation: its time, which identifies it, and the time of the backup. */
export type Restore = { atMs: number; backupAtMs: number };

/** Healthy days for owners and contacts to read the notices before the operator can resume. */
export const noticeDays = 3;

/** Progress of the notices after a restore, and the work that waits for the operator. */
export type RestoreProgress = {
  /** Owners with open silences, open releases or waiting letters whose windows have not restarted yet. */
  notBegun: number;
  /** Proposed addresses that ended with the restore, and whose contacts have not been written to yet. */
  proposalsNotTold: number;
  /** Notices to owners and contacts that have not been tried yet. */
  notTried: number;
  /**
   * Healthy time at which the last notice was written that concerns letters which could leave soon. Null if there is
   * none.
   */
  lastHealthyMs: number | null;
  /** Owners whose contacts had been asked, owners whose letters were being sent, and the number of these letters. */
  ownersAsked: number;
  ownersReleasing: number;
  lettersWaiting: number;
};

/** Reason why the operator can't resume yet after a restore. */
export type Hindrance = { why: 'not_told' } | { why: 'too_soon'; leftMs: number };

export function hindranceOf(progress: RestoreProgress, healthyMs: number): Hindrance | null {
  if (progress.notBegun + progress.proposalsNotTold + progress.notTried > 0) return { why: 'not_told' };
  if (progress.lastHealthyMs === null) return null;
  const leftMs = noticeDays * dayMs - (healthyMs - progress.lastHealthyMs);
  return leftMs > 0 ? { why: 'too_soon', leftMs } : null;
}
