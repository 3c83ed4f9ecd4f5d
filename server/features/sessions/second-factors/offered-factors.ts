import type { Executor } from '#server/platform/db/database.ts';
import type { SecondFactor } from '#shared/contract/accounts.ts';
import { countFactors } from './second-factors.repository.ts';
import { offeredFactors } from './second-factors.rules.ts';

/** Second factors that this owner may use; empty if none is on. */
export async function offeredFactorsOf(executor: Executor, userId: string): Promise<SecondFactor[]> {
  return offeredFactors(await countFactors(executor, userId));
}
