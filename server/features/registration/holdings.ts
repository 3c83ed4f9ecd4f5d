import type { Executor } from '#server/platform/db/database.ts';
import type { PlanName } from '#shared/rules/plans.ts';

/** How much is in an account, so that the reader of a mail can tell whether it is theirs. Numbers alone, and no content. */
export type Holdings = {
  letters: number;
  contacts: number;
  documents: number;
  checklists: number;
  hasPhone: boolean;
  /** Whether the release settings are others than every account begins with. */
  hasOwnSettings: boolean;
  /** The plan that is paid for or given; else the one that was chosen when the account was opened; null for the free one. */
  plan: PlanName | null;
};

/** Null where the account is gone. */
export type HoldingsOf = (executor: Executor, userId: string) => Promise<Holdings | null>;
