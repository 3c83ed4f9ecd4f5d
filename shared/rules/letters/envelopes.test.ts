import { describe, expect, it } from 'vitest';
import {
  isInCategory,
  type LetterFacts,
  lettersByPerson,
  lettersTo,
  orderedGroups,
  pageOfGroups,
  peopleKey,
  placeOf,
  previewOf,
  type ReadingPlaces,
  searchFor,
} from './envelopes.ts';

const reader = (name: string | null) => ({
  name,
  relation: null,
  email: `${(name ?? 'nell').toLowerCase()}@post.example`,
});

function letter(id: string, names: (string | null)[], changes: Partial<LetterFacts> = {}): LetterFacts {
  const recipients = names.map(reader);
  return {
    id,
    people: peopleKey(recipients),
    recipients,
    category: 'personal',
    status: 'ready',
    position: 1,
    createdAt: new Date('2026-01-01'),
    isDamaged: false,
    ...changes,
  };
}

function placesIn(letters: readonly LetterFacts[]): ReadingPlaces {
  const emails = letters.flatMap(({ recipients }) => recipients.map(({ email }) => email));
  return new Map(
    emails.map((email) => [email, new Map(lettersTo(letters, email).map(({ id }, index) => [id, index]))]),
  );
}

const ids = (letters: readonly LetterFacts[]) => letters.map(({ id }) => id);

describe('Letters by person', () => {
  const messages = [
    letter('d', ['Nell', 'Joss'], { position: 3 }),
    letter('c', ['Nell'], { position: 4 }),
    letter('b', [null], { position: 2, createdAt: new Date('2026-01-02') }),
    letter('a', ['Joss', 'Nell'], { position: 1, status: 'delivered' }),
  ];

  it('are together if they are for the same people, in whatever order these are named', () => {
    const groups = lettersByPerson(messages);
    expect(groups.map(({ readers, letters }) => [readers.map(({ name }) => name), ids(letters)])).toEqual([
      [
        ['Nell', 'Joss'],
        ['d', 'a'],
      ],
      [['Nell'], ['b', 'c']],
    ]);
  });

  it('are all that a person is still to get, in the order of reading', () => {
    expect(ids(lettersTo(messages, 'nell@post.example'))).toEqual(['b', 'd', 'c']);
    expect(ids(lettersTo(messages, 'joss@post.example'))).toEqual(['d']);
  });

  it('have a place in the order of reading if they are for one person', () => {
    const places = placesIn(messages);
    expect(messages.map((message) => placeOf(message, places))).toEqual([null, 2, 0, null]);
    const only = [letter('x', ['Nell']), letter('y', ['Nell'], { isDamaged: true })];
    expect(only.map((message) => placeOf(message, placesIn(only)))).toEqual([null, null]);
  });

  it('offer the order of a person once: among the letters to this person alone, else in the first group', () => {
    const groups = lettersByPerson(messages);
    const ordered = orderedGroups(groups, placesIn(messages));
    expect([...ordered].map(([email, { key }]) => [email, key])).toEqual([['nell@post.example', 'nell@post.example']]);
  });

  it('name each of twenty readers by the newest letter that has a name', () => {
    const unnamed = Array.from({ length: 20 }, (_, number) => ({ ...reader(`P${number}`), name: null }));
    const named = unnamed.map((each, number) => ({ ...each, name: `Person ${number}` }));
    const of = (id: string, recipients: LetterFacts['recipients']) => ({
      ...letter(id, []),
      recipients,
      people: peopleKey(recipients),
    });
    const [group, ...others] = lettersByPerson([of('b', unnamed), of('a', named.toReversed())]);
    expect(others).toEqual([]);
    expect(group?.readers.map(({ name }) => name)).toEqual(named.map(({ name }) => name));
  });

  it('are cut into pages across their groups', () => {
    const groups = lettersByPerson(messages);
    const page = (from: number) =>
      pageOfGroups(groups, { from, size: 3 }).map(({ key, letters }) => [key, ids(letters)]);
    expect(page(0)).toEqual([
      ['joss@post.example nell@post.example', ['d', 'a']],
      ['nell@post.example', ['b']],
    ]);
    expect(page(3)).toEqual([['nell@post.example', ['c']]]);
    expect(page(6)).toEqual([]);
  });
});

it('reads the recipients of 2,000 letters by person a fixed number of times each', () => {
  let reads = 0;
  const messages = Array.from({ length: 2_000 }, (_, number) => {
    const plain = letter(`${number}`, ['Nell'], { position: number });
    return Object.defineProperty(plain, 'recipients', {
      get: () => {
        reads += 1;
        return [reader('Nell')];
      },
    });
  });
  expect(lettersByPerson(messages)).toHaveLength(1);
  expect(reads / messages.length).toBeLessThan(3);
});

it.each([
  ['NELL', ['For Nell', null], true],
  ['  boat ', ['The boat'], true],
  ['@post.example', [null, 'law@post.example'], true],
  ['nothing like it', ['The boat', ''], false],
  ['', [''], true],
])('a search for “%s” in %j finds it: %s', (words, texts, isFound) => {
  expect(searchFor(words)(texts)).toBe(isFound);
});

it('lists the wizard’s family messages under Personal', () => {
  expect(isInCategory('family', 'personal')).toBe(true);
  expect(isInCategory('family', 'legal')).toBe(false);
  expect(isInCategory('legal', 'all')).toBe(true);
});

describe('The preview of a message', () => {
  it('is the whole of a short one', () => {
    expect(previewOf('a'.repeat(200))).toBe('a'.repeat(200));
  });

  it('is cut at 200 characters, followed by three dots', () => {
    expect(previewOf('a'.repeat(201))).toBe(`${'a'.repeat(200)}...`);
    expect(previewOf('a'.repeat(5000))).toBe(`${'a'.repeat(200)}...`);
  });

  it('does not cut a character in half', () => {
    expect(previewOf('😀'.repeat(201))).toBe(`${'😀'.repeat(200)}...`);
    expect(previewOf('😀'.repeat(200))).toBe('😀'.repeat(200));
  });
});
