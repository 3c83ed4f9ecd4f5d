import { afterADeath } from './after-a-death.ts';
import type { Guide, GuideGroup } from './guide.ts';
import { planningAhead, standingBy } from './planning.ts';
import { theLaw } from './the-law.ts';
import { writing } from './writing.ts';

/** Every guide, in the order in which they are offered. */
export const guideGroups: readonly GuideGroup[] = [
  { id: 'after-a-death', title: 'When someone dies', guides: afterADeath },
  { id: 'the-law', title: 'Wills and the law', guides: theLaw },
  { id: 'planning-ahead', title: 'Planning ahead', guides: planningAhead },
  { id: 'writing', title: 'Finding the words', guides: writing },
  { id: 'standing-by', title: 'Standing by somebody', guides: standingBy },
];

/** The guide of that id, or undefined. */
export function findGuide(id: string): Guide | undefined {
  return guideGroups.flatMap(({ guides }) => guides).find((guide) => guide.id === id);
}
