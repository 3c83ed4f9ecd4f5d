import { expect, test } from 'vitest';
import { createListTurns } from './list-turns.ts';

/** Work that lasts until `end` is called. */
function lasting() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

test('a caller who leaves gives up the turn, and the next caller of the same owner has it', async () => {
  const turns = createListTurns();
  const [first, left] = [lasting(), new AbortController()];
  const running = turns.ofOwner('sam', first.work);
  const made: string[] = [];
  const replaced = turns.ofOwner('sam', async () => made.push('replaced'), left.signal);
  const wanted = turns.ofOwner('sam', async () => made.push('wanted'));
  left.abort(new Error('The caller has left.'));
  await expect(replaced).rejects.toThrow('The caller has left.');
  first.end();
  await Promise.all([running, wanted]);
  expect(made).toEqual(['wanted']);
});

test('an owner has one list at a time, two owners one each, and a third owner waits', async () => {
  const turns = createListTurns();
  const begun: string[] = [];
  const works = ['sam', 'sam', 'kim', 'lou'].map((owner) => ({ owner, ...lasting() }));
  const done = works.map(({ owner, work }) =>
    turns.ofOwner(owner, () => {
      begun.push(owner);
      return work();
    }),
  );
  await new Promise(setImmediate);
  expect(begun).toEqual(['sam', 'kim']);
  for (const { end } of works) end();
  await Promise.all(done);
  expect(begun.toSorted()).toEqual(['kim', 'lou', 'sam', 'sam']);
});

test('further lists of an owner are refused once ten wait', async () => {
  const turns = createListTurns();
  const first = lasting();
  const asked = Array.from({ length: 12 }, () => turns.ofOwner('sam', first.work));
  await expect(asked[11]).rejects.toMatchObject({ type: 'RATE_LIMITED' });
  first.end();
  await Promise.all(asked.slice(0, 11));
});
