import type { MessageCategory, MessageStatus } from '#shared/rules/categories.ts';

/** Number of envelopes in one page of the list. */
export const envelopesPerPage = 50;
/** Longest part of a letter's text that its envelope shows. */
const previewLengthMax = 200;
/** Longest text that a search of letters or documents takes. */
export const searchLengthMax = 200;

/** Number of letters that stand on the shelf of the dashboard. */
export const shelfMax = 5;
/** Number of people that a new letter offers as recipients. */
export const knownReadersMax = 200;

export const envelopeSorts = ['person', 'newest', 'oldest', 'title'] as const;
export type EnvelopeSort = (typeof envelopeSorts)[number];

export const envelopeCategories = ['all', 'personal', 'legal', 'financial', 'instructions'] as const;
export type EnvelopeCategory = (typeof envelopeCategories)[number];

type Reader = { name: string | null; relation: string | null; email: string };

/** Facts of a letter that decide its place in the list. A damaged letter has no recipients. */
export type LetterFacts = {
  id: string;
  /** As `peopleKey` of its recipients. */
  people: string;
  category: MessageCategory;
  status: MessageStatus;
  position: number;
  createdAt: Date;
  recipients: readonly Reader[];
  isDamaged: boolean;
};

/** Letters that are for the same people. */
export type LetterGroup<Letter> = { key: string; readers: readonly Reader[]; letters: readonly Letter[] };

/** The setup wizard's own category is listed as a personal one. */
export function isInCategory(category: MessageCategory, filter: EnvelopeCategory): boolean {
  return filter === 'all' || category === filter || (filter === 'personal' && category === 'family');
}

/** Returns a test for texts that hold these words, in any case. */
export function searchFor(words: string): (texts: readonly (string | null)[]) => boolean {
  const wanted = words.trim().toLowerCase();
  return (texts) => texts.some((text) => text?.toLowerCase().includes(wanted));
}

/** The beginning of a text, cut at 200 characters. A character of two code units is never cut in half. */
export function previewOf(content: string): string {
  const characters = [...content.slice(0, previewLengthMax * 2)];
  if (characters.length <= previewLengthMax && content.length <= previewLengthMax * 2) return content;
  return `${characters.slice(0, previewLengthMax).join('')}...`;
}

/** Letters by the people they are for. They come newest first: the people of the newest letter are first. */
export function lettersByPerson<Letter extends LetterFacts>(letters: readonly Letter[]): LetterGroup<Letter>[] {
  return groupsOfPeople(letters).map(([key, letters]) => ({
    key,
    readers: readersOf(letters),
    letters: inReadingOrder(letters),
  }));
}

/** Letters for the same people, in the order in which they come, by the key of these people. */
export function groupsOfPeople<Letter extends LetterFacts>(letters: readonly Letter[]): [key: string, Letter[]][] {
  return [...Map.groupBy(letters, ({ people }) => people)];
}

/** Key of the people of a letter, in whatever order it names them. */
export function peopleKey(recipients: readonly Pick<Reader, 'email'>[]): string {
  const emails = recipients.map(({ email }) => email);
  return (emails.length > 1 ? emails.sort() : emails).join(' ');
}

function readersOf(letters: readonly LetterFacts[]): Reader[] {
  const { readers, areNamedBy } = createReaders(letters[0]);
  letters.some(areNamedBy);
  return readers;
}

type Readers = {
  readers: Reader[];
  /** Takes names and relations that are missing from a letter. True once none is missing. */
  areNamedBy: (letter: LetterFacts) => boolean;
};

/** Readers as the newest of their letters has them. Other letters, the newest first, may name them. */
export function createReaders(newest: LetterFacts | undefined): Readers {
  const byEmail = new Map<string, Reader>();
  for (const { email } of newest?.recipients ?? []) byEmail.set(email, { name: null, relation: null, email });
  const readers = [...byEmail.values()];
  const areNamedBy = ({ recipients }: LetterFacts) => {
    for (const { name, relation, email } of recipients) {
      const reader = byEmail.get(email);
      if (!reader) continue;
      reader.name ||= name || null;
      reader.relation ||= relation || null;
    }
    return readers.every(({ name, relation }) => name && relation);
  };
  return { readers, areNamedBy };
}

/** In the order of reading. Delivered letters stand last. */
function inReadingOrder<Letter extends LetterFacts>(letters: readonly Letter[]): Letter[] {
  return letters.toSorted(compareInReadingOrder);
}

export function compareInReadingOrder(one: LetterFacts, other: LetterFacts): number {
  return (
    Number(one.status === 'delivered') - Number(other.status === 'delivered') ||
    one.position - other.position ||
    one.createdAt.getTime() - other.createdAt.getTime()
  );
}

/** Letters that one person is still to get, in the order of reading. */
export function lettersTo<Letter extends LetterFacts>(letters: readonly Letter[], email: string): Letter[] {
  return inReadingOrder(
    letters.filter((letter) => isUndelivered(letter) && letter.recipients.some((reader) => reader.email === email)),
  );
}

export function isUndelivered({ status, isDamaged }: LetterFacts): boolean {
  return status !== 'delivered' && !isDamaged;
}

/** For each address, the index of each undelivered letter to it, from 0. */
export type ReadingPlaces = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Index of a letter among those to its reader; null if it is the only one, or is for several people. */
export function placeOf({ id, recipients }: LetterFacts, places: ReadingPlaces): number | null {
  const [reader, ...others] = recipients;
  const theirs = reader && others.length === 0 ? places.get(reader.email) : undefined;
  return theirs && theirs.size > 1 ? (theirs.get(id) ?? null) : null;
}

/** For each reader with several undelivered letters, the group that offers their order: their own, or else the first. */
export function orderedGroups<Letter>(
  groups: readonly LetterGroup<Letter>[],
  places: ReadingPlaces,
): ReadonlyMap<string, LetterGroup<Letter>> {
  const chosen = new Map<string, LetterGroup<Letter>>();
  for (const group of groups) {
    for (const { email } of group.readers) {
      const now = chosen.get(email);
      const isBetter = !now || (group.readers.length === 1 && now.readers.length > 1);
      if (isBetter && (places.get(email)?.size ?? 0) > 1) chosen.set(email, group);
    }
  }
  return chosen;
}

/** The part of the groups that a page shows. A group that begins on an earlier page goes on under the same key. */
export function pageOfGroups<Letter>(
  groups: readonly LetterGroup<Letter>[],
  { from, size }: { from: number; size: number },
): LetterGroup<Letter>[] {
  let before = 0;
  return groups.flatMap((group) => {
    const start = before;
    before += group.letters.length;
    const letters = group.letters.slice(Math.max(0, from - start), Math.max(0, from + size - start));
    return letters.length > 0 ? [{ ...group, letters }] : [];
  });
}
