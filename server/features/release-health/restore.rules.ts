import { dayMs } from '#shared/rules/inactivity.ts';

/** A restore that stopped the installation: when it was, which is how it is told from others, and how old the backup is. */
export type Restore = { atMs: number; backupAtMs: number };

/** Owners and contacts have this long, in healthy time, to read what they were told before anything can be let go on. */
export const noticeDays = 3;

/** How far people have been told since a restore, and what waits for the operator. */
export type RestoreProgress = {
  /** Owners of open silences and releases, and of letters that wait for their day, whose windows have not begun anew yet. */
  notBegun: number;
  /** Proposed addresses that ended with the restore, and whose contacts have not been written to yet. */
  proposalsNotTold: number;
  /** Notices to owners and contacts that nobody has tried to hand over yet. */
  notTried: number;
  /** Where in healthy time the last of those was written that were told of something which could reach somebody soon; null where there is none. */
  lastHealthyMs: number | null;
  /** Owners whose contacts had been asked, and owners whose letters were on their way; and these letters. */
  ownersAsked: number;
  ownersReleasing: number;
  lettersWaiting: number;
};

/** What keeps the operator from letting things go on after a restore. */
export type Hindrance = { why: 'not_told' } | { why: 'too_soon'; leftMs: number };

export function hindranceOf(progress: RestoreProgress, healthyMs: number): Hindrance | null {
  if (progress.notBegun + progress.proposalsNotTold + progress.notTried > 0) return { why: 'not_told' };
  if (progress.lastHealthyMs === null) return null;
  const leftMs = noticeDays * dayMs - (healthyMs - progress.lastHealthyMs);
  return leftMs > 0 ? { why: 'too_soon', leftMs } : null;
}
