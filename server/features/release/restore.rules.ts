import { dayMs } from '#shared/rules/inactivity.ts';
import { liveInvitation } from './release-answers.rules.ts';
import { invited } from './release-cycle.rules.ts';
import { changed, type Effect, type EventResult, ignored } from './release-events.rules.ts';
import type { CycleFacts, Mark, ReleaseFacts } from './release-facts.rules.ts';

/** A restore that stopped the installation: when it was, which is how it is told from others, and how old the backup is. */
export type Restore = { atMs: number; backupAtMs: number };

/** Owners and contacts have this long, in healthy time, to read what they were told before anything can be let go on. */
export const noticeDays = 3;

/** Whether the windows of this cycle are still those of the backup. What was released has none. */
export function mustBeginAgain(cycle: CycleFacts | null, restore: Restore | null): boolean {
  if (!cycle || !restore || cycle.state === 'released') return false;
  // What was begun since knows all that there is to know.
  return cycle.openedAtMs <= restore.atMs && cycle.restored?.atMs !== restore.atMs;
}

/**
 * The database is as old as a backup, so the owner may have come back, and nobody here knows it. Nothing that was sent or
 * answered is undone; every window that runs is whole again, and the owner is told, with the button that ends it all. So is
 * every contact whose question is open: they may have answered it since, and a cancel that nobody knows stops nothing.
 */
export function windowsBeginAgain(facts: ReleaseFacts, restore: Restore, mark: Mark): EventResult {
  const { owner, cycle } = facts;
  if (!cycle) return ignored(facts, 'nothing_open');
  if (!mustBeginAgain(cycle, restore)) return ignored(facts, 'out_of_date');
  const { first, last } = cycle;
  // An address that nobody has confirmed may be somebody else's, and nothing is asked about its owner.
  const open = owner.isVerified ? openQuestions(facts) : [];
  const contactIds = open.map(({ contactId }) => contactId);
  const isAsking = cycle.state === 'asking' && contactIds.length > 0;
  const next: CycleFacts = {
    ...cycle,
    // Once the last reminder is written, the gap before it is over: it was kept, and both must not end at one moment.
    first: first.ended && last.sentAtMs === null ? { ...first, ended: mark } : first,
    last: last.ended ? { ...last, ended: mark } : last,
    roundBegan: cycle.roundBegan && mark,
    // The time to answer begins behind the mails that ask again.
    asked: isAsking ? null : cycle.asked && mark,
    ownerNotice: cycle.ownerNotice && mark,
    paused: cycle.paused && mark,
    restored: { atMs: restore.atMs, healthyMs: mark.healthyMs },
    invitations: invited(cycle, contactIds),
  };
  const effects: Effect[] = [
    ...(owner.isVerified ? [{ kind: 'tell_of_restore', restore } as const] : []),
    ...open.map((question) => ({ kind: 'withdraw_link', ...question }) as const),
    ...(open.length > 0 ? [{ kind: 'ask_after_restore', contactIds, restore } as const] : []),
  ];
  return changed(next, effects);
}

/** The links of contacts that take an answer, as the backup has them; later ones that they were sent open nothing any more. */
function openQuestions({ cycle, contacts }: ReleaseFacts): { contactId: string; round: number; tries: number }[] {
  if (!cycle || cycle.state === 'releasing' || cycle.state === 'released') return [];
  return contacts.flatMap(({ id: contactId }) => {
    const live = liveInvitation(cycle, contactId);
    return live ? [{ contactId, round: live.round, tries: live.tries }] : [];
  });
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
