import type { Message } from '#shared/contract/messages.ts';

export type LetterSort = 'person' | 'newest' | 'oldest' | 'title';

export const letterSorts: readonly { value: LetterSort; label: string }[] = [
  { value: 'person', label: 'By person' },
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'title', label: 'Title, A to Z' },
];

export type Reader = Message['recipients'][number];

/** Letters that are for the same people. */
export type LetterGroup = { key: string; readers: readonly Reader[]; letters: readonly Message[] };

/** Letters in an order that asks nothing about people. They come newest first. */
export function sortedLetters(messages: readonly Message[], sort: Exclude<LetterSort, 'person'>): readonly Message[] {
  if (sort === 'title') return messages.toSorted((one, other) => one.title.localeCompare(other.title, 'en-GB'));
  const newest = messages.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
  return sort === 'newest' ? newest : newest.toReversed();
}

/** Letters by the people they are for. Whoever was written to last stands first; within, the order of reading. */
export function lettersByPerson(messages: readonly Message[]): LetterGroup[] {
  const groups = Map.groupBy(messages, keyOf);
  return [...groups].map(([key, letters]) => ({ key, readers: readersOf(letters), letters: inOrder(letters) }));
}

function keyOf({ recipients }: Message): string {
  return recipients
    .map(({ email }) => email)
    .toSorted()
    .join(' ');
}

/** The readers as the newest of their letters has them; a name that one of the others has is taken from there. */
function readersOf(letters: readonly Message[]): Reader[] {
  const all = letters.flatMap(({ recipients }) => recipients);
  return (letters[0]?.recipients ?? []).map((reader) => ({
    ...reader,
    name: reader.name ?? all.find(({ name, email }) => name && email === reader.email)?.name ?? null,
    relation:
      reader.relation ?? all.find(({ relation, email }) => relation && email === reader.email)?.relation ?? null,
  }));
}

/** In the order of reading; what has been delivered stands behind. */
function inOrder(letters: readonly Message[]): Message[] {
  return letters.toSorted(
    (one, other) =>
      Number(one.status === 'delivered') - Number(other.status === 'delivered') ||
      one.position - other.position ||
      one.createdAt.localeCompare(other.createdAt),
  );
}

/** The letters that wait for one person, in the order of reading. */
export function lettersTo(messages: readonly Message[], email: string): Message[] {
  return inOrder(messages.filter((message) => isWaiting(message) && message.recipients.some(isAt(email))));
}

function isWaiting({ status, isDamaged }: Message): boolean {
  return status !== 'delivered' && !isDamaged;
}

function isAt(email: string): (reader: Reader) => boolean {
  return (reader) => reader.email === email;
}

/** Of each address, the place of each letter that waits for it, from 0. */
export type ReadingPlaces = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Sorts once for all readers: a list asks for the place of every letter. */
export function readingPlaces(messages: readonly Message[]): ReadingPlaces {
  const places = new Map<string, Map<string, number>>();
  for (const { id, recipients } of inOrder(messages.filter(isWaiting))) {
    for (const { email } of recipients) {
      const theirs = places.get(email) ?? new Map<string, number>();
      places.set(email, theirs.set(id, theirs.size));
    }
  }
  return places;
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** `Nell reads this first`; null if the letter is the only one to its reader, or is for several. */
export function orderNote(message: Message, places: ReadingPlaces, reader: Reader | undefined): string | null {
  if (!reader || message.recipients.length !== 1) return null;
  const theirs = places.get(reader.email);
  const index = theirs?.get(message.id);
  if (index === undefined || theirs === undefined || theirs.size < 2) return null;
  const place = ordinals[index] ?? `as number ${index + 1}`;
  const words = `${reader.name ? `${reader.name} reads` : 'They read'} this ${place}`;
  return message.status === 'draft' ? `${words}, once it is ready` : words;
}

/** The group in which a reader's order is changed: the letters that are theirs alone, or the first that they are in. */
export function orderedGroups(groups: readonly LetterGroup[]): ReadonlyMap<string, LetterGroup> {
  const chosen = new Map<string, LetterGroup>();
  for (const group of groups) {
    for (const { email } of group.readers) {
      const now = chosen.get(email);
      if (!now || (group.readers.length === 1 && now.readers.length > 1)) chosen.set(email, group);
    }
  }
  return chosen;
}

/** The list with one letter a place earlier or later. */
export function moved<Item>(items: readonly Item[], index: number, by: -1 | 1): Item[] {
  const next = [...items];
  const [item] = next.splice(index, 1);
  if (item !== undefined) next.splice(index + by, 0, item);
  return next;
}

/** The places that letters need so that they are read in this order. Only those whose place changes are named. */
export function newPlaces(letters: readonly Pick<Message, 'id' | 'position'>[]): Map<string, number> {
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

/** What has become of a delivered letter: `Opened` or `Not opened yet` of one reader, `Ben has opened it, Ruth not yet` of several. */
export function openedNote(readers: readonly Reader[]): string {
  if (readers.length < 2) return readers[0]?.openedAt ? 'Opened' : 'Not opened yet';
  const notes = readers.map(
    ({ name, email, openedAt }) => `${name ?? email} ${openedAt ? 'has opened it' : 'not yet'}`,
  );
  return readers.some(({ openedAt }) => openedAt) ? notes.join(', ') : 'Nobody has opened it yet';
}
