import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { InvitationRow } from './release.repository.ts';
import type { CycleFacts } from './release-facts.rules.ts';

export type Contact = { id: string; name: string; email: string; phone: string | null; confirmedAt: Date };

/** What somebody wrote into the emergency form. Whoever they are, it is for the owner's eyes only. */
export type Claim = { name: string; reason: string };

/** Where effects happen: the transaction that writes the state, and what was read in it. */
export type Scene = {
  tx: Executor;
  at: Date;
  owner: OwnerRow;
  cycleId: string;
  /** As it stands after the step; as it last stood when the step closed it. */
  cycle: CycleFacts;
  contacts: readonly Contact[];
  invitations: readonly InvitationRow[];
  /** A contact's own words about their decision. */
  reason?: string;
  claim?: Claim;
};
