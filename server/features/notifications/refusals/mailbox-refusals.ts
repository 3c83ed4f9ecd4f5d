import type { Executor } from '#server/platform/db/database.ts';
import type { TriedRow } from '../attempts.repository.ts';
import {
  countKnown,
  countRefusing,
  findMassRefusal,
  keepMassRefusal,
  markRefused,
  wasDomainReached,
  wasMailAccepted,
} from './mail-domains.repository.ts';
import {
  acceptanceVouchesMs,
  atOnceMs,
  isMassRefusal,
  knownForMs,
  knownMailboxesAsked,
  massCountedMs,
  massCountsMs,
  massRefusedSince,
  vouchingTime,
} from './mailbox-refusals.rules.ts';

/**
 * `counts`: one of the three refusals that close a mailbox. `open`: no sign yet that the domain accepts our mail.
 * `mass`: too many mailboxes of the domain refuse within the window, so it is trouble.
 */
export type RefusalWeight = 'counts' | 'open' | 'mass';

/**
 * Weighs a refusal that speaks of the mailbox. It counts if the same domain accepted other mail of ours within the day before.
 * A mail that ends with its first refusal, such as an invitation, needs other mail of any domain: no step rests on it.
 */
export async function weighRefusal(
  tx: Executor,
  row: TriedRow,
  refusal: { at: Date; isReport: boolean },
): Promise<RefusalWeight> {
  const { mailboxKey, domainKey } = row;
  await markRefused(tx, row.id, refusal.at);
  const atMs = refusal.at.getTime();
  if (mailboxKey === null || domainKey === null) return 'counts';
  if (await isMass(tx, domainKey, atMs)) return 'mass';
  if (row.policy === 'standard') {
    if (refusal.isReport) return 'counts';
    const since = row.refusedAt ?? new Date(atMs - acceptanceVouchesMs);
    return (await wasMailAccepted(tx, { since })) ? 'counts' : 'open';
  }
  const isReached = await wasDomainReached(tx, { mailboxKey, domainKey }, vouchingTime({ ...refusal, atMs }));
  return isReached ? 'counts' : 'open';
}

async function isMass(tx: Executor, domainKey: string, atMs: number): Promise<boolean> {
  const before = await findMassRefusal(tx, domainKey);
  const seen = before && { sinceMs: before.massRefusedSince.getTime(), lastMs: before.massRefusedAt.getTime() };
  if (seen && atMs - seen.lastMs < massCountedMs) return atMs - seen.sinceMs < massCountsMs;
  const oldMs = atMs - knownForMs;
  const refusing = await countRefusing(tx, domainKey, { sinceMs: atMs - atOnceMs, oldMs });
  const known = await countKnown(tx, domainKey, { oldMs, limit: knownMailboxesAsked(refusing) });
  if (!isMassRefusal({ refusing, known })) return false;
  const sinceMs = massRefusedSince(seen, atMs);
  await keepMassRefusal(tx, {
    domainKey,
    massRefusedSince: new Date(sinceMs),
    massRefusedAt: new Date(atMs),
  });
  return atMs - sinceMs < massCountsMs;
}

/** Records again when the mailbox refused a mail before, if a report turns out to count for nothing. */
export async function restoreRefusal(tx: Executor, row: TriedRow): Promise<void> {
  await markRefused(tx, row.id, row.refusedAt);
}

/** True if any mail was accepted at or after a moment. */
export async function isMailAccepted(tx: Executor, since: Date): Promise<boolean> {
  return wasMailAccepted(tx, { since });
}
