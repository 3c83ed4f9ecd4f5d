import { dayMs } from '#shared/rules/inactivity.ts';
import { changed, type EventResult, ignored } from './release-events.rules.ts';
import type { CycleFacts, Mark, ReleaseFacts } from './release-facts.rules.ts';

/** A restore that stopped the installation: when it was, which is how it is told from others, and how old the backup is. */
export type Restore = { atMs: number; backupAtMs: number };

/** Owners have this long, in healthy time, to read what they were told before anything can be let go on. */
export const noticeDays = 3;

/** Whether the windows of this cycle are still those of the backup. What was released has none. */
export function mustBeginAgain(cycle: CycleFacts | null, restore: Restore | null): boolean {
  if (!cycle || !restore || cycle.state === 'released') return false;
  // What was begun since knows all that there is to know.
  return cycle.openedAtMs <= restore.atMs && cycle.restored?.atMs !== restore.atMs;
}

/**
 * The database is as old as a backup, so the owner may have come back, and nobody here knows it. Nothing that was sent or
 * answered is undone; every window that runs is whole again, and the owner is told, with the button that ends it all.
 */
export function windowsBeginAgain(facts: ReleaseFacts, restore: Restore, mark: Mark): EventResult {
  const { owner, cycle } = facts;
  if (!cycle) return ignored(facts, 'nothing_open');
  if (!mustBeginAgain(cycle, restore)) return ignored(facts, 'out_of_date');
  const { first, last } = cycle;
  const next: CycleFacts = {
    ...cycle,
    // Once the last reminder is written, the gap before it is over: it was kept, and both must not end at one moment.
    first: first.ended && last.sentAtMs === null ? { ...first, ended: mark } : first,
    last: last.ended ? { ...last, ended: mark } : last,
    roundBegan: cycle.roundBegan && mark,
    asked: cycle.asked && mark,
    ownerNotice: cycle.ownerNotice && mark,
    paused: cycle.paused && mark,
    restored: { atMs: restore.atMs, healthyMs: mark.healthyMs },
  };
  // An address that nobody has confirmed may be somebody else's.
  return changed(next, owner.isVerified ? [{ kind: 'tell_of_restore', restore }] : []);
}

/** How far people have been told since a restore, and what waits for the operator. */
export type RestoreProgress = {
  /** Open releases whose windows have not begun again yet. */
  notBegun: number;
  /** Proposed addresses that ended with the restore, and whose contacts have not been written to yet. */
  proposalsNotTold: number;
  /** Notices to owners and contacts that nobody has tried to hand over yet. */
  notTried: number;
  /** Where in healthy time the last release began again of those that could reach somebody soon; null where there is none. */
  lastHealthyMs: number | null;
  /** Owners about whom contacts were asked, and owners whose letters were on their way; and these letters. */
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
