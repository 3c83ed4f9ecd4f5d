import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest time in ms that a slice of work holds the event loop, with room for the item that ends it. */
const sliceMs = 8;
/** Number of items that a sort handles between two looks at the clock. */
const sortedAtOnce = 500;

/** Waits for the next turn of the event loop if the current slice is used up. */
export type Pause = () => Promise<void> | undefined;

type Slicing = { now?: () => number; signal?: AbortSignal | undefined };

/**
 * Returns the pause of one piece of work. All its parts share it, so that short parts in a row do not add up to a long slice.
 * The pause rejects with the reason of `signal` once that aborts.
 */
export function createSlices({ now = () => performance.now(), signal }: Slicing = {}): Pause {
  let endsAt = now() + sliceMs;
  return () => {
    if (now() < endsAt) return undefined;
    return nextTurn().then(() => {
      signal?.throwIfAborted();
      endsAt = now() + sliceMs;
    });
  };
}

/** Maps the items in their order, in slices. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Result,
  pause: Pause = createSlices(),
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(act(item));
    await pause();
  }
  return results;
}

/** Sorts in slices, stable as `toSorted`: short runs first, then neighbouring runs merged until one is left. */
export async function sortInSlices<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
  pause: Pause = createSlices(),
): Promise<Item[]> {
  let runs: Item[][] = [];
  for (let at = 0; at < items.length; at += sortedAtOnce) {
    runs.push(items.slice(at, at + sortedAtOnce).sort(compare));
    await pause();
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await mergeInSlices(runs[at] ?? [], runs[at + 1] ?? [], { compare, pause }));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

type Merging<Item> = { compare: (one: Item, other: Item) => number; pause: Pause };

async function mergeInSlices<Item>(
  left: readonly Item[],
  right: readonly Item[],
  { compare, pause }: Merging<Item>,
): Promise<Item[]> {
  const merged: Item[] = [];
  let [fromLeft, fromRight] = [0, 0];
  while (fromLeft < left.length && fromRight < right.length) {
    const [one, other] = [left[fromLeft] as Item, right[fromRight] as Item];
    const isLeft = compare(one, other) <= 0;
    merged.push(isLeft ? one : other);
    if (isLeft) fromLeft += 1;
    else fromRight += 1;
    if (merged.length % sortedAtOnce === 0) await pause();
  }
  return [...merged, ...left.slice(fromLeft), ...right.slice(fromRight)];
}
