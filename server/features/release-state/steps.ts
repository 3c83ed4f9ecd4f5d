import { perApp } from '#server/app.ts';
import type { Command, Event } from '#server/features/release-core/events.rules.ts';
import type { Mark, World } from '#server/features/release-core/model.rules.ts';
import type { Executor } from '#server/platform/db/database.ts';

/** One step of the core: the world before, the command, the events, and the world after. */
export type Step = {
  userId: string;
  command: Command;
  before: World;
  events: readonly Event[];
  after: World;
  /** `now` measures passed time. New windows begin at `mark`. */
  now: Mark;
  mark: Mark;
};

export type StepListener = (tx: Executor, step: Step) => Promise<void>;

/** Called with each step, in the transaction that writes it. Tests compare the rows with the decision. */
export const stepListenersOf = perApp((): StepListener[] => []);
