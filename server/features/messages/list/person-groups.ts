import { type Pause, sortInSlices } from '#server/platform/slices.ts';
import {
  compareInReadingOrder,
  createReaders,
  groupsOfPeople,
  type LetterFacts,
  type LetterGroup,
} from '#shared/rules/letters/envelopes.ts';

/** Groups letters as `lettersByPerson`, in slices: all letters may be for the same twenty people. */
export async function groupsInSlices<Letter extends LetterFacts>(
  letters: readonly Letter[],
  pause: Pause,
): Promise<LetterGroup<Letter>[]> {
  const groups: LetterGroup<Letter>[] = [];
  for (const [key, theirs] of groupsOfPeople(letters)) {
    const { readers, areNamedBy } = createReaders(theirs[0]);
    for (const letter of theirs) {
      if (areNamedBy(letter)) break;
      await pause();
    }
    groups.push({ key, readers, letters: await sortInSlices(theirs, compareInReadingOrder, pause) });
  }
  return groups;
}
