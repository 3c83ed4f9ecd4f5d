import { describe, expect, it } from 'vitest';
import { moved, newPlaces, openedNote, orderNote } from './letter-groups.rules.ts';

const reader = (name: string | null, openedAt: string | null = null) => ({
  name,
  relation: null,
  email: `${(name ?? 'nell').toLowerCase()}@post.example`,
  status: null,
  openedAt,
});

it('says when a letter is read', () => {
  const nell = reader('Nell');
  expect(orderNote({ readingIndex: 2, status: 'ready' }, nell)).toBe('Nell reads this third');
  expect(orderNote({ readingIndex: 0, status: 'draft' }, nell)).toBe('Nell reads this first, once it is ready');
  expect(orderNote({ readingIndex: 1, status: 'ready' }, reader(null))).toBe('They read this second');
  expect(orderNote({ readingIndex: 1_999, status: 'ready' }, nell)).toBe('Nell reads this as number 2000');
  expect(orderNote({ readingIndex: null, status: 'ready' }, nell)).toBeNull();
  expect(orderNote({ readingIndex: 0, status: 'ready' }, undefined)).toBeNull();
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
