import type { Process } from '#tests/simulation/machine.ts';
import type { Owner } from './owners.ts';

/** Action of a person after a mail, with its delay in milliseconds. */
export type Reaction = { name: string; owner: Owner; afterMs: number; run: (web: Process) => Promise<void> };
