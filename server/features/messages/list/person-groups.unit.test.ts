import { expect, test } from 'vitest';
import { type LetterFacts, lettersByPerson, peopleKey } from '#shared/rules/letters/envelopes.ts';
import { groupsInSlices } from './person-groups.ts';

const people = Array.from({ length: 20 }, (_, number) => ({
  name: `Person ${number}`,
  relation: null,
  email: `person-${number}@post.example`,
}));

function letter(number: number, recipients: LetterFacts['recipients']): LetterFacts {
  return {
    ...{ id: `${number}`, recipients, people: peopleKey(recipients), category: 'personal', status: 'ready' },
    ...{ position: (number * 7_919) % 2_000, createdAt: new Date(number), isDamaged: false },
  };
}

test('letters to many groups of people are grouped as the rules say', async () => {
  const letters = Array.from({ length: 500 }, (_, number) =>
    letter(number, people.slice(number % 7, 3 + (number % 5))),
  );
  expect(await groupsInSlices(letters, () => undefined)).toEqual(lettersByPerson(letters));
});

test('other calls may run after each of 2,000 letters to the same 20 people, whose recipients are read once', async () => {
  let reads = 0;
  const letters = Array.from({ length: 2_000 }, (_, number) =>
    Object.defineProperty(letter(number, people), 'recipients', {
      get: () => {
        reads += 1;
        return people;
      },
    }),
  );
  let pauses = 0;
  const [group] = await groupsInSlices(letters, async () => {
    pauses += 1;
  });
  expect(group?.letters).toHaveLength(2_000);
  expect(pauses).toBeGreaterThanOrEqual(2_000);
  expect(reads).toBeLessThanOrEqual(letters.length + 1);
});
