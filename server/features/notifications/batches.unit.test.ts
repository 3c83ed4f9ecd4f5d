import { describe, expect, test } from 'vitest';
import { batched } from './batches.ts';

/** Work that ends when it is told to, and keeps what it was given. */
function heldWork() {
  const rounds: { items: readonly string[]; end: PromiseWithResolvers<void> }[] = [];
  const add = batched(async (items: readonly string[]) => {
    const end = Promise.withResolvers<void>();
    rounds.push({ items, end });
    await end.promise;
  });
  const soon = () => new Promise((resolve) => setImmediate(resolve));
  return { add, rounds, soon };
}

describe('together', () => {
  test('who comes first waits for nobody, and who comes meanwhile goes together afterwards', async () => {
    const { add, rounds, soon } = heldWork();
    const first = add('one', 'a');
    expect(rounds.map(({ items }) => items)).toEqual([['a']]);
    const others = [add('one', 'b'), add('one', 'c')];
    await soon();
    expect(rounds).toHaveLength(1);
    rounds[0]?.end.resolve();
    await first;
    await soon();
    expect(rounds.map(({ items }) => items)).toEqual([['a'], ['b', 'c']]);
    rounds[1]?.end.resolve();
    await Promise.all(others);
    const last = add('one', 'd');
    rounds[2]?.end.resolve();
    await last;
    expect(rounds.map(({ items }) => items)).toEqual([['a'], ['b', 'c'], ['d']]);
  });

  test('another key does not wait', () => {
    const { add, rounds } = heldWork();
    void add('one', 'a');
    void add('two', 'b');
    expect(rounds.map(({ items }) => items)).toEqual([['a'], ['b']]);
  });

  test('a round that fails is everybody’s in it, and the next one runs all the same', async () => {
    const { add, rounds, soon } = heldWork();
    const first = add('one', 'a');
    const others = Promise.allSettled([add('one', 'b'), add('one', 'c')]);
    rounds[0]?.end.reject(new Error('no'));
    await expect(first).rejects.toThrow('no');
    await soon();
    rounds[1]?.end.reject(new Error('nor this'));
    expect((await others).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const last = add('one', 'd');
    rounds[2]?.end.resolve();
    await last;
  });
});
