import type { Executor } from '#server/platform/db/database.ts';
import type { PlanName } from '#shared/rules/plans.ts';

/** What is in an account, for whoever has to tell whether it is theirs: numbers, and nobody's words. */
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
