import { mapInSlices, type Pause, sortInSlices } from '#server/platform/slices.ts';
import {
  compareInReadingOrder,
  isUndelivered,
  type LetterFacts,
  type LetterGroup,
  type ReadingPlaces,
} from '#shared/rules/letters/envelopes.ts';

/** Returns the places in the letters of these groups' readers, who are the readers of one page. Sorts once for all of them. */
export async function readingPlaces(
  letters: readonly LetterFacts[],
  shown: readonly Pick<LetterGroup<unknown>, 'readers'>[],
  pause?: Pause,
): Promise<ReadingPlaces> {
  const emails = shown.flatMap(({ readers }) => readers.map(({ email }) => email));
  const places = new Map(emails.map((email) => [email, new Map<string, number>()]));
  const isToThem = (letter: LetterFacts) =>
    isUndelivered(letter) && letter.recipients.some(({ email }) => places.has(email));
  const theirs = await sortInSlices(letters.filter(isToThem), compareInReadingOrder, pause);
  const addPlaces = ({ id, recipients }: LetterFacts) => {
    for (const { email } of recipients) {
      const letters = places.get(email);
      letters?.set(id, letters.size);
    }
  };
  await mapInSlices(theirs, addPlaces, pause);
  return places;
}
