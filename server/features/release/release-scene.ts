import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { ConfirmedContact } from '#server/features/contacts/contacts.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { InvitationRow } from './release.repository.ts';
import type { ContactFacts, CycleFacts } from './release-facts.rules.ts';
import type { Writes } from './release-writes.service.ts';

export type Contact = ConfirmedContact;

/** A contact as the rules see one: an outage since they accepted has made nobody one for longer. */
export function contactFacts(
  { id, confirmedAt, confirmedHealthyMs }: Contact,
  at: Date,
  { healthyMs }: { healthyMs: number },
): ContactFacts {
  const byHealthyMs = confirmedHealthyMs === null ? 0 : at.getTime() - (healthyMs - confirmedHealthyMs);
  return { id, confirmedAtMs: Math.max(confirmedAt.getTime(), byHealthyMs) };
}

/** What somebody wrote into the emergency form. Whoever they are, it is for the owner's eyes only. */
export type Claim = { name: string; reason: string };

/** Where effects happen: the transaction that writes the state, what is to be written in it, and what was read. */
export type Scene = {
  tx: Executor;
  writes: Writes;
  at: Date;
  owner: OwnerRow;
  cycleId: string;
  /** As it stands after the step; as it last stood when the step closed it. */
  cycle: CycleFacts;
  contacts: readonly Contact[];
  readyMessages: number;
  invitations: readonly InvitationRow[];
  /** A contact's own words about their decision. */
  reason?: string;
  claim?: Claim;
};
