import type { Process } from '#tests/simulation/machine.ts';
import type { Owner } from './owners.ts';

/** Something that somebody does because of a mail, so many milliseconds after it came. */
export type Reaction = { name: string; owner: Owner; afterMs: number; run: (web: Process) => Promise<void> };
