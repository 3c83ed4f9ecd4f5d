import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { BillingLetters } from './billing.letters.service.ts';
import { governing } from './billing.rules.ts';
import { listSubscriptions, type SubscriptionRow } from './subscriptions.repository.ts';

type Dependencies = { accounts: Pick<Accounts, 'ownerOf'>; letters: Pick<BillingLetters, 'lapsed' | 'ended'> };

export type PlanEndings = {
  /**
   * Tells of a subscription that has just ended, once it is stored. Whoever has another plan, bought or given, has lost
   * nothing, and whoever is leaving was told at that time that the plan goes too: to them the words would be untrue.
   */
  tell(tx: Executor, row: SubscriptionRow, at: Date): Promise<void>;
};

export function createPlanEndings({ accounts, letters }: Dependencies): PlanEndings {
  return {
    async tell(tx, row, at) {
      const owner = row.userId ? await accounts.ownerOf(tx, row.userId) : null;
      if (owner) {
        const isGiven = owner.planGrantedAt !== null;
        const isBought = governing(await listSubscriptions(tx, owner.id)) !== null;
        if (isGiven || isBought || owner.deletionRequestedAt) return;
      }
      if (row.status === 'lapsed') await letters.lapsed(tx, row, owner, at);
      else await letters.ended(tx, row, owner, at);
    },
  };
}
