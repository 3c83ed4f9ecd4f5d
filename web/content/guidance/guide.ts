import type { Nation, UkFact } from '#shared/uk-facts.ts';
import type { Block } from '#web/content/block.ts';

export type GuidePart = {
  title: string;
  blocks: readonly Block[];
  /** Nations it applies to; all if left out. */
  nations?: readonly Nation[];
};

export type Guide = {
  /** Names the guide in the address, after `#`. */
  id: string;
  title: string;
  intro: string;
  /** The day its words were last checked, as `2026-11-21`. */
  checkedOn: string;
  parts: readonly GuidePart[];
  /** The amounts, deadlines and numbers it names. */
  facts?: readonly UkFact[];
};

export type GuideGroup = { id: string; title: string; guides: readonly Guide[] };

/** Nations that share a law, for the parts of a guide. */
export const englandAndWales = ['england', 'wales'] as const satisfies readonly Nation[];
export const greatBritain = ['england', 'wales', 'scotland'] as const satisfies readonly Nation[];
export const scotlandOnly = ['scotland'] as const satisfies readonly Nation[];
export const northernIrelandOnly = ['northern-ireland'] as const satisfies readonly Nation[];
