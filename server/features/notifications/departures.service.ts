import type { Executor } from '#server/platform/db/database.ts';
import { type Departure, type DeparturesOf, listDepartures } from './departures.repository.ts';

/**
 * The messages of these kinds that an owner's account has caused and that left since then or are still to leave, oldest
 * first; without what was taken back. For limits that hold whatever was caused in between.
 */
export function departuresOf(executor: Executor, of: DeparturesOf): Promise<Departure[]> {
  return listDepartures(executor, of);
}
