import type { Envelope } from '#shared/contract/letters/envelopes.ts';
import type { EnvelopeSort } from '#shared/rules/letters/envelopes.ts';

export const letterSorts: readonly { value: EnvelopeSort; label: string }[] = [
  { value: 'person', label: 'By person' },
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'title', label: 'Title, A to Z' },
];

type Reader = Envelope['recipients'][number];

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** Place in a reader's order, such as `Nell reads this first`. Null for an only letter, or one for several readers. */
export function orderNote(
  { readingIndex, status }: Pick<Envelope, 'readingIndex' | 'status'>,
  reader: Pick<Reader, 'name'> | undefined,
): string | null {
  if (!reader || readingIndex === null) return null;
  const place = ordinals[readingIndex] ?? `as number ${readingIndex + 1}`;
  const words = `${reader.name ? `${reader.name} reads` : 'They read'} this ${place}`;
  return status === 'draft' ? `${words}, once it is ready` : words;
}

/** The list with one item moved a place earlier or later. */
export function moved<Item>(items: readonly Item[], index: number, by: -1 | 1): Item[] {
  const next = [...items];
  const [item] = next.splice(index, 1);
  if (item !== undefined) next.splice(index + by, 0, item);
  return next;
}

/** Returns the changed positions, by letter id, that put the letters in this order. */
export function newPlaces(letters: readonly Pick<Envelope, 'id' | 'position'>[]): Map<string, number> {
  let last = 0;
  const places = letters
    .map(({ position }) => position)
    .toSorted((one, other) => one - other)
    .map((position) => {
      last = Math.max(position, last + 1);
      return last;
    });
  const changed = letters.map(({ id, position }, index) => ({ id, position, place: places[index] ?? position }));
  return new Map(changed.filter(({ position, place }) => position !== place).map(({ id, place }) => [id, place]));
}

/**
 * State of a delivered letter: `Opened` or `Not opened yet` for one reader, `Ben has opened it, Ruth not yet` for
 * several.
 */
export function openedNote(readers: readonly Reader[]): string {
  if (readers.length < 2) return readers[0]?.openedAt ? 'Opened' : 'Not opened yet';
  const notes = readers.map(
    ({ name, email, openedAt }) => `${name ?? email} ${openedAt ? 'has opened it' : 'not yet'}`,
  );
  return readers.some(({ openedAt }) => openedAt) ? notes.join(', ') : 'Nobody has opened it yet';
}
