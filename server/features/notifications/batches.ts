/**
 * Does things of one key together: whoever comes while the key is being worked on goes with all others who came
 * meanwhile into the next round. Nobody waits for company. A round that fails fails for everybody in it.
 */
export function batched<Item>(
  work: (items: readonly Item[]) => Promise<void>,
): (key: string, item: Item) => Promise<void> {
  type Round = { items: Item[]; done: Promise<void> };
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Round>();

  async function run(key: string, items: readonly Item[]): Promise<void> {
    const round = work(items);
    const over = round.then(noop, noop);
    running.set(key, over);
    try {
      await round;
    } finally {
      if (running.get(key) === over) running.delete(key);
    }
  }

  return (key, item) => {
    const joined = waiting.get(key);
    if (joined) {
      joined.items.push(item);
      return joined.done;
    }
    const before = running.get(key);
    if (!before) return run(key, [item]);

    const items = [item];
    const done = before.then(() => {
      waiting.delete(key);
      return run(key, items);
    });
    waiting.set(key, { items, done });
    return done;
  };
}

const noop = () => undefined;
