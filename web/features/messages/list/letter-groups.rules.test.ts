import { describe, expect, it } from 'vitest';
import type { Message } from '#shared/contract/messages.ts';
import {
  lettersByPerson,
  lettersTo,
  moved,
  newPlaces,
  openedNote,
  orderedGroups,
  orderNote,
  readingPlaces,
  sortedLetters,
} from './letter-groups.rules.ts';

const reader = (name: string | null, openedAt: string | null = null) => ({
  name,
  relation: null,
  email: `${(name ?? 'nell').toLowerCase()}@post.example`,
  status: null,
  openedAt,
});

function letter(title: string, names: (string | null)[], changes: Partial<Message> = {}): Message {
  const recipients = names.map((name) => reader(name));
  return { id: title, title, recipients, status: 'ready', position: 1, createdAt: '2026-01-01', ...changes } as Message;
}

const titles = (letters: readonly Message[]) => letters.map(({ title }) => title);

describe('Letters by person', () => {
  const messages = [
    letter('d', ['Nell', 'Joss'], { position: 3 }),
    letter('c', ['Nell'], { position: 4 }),
    letter('b', [null], { position: 2, createdAt: '2026-01-02' }),
    letter('a', ['Joss', 'Nell'], { position: 1, status: 'delivered' }),
  ];

  it('stand together where they are for the same people, however these are written down', () => {
    const groups = lettersByPerson(messages);
    expect(groups.map(({ readers, letters }) => [readers.map(({ name }) => name), titles(letters)])).toEqual([
      [
        ['Nell', 'Joss'],
        ['d', 'a'],
      ],
      [['Nell'], ['b', 'c']],
    ]);
  });

  it('are all that a person is still to get, in the order of reading', () => {
    expect(titles(lettersTo(messages, 'nell@post.example'))).toEqual(['b', 'd', 'c']);
    expect(titles(lettersTo(messages, 'joss@post.example'))).toEqual(['d']);
  });

  it('say when they are read', () => {
    const nell = reader('Nell');
    const notes = messages.map((message) => orderNote(message, readingPlaces(messages), nell));
    expect(notes).toEqual([null, 'Nell reads this third', 'Nell reads this first', null]);
    const drafts = [letter('x', ['Nell'], { status: 'draft' }), letter('y', ['Nell'], { position: 2 })];
    expect(orderNote(drafts[0] as Message, readingPlaces(drafts), nell)).toBe(
      'Nell reads this first, once it is ready',
    );
    expect(orderNote(drafts[1] as Message, readingPlaces(drafts), reader(null))).toBe('They read this second');
    expect(orderNote(letter('x', ['Nell']), readingPlaces([letter('x', ['Nell'])]), nell)).toBeNull();
  });
});

it('sorts by day and by title', () => {
  const messages = [
    letter('b', ['Nell'], { createdAt: '2026-03-01' }),
    letter('C', ['Nell'], { createdAt: '2026-02-01' }),
    letter('a', ['Nell'], { createdAt: '2026-04-01' }),
  ];
  expect(titles(sortedLetters(messages, 'newest'))).toEqual(['a', 'b', 'C']);
  expect(titles(sortedLetters(messages, 'oldest'))).toEqual(['C', 'b', 'a']);
  expect(titles(sortedLetters(messages, 'title'))).toEqual(['a', 'b', 'C']);
});

describe('Another order', () => {
  it('moves one letter by one place', () => {
    expect(moved(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b']);
    expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
  });

  it('takes the places that these letters have among themselves', () => {
    const places = newPlaces([
      { id: 'c', position: 9 },
      { id: 'a', position: 2 },
      { id: 'b', position: 5 },
    ]);
    expect(places).toEqual(
      new Map([
        ['c', 2],
        ['a', 5],
        ['b', 9],
      ]),
    );
  });

  it('says nothing of a letter that keeps its place, and parts those that had the same', () => {
    expect(
      newPlaces([
        { id: 'a', position: 1 },
        { id: 'b', position: 2 },
      ]),
    ).toEqual(new Map());
    expect(
      newPlaces([
        { id: 'a', position: 1 },
        { id: 'b', position: 1 },
      ]),
    ).toEqual(new Map([['b', 2]]));
  });
});

it('tells who has opened a letter', () => {
  expect(openedNote([reader('Ben', '2026-01-01')])).toBe('Opened');
  expect(openedNote([reader('Ben')])).toBe('Not opened yet');
  expect(openedNote([reader('Ben', '2026-01-01'), reader('Ruth')])).toBe('Ben has opened it, Ruth not yet');
  expect(openedNote([reader('Ben'), reader('Ruth')])).toBe('Nobody has opened it yet');
});

it('looks at each of 2,000 letters a fixed number of times', () => {
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
  const groups = lettersByPerson(messages);
  const places = readingPlaces(messages);
  const notes = messages.map((message) => orderNote(message, places, reader('Nell')));
  expect(notes.at(-1)).toBe('Nell reads this as number 2000');
  expect(orderedGroups(groups).get('nell@post.example')).toBe(groups[0]);
  expect(reads / messages.length).toBeLessThan(6);
});
