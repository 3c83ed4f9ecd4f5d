import { expect, test } from 'vitest';
import { type LetterFacts, lettersByPerson, lettersTo, peopleKey } from '#shared/rules/letters/envelopes.ts';
import { readingPlaces } from './reading-places.ts';

const reader = (name: string) => ({ name, relation: null, email: `${name}@post.example` });

function letter(id: string, names: readonly string[], changes: Partial<LetterFacts> = {}): LetterFacts {
  const recipients = names.map(reader);
  return {
    ...{ id, recipients, people: peopleKey(recipients), category: 'personal', status: 'ready', position: 1 },
    ...{ createdAt: new Date('2026-01-01'), isDamaged: false, ...changes },
  };
}

const letters = [
  letter('a', ['nell', 'joss'], { position: 3 }),
  letter('b', ['nell'], { position: 4, status: 'draft' }),
  letter('c', ['nell'], { position: 2 }),
  letter('d', ['joss'], { position: 1 }),
  letter('e', ['joss'], { status: 'delivered' }),
  letter('f', ['joss'], { isDamaged: true }),
];

test('a letter has the place that the order of its reader gives it', async () => {
  const places = await readingPlaces(letters, lettersByPerson(letters));
  for (const name of ['nell', 'joss']) {
    const { email } = reader(name);
    expect([...(places.get(email) ?? [])]).toEqual(lettersTo(letters, email).map(({ id }, index) => [id, index]));
  }
});

test('readers who are not on the page have no places', async () => {
  const ofPage = lettersByPerson(letters).filter(({ readers }) => readers.every(({ name }) => name === 'nell'));
  expect([...(await readingPlaces(letters, ofPage)).keys()]).toEqual([reader('nell').email]);
});

test('the recipients of each of 2,000 letters are read a fixed number of times', async () => {
  let reads = 0;
  const many = Array.from({ length: 2_000 }, (_, number) =>
    Object.defineProperty(letter(`${number}`, ['nell'], { position: number }), 'recipients', {
      get: () => {
        reads += 1;
        return [reader('nell')];
      },
    }),
  );
  const places = await readingPlaces(many, [{ readers: [reader('nell')] }]);
  expect(places.get(reader('nell').email)?.size).toBe(2_000);
  expect(reads / many.length).toBeLessThan(4);
});
