import { faultsOf, happenings, ownersOf, type Scenario, type Trouble } from './scenario.ts';

/** Tries a scenario. Gives the day on which something broke; null where nothing did. */
export type Try = (scenario: Scenario) => Promise<number | null>;

const troubles: readonly Trouble[] = ['duplicates', 'company', 'crashes', 'clock', 'faults'];

/**
 * Shrinks a failing scenario while it still fails. Ends it sooner, and removes troubles, people, faults and actions,
 * first by halves and then one by one.
 */
export async function shrink(broken: Scenario, attempt: Try): Promise<Scenario> {
  let smallest = broken;
  const keep = async (candidate: Scenario): Promise<boolean> => {
    const day = await attempt(candidate);
    if (day === null) return false;
    // Whatever comes after it has nothing to do with it.
    smallest = { ...candidate, days: Math.min(candidate.days, Math.ceil(day)) };
    return true;
  };

  await keep(broken);
  for (const trouble of troubles) await keep({ ...smallest, calm: [...(smallest.calm ?? []), trouble] });
  for (const what of happenings) {
    await keep({ ...smallest, also: (smallest.also ?? happenings).filter((each) => each !== what) });
  }
  await leaveOut(() => ownersOf(smallest).map(({ name }) => name));
  await leaveOut(() => faultsOf(smallest).map(({ name }) => name));
  await leaveOut(() => ownersOf(smallest).flatMap(({ acts }) => acts.map(({ name }) => name)));
  return smallest;

  async function leaveOut(namesOf: () => string[]): Promise<void> {
    for (let size = Math.ceil(namesOf().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      let from = 0;
      while (from < namesOf().length) {
        const names = namesOf().slice(from, from + size);
        const isSmaller = await keep({ ...smallest, without: [...(smallest.without ?? []), ...names] });
        if (!isSmaller) from += size;
      }
    }
  }
}
